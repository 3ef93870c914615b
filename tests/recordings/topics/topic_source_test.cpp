// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/topics/topic_source.h"

#include <gtest/gtest.h>

#include <thread>

#include "fernwood/core/error.h"
#include "recordings/bag/bag_writer.h"
#include "recordings/topics/topic_source.h"
#include "ros/fake_node.h"
#include "sentences.h"

namespace fernwood::recordings {

using namespace dataset;

namespace {

constexpr std::int64_t kTopicMs = 1'000'000, kTopicStart = 1'700'000'000'000 * kTopicMs;
constexpr const char *kColorTopic = "/camera/color/image_raw", *kDepthTopic = "/camera/aligned_depth/image_raw";
constexpr ListenTimes kQuick = {.first_s = 0.5, .settle_s = 0.2, .quiet_s = 0.02, .look_s = 0.005};

/// A simulated camera of 2 x 1 pixels whose node runs until the end of the test.
class CameraNode {
 public:
  explicit CameraNode(std::int64_t depth_delay_ms = 0) : depth_delay_ms_(depth_delay_ms) {}
  ~CameraNode() { stop(); }

  void start() {
    thread_ = std::thread([this] {
      for (int i = 1; !stopping_; ++i) {
        send(i);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
  }
  void stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }
  void send(int i) {
    const std::int64_t stamp = kTopicStart + i * 33 * kTopicMs;
    node->send("/camera/color/camera_info", ros::kCameraInfoType, info_message({}));
    node->send(kColorTopic, ros::kImageType, image_message({.stamp_ns = stamp, .data = {1, 2, 3, 4, 5, 6}}));
    node->send(
        kDepthTopic, ros::kImageType,
        image_message({.stamp_ns = stamp + depth_delay_ms_ * kTopicMs, .encoding = "16UC1", .data = {10, 0, 20, 0}}));
  }

  std::shared_ptr<ros::FakeNode> node = std::make_shared<ros::FakeNode>();

 private:
  std::int64_t depth_delay_ms_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

/// Stops the camera and reads all its messages.
void quieten(CameraNode& camera, FrameSource& source) {
  constexpr int kLast = 900;  // later than all messages not yet read
  camera.stop();
  camera.send(kLast);
  while (source.next()->stamp_ns < kTopicStart + kLast * 33 * kTopicMs) {
  }
}

auto num_skip_warnings(const FrameSource& source) {
  const std::vector<std::string> warnings = source.warnings();
  return std::ranges::count_if(warnings, [](const std::string& text) { return text.find("skipped") != text.npos; });
}

StampedImage stamped(std::int64_t ms) { return {ms * kTopicMs, {}}; }

}  // namespace

TEST(TopicSource, ColourAndDepthAreFoundAndJoined) {
  CameraNode camera(3);
  camera.start();
  const auto source = open_topic_source(camera.node, {}, kQuick);
  EXPECT_TRUE(source->has_color() && source->has_depth() && source->has_camera() && source->is_live());
  for (int i = 0; i < 3; ++i) {
    const auto captured = source->next();
    ASSERT_TRUE(captured);
    EXPECT_EQ(captured->frame->color(0, 1), (image::Rgb{4, 5, 6}));
    EXPECT_EQ(captured->frame->depth_mm(0, 1), 20);
    EXPECT_EQ(captured->frame_id, "optical");
    EXPECT_EQ((captured->stamp_ns - kTopicStart) % (33 * kTopicMs), 0) << "the stamp of colour";
    ASSERT_TRUE(captured->frame->camera);
    EXPECT_EQ(captured->frame->camera->fx, 5);
  }
}

TEST(TopicSource, OnlyWhatIsUsedStaysSubscribed) {
  CameraNode camera;
  camera.start();
  const auto source = open_topic_source(camera.node, {}, kQuick);
  EXPECT_EQ(camera.node->num_subscribers(kColorTopic), 1u);
  EXPECT_EQ(camera.node->num_subscribers("/camera/color/camera_info"), 0u);
  const auto depth_only = open_topic_source(camera.node, {.depth = kDepthTopic}, kQuick);
  EXPECT_FALSE(depth_only->has_color());
  EXPECT_EQ(camera.node->num_subscribers(kColorTopic), 1u);
  EXPECT_TRUE(depth_only->next());
}

TEST(TopicSource, TheNewestFrameCounts) {
  CameraNode camera;
  camera.start();
  const auto source = open_topic_source(camera.node, {}, kQuick);
  quieten(camera, *source);
  for (int i = 1000; i < 1006; ++i) camera.send(i);
  EXPECT_EQ(source->next()->stamp_ns, kTopicStart + 1005 * 33 * kTopicMs);
}

// Invalid messages of other nodes must not end the run, because the next message may be valid.
TEST(TopicSource, MessagesThatCannotBeReadAreLeftOut) {
  CameraNode camera;
  camera.start();
  const auto source = open_topic_source(camera.node, {}, kQuick);
  quieten(camera, *source);
  const ros::EncodedMessage wrong[] = {
      {},
      {0, 1, 0, 0},
      {9, 9, 9, 9, 9},
      image_message({.stamp_ns = kTopicStart + 999 * 33 * kTopicMs, .encoding = "yuv422", .data = {1}}),
      image_message({.stamp_ns = kTopicStart + 999 * 33 * kTopicMs, .rows = 4'000'000'000, .data = {1, 2, 3}})};
  for (const ros::EncodedMessage& message : wrong) {
    camera.node->send(kColorTopic, ros::kImageType, message);
    camera.node->send(kDepthTopic, ros::kImageType, message);
  }
  camera.send(1000);
  EXPECT_EQ(source->next()->stamp_ns, kTopicStart + 1000 * 33 * kTopicMs);
}

// Anybody on the network may send a message before the camera does.
TEST(TopicSource, DamagedMessagesAtTheBeginningAreLeftOutAndSaidOnce) {
  CameraNode camera;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const ros::EncodedMessage& message :
       {ros::EncodedMessage{9, 9, 9}, ros::write_message(std::vector<ros::Transform>{{{}, "a", {nan, 0, 0}, {}}})})
    camera.node->send("/tf_static", ros::kTransformsType, message, /*latched=*/true);
  camera.node->send("/camera/color/camera_info", ros::kCameraInfoType, {0, 1, 0, 0, 5}, /*latched=*/true);
  camera.node->send(kColorTopic, ros::kImageType, {0, 1, 0, 0}, /*latched=*/true);
  camera.start();
  const auto source = open_topic_source(camera.node, {}, kQuick);
  EXPECT_TRUE(source->has_color() && source->has_depth() && source->has_camera());
  const auto captured = source->next();
  ASSERT_TRUE(captured);
  EXPECT_EQ(num_skip_warnings(*source), 1);
}

TEST(TopicSource, AnImageOfAnotherSizeIsLeftOutAndSaidOnce) {
  CameraNode camera;
  camera.start();
  const auto source = open_topic_source(camera.node, {.color = kColorTopic}, kQuick);
  quieten(camera, *source);
  EXPECT_EQ(num_skip_warnings(*source), 0);
  for (int i = 1000; i < 1003; ++i) {
    camera.node->send(kColorTopic, ros::kImageType,
                      image_message({.stamp_ns = kTopicStart + i * 33 * kTopicMs, .cols = 1, .data = {1, 2, 3}}));
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      camera.send(i);
    });
    const auto captured = source->next();
    later.join();
    ASSERT_TRUE(captured);
    EXPECT_EQ(captured->frame->cols(), 2u);
    EXPECT_EQ(num_skip_warnings(*source), 1);
  }
}

TEST(TopicSource, WhatIsPublishedIsToldWhereNoImageComes) {
  const auto node = std::make_shared<ros::FakeNode>();
  testdata::expect_refused(ErrorKind::kDevice, [&] { open_topic_source(node, {}, kQuick); });
  node->send("/chatter", "std_msgs/String", {0, 1, 0, 0});
  testdata::expect_refused(ErrorKind::kDevice, [&] { open_topic_source(node, {}, kQuick); });
  testdata::expect_refused(ErrorKind::kDevice, [&] { open_topic_source(node, {.color = "/no"}, kQuick); });
}

TEST(TopicSource, StopEndsTheWait) {
  CameraNode camera;
  camera.start();
  const auto source = open_topic_source(camera.node, {}, kQuick);
  camera.stop();
  std::thread stopper([&] { source->stop(); });
  while (source->next()) {
  }
  stopper.join();
}

TEST(TopicSource, OnlyTopicsStandBehindTheColon) {
  for (const char* place : {"/camera", "?colour=/x"})
    testdata::expect_refused(ErrorKind::kUsage, [&] { open_ros_source(place); });
}

TEST(StampPairs, TheNewestThatBelongTogether) {
  StampPairs pairs;
  for (const std::int64_t ms : {0, 33, 66}) pairs.add_color(stamped(ms));
  EXPECT_FALSE(pairs.take());
  for (const std::int64_t ms : {1, 30}) pairs.add_depth(stamped(ms));
  const auto pair = pairs.take();
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->color.stamp_ns, 33 * kTopicMs);
  EXPECT_EQ(pair->depth.stamp_ns, 30 * kTopicMs);
  EXPECT_FALSE(pairs.take()) << "older ones are forgotten";
  pairs.add_depth(stamped(60));
  EXPECT_EQ(pairs.take()->color.stamp_ns, 66 * kTopicMs);
}

TEST(StampPairs, ClocksThatDifferAreMeasured) {
  StampPairs pairs;
  for (const std::int64_t ms : {0, 33}) pairs.add_color(stamped(ms));
  for (const std::int64_t ms : {5000, 5033}) pairs.add_depth(stamped(ms));
  EXPECT_FALSE(pairs.take());
  EXPECT_NEAR(*pairs.least_difference_s(), 4.967, 1e-9);
}

// Stamps that restart many times: images without a partner in an earlier round must not block later pairs.
TEST(StampPairs, StampsMayJumpBack) {
  StampPairs pairs;
  for (int round = 0; round < 100; ++round)
    for (const std::int64_t ms : {0, 33, 66}) {
      if (ms < 66) pairs.add_color(stamped(ms));
      pairs.add_depth(stamped(ms));
      if (ms < 66) {
        const auto pair = pairs.take();
        ASSERT_TRUE(pair) << round;
        EXPECT_EQ(pair->color.stamp_ns, ms * kTopicMs);
      }
    }
}

}  // namespace fernwood::recordings
