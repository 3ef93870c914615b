// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/ros/node.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "fernwood/core/error.h"

namespace fernwood::ros {

namespace {

/// Sets an environment variable during one test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

}  // namespace

// The mapping of design.ros2.org, "Topic and Service name mapping to DDS".
TEST(RosNode, NamesInDdsAreThoseOfRos) {
  EXPECT_EQ(dds_topic("/camera/color/image_raw"), "rt/camera/color/image_raw");
  EXPECT_EQ(dds_type("sensor_msgs/Image"), "sensor_msgs::msg::dds_::Image_");
  EXPECT_EQ(topic_of_dds("rt/camera/color/image_raw"), "/camera/color/image_raw");
  EXPECT_EQ(type_of_dds("sensor_msgs::msg::dds_::Image_"), "sensor_msgs/Image");
}

TEST(RosNode, OtherNamesOfDdsAreNotRos) {
  for (const char* name : {"Square", "rq/node/get_parametersRequest", "ros_discovery_info", "rt", "rt/", "rt/a b", ""})
    EXPECT_EQ(topic_of_dds(name), "") << name;
  for (const char* name : {"ShapeType", "sensor_msgs::srv::dds_::SetCameraInfo_Request_", "a::msg::dds_::b", ""})
    EXPECT_EQ(type_of_dds(name), "") << name;
}

TEST(RosNode, TopicsHaveNamesThatRosAllows) {
  for (const char* name : {"/a", "/camera/image_raw", "/_x/y2"}) EXPECT_TRUE(is_topic_name(name)) << name;
  for (const char* name : {"", "/", "a", "/a/", "//a", "/2a", "/a/2", "/a-b", "/a b", "/\xc3\xa4"})
    EXPECT_FALSE(is_topic_name(name)) << name;
}

TEST(RosNode, TheEnvironmentNamesTheDomain) {
  EXPECT_EQ(NodeOptions::from_environment().domain_id, 0);
  const Variable domain("ROS_DOMAIN_ID", "42");
  EXPECT_EQ(NodeOptions::from_environment().domain_id, 42);
  for (const char* wrong : {"-1", "233", "4 2", "x", "4x"}) {
    const Variable bad("ROS_DOMAIN_ID", wrong);
    EXPECT_THROW(NodeOptions::from_environment(), Error) << wrong;
  }
}

TEST(RosNode, DiscoveryMayEndAtThisMachine) {
  EXPECT_FALSE(NodeOptions::from_environment().localhost_only);
  const Variable old_variable("ROS_LOCALHOST_ONLY", "1");
  EXPECT_TRUE(NodeOptions::from_environment().localhost_only);
  {
    const Variable range("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET");  // the newer variable has priority
    EXPECT_FALSE(NodeOptions::from_environment().localhost_only);
  }
  {
    const Variable range("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST");
    EXPECT_TRUE(NodeOptions::from_environment().localhost_only);
  }
  for (const char* wrong : {"OFF", "localhost", "1"}) {
    const Variable range("ROS_AUTOMATIC_DISCOVERY_RANGE", wrong);
    EXPECT_THROW(NodeOptions::from_environment(), Error) << wrong;
  }
}

}  // namespace fernwood::ros
