// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/publish/label_publisher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/recordings/mcap_recorder.h"
#include "ros/fake_node.h"

namespace fernwood::publish {

namespace {

image::ClassMap classes(std::size_t count = 2) {
  image::ClassMap map;
  for (std::size_t i = 0; i < count; ++i)
    map.classes.push_back({"class" + std::to_string(i), {static_cast<std::uint8_t>(i), 200, 0}});
  return map;
}

/// Two pixels, of class 1 and of none; the second one has no depth.
struct Labelled {
  recordings::CapturedFrame captured;
  image::LabelImage labels{1, 2};
  std::vector<Array2<float>> probabilities;

  Labelled() {
    auto frame = std::make_shared<image::Frame>();
    frame->color = Array2<image::Rgb>(1, 2);
    frame->depth_mm = Array2<std::uint16_t>(1, 2);
    frame->depth_mm(0, 0) = 2000;
    frame->camera = image::Camera{2, 1, 4, 4, 0.5f, 0};
    captured = {frame, 1.5, "frame 0", std::nullopt, 1'500'000'000, "optical"};
    labels(0, 0) = 1;
    labels(0, 1) = image::kVoid;
    probabilities.assign(2, Array2<float>(1, 2));
    probabilities[1](0, 0) = 0.8f;
  }
};

ros::CodedMessage coded(const ros::EncodedMessage& message) { return {message, ros::MessageCoding::kCdr, "test"}; }

float float_at(std::span<const std::uint8_t> data, std::size_t at) {
  float number;
  std::memcpy(&number, data.data() + at, sizeof(number));
  return number;
}

}  // namespace

TEST(LabelPublisher, TheClassesAreThereBeforeAnyMask) {
  const auto node = std::make_shared<ros::FakeNode>();
  const LabelPublisher publisher(node, classes());
  const auto late = node->subscribe("/segmentation/label_info", ros::kLabelInfoType, ros::Qos::kLatched);
  const auto message = late->take();
  ASSERT_TRUE(message) << "latched";
  const ros::LabelInfo info = ros::read_label_info(coded(*message));
  ASSERT_EQ(info.class_map.size(), 2u);
  EXPECT_EQ(info.class_map[1].class_id, 1);
  EXPECT_EQ(info.class_map[1].class_name, "class1");
}

TEST(LabelPublisher, MaskConfidenceAndPointsHaveTheHeaderOfTheFrame) {
  const auto node = std::make_shared<ros::FakeNode>();
  LabelPublisher publisher(node, classes());
  EXPECT_FALSE(publisher.wants_probabilities());
  const Labelled labelled;
  publisher.publish(labelled.captured, labelled.labels, labelled.probabilities);
  EXPECT_TRUE(node->sent("/segmentation/mask").empty()) << "nobody subscribes";

  std::vector<std::unique_ptr<ros::Subscription>> subscriptions;
  for (const char* topic : {"mask", "confidence", "overlay", "points"})
    subscriptions.push_back(node->subscribe(std::string("/segmentation/") + topic, "", ros::Qos::kSensorData));
  EXPECT_TRUE(publisher.wants_probabilities());
  publisher.publish(labelled.captured, labelled.labels, labelled.probabilities);

  const auto mask_message = node->sent("/segmentation/mask"),
             confidence_message = node->sent("/segmentation/confidence");
  ASSERT_EQ(mask_message.size(), 1u);
  ASSERT_EQ(confidence_message.size(), 1u);
  const ros::Image mask = ros::read_image(coded(mask_message[0]));
  EXPECT_EQ(mask.header.stamp_ns, 1'500'000'000);
  EXPECT_EQ(mask.header.frame_id, "optical");
  EXPECT_EQ(mask.encoding, "mono8");
  EXPECT_EQ(mask.width, 2u);
  EXPECT_EQ(std::vector(mask.data.begin(), mask.data.end()), (std::vector<std::uint8_t>{1, recordings::kNoClass}));
  const ros::Image confidence = ros::read_image(coded(confidence_message[0]));
  EXPECT_EQ(std::vector(confidence.data.begin(), confidence.data.end()), (std::vector<std::uint8_t>{204, 0}));

  const auto points_message = node->sent("/segmentation/points");
  ASSERT_EQ(points_message.size(), 1u);
  const ros::PointCloud points = ros::read_point_cloud(coded(points_message[0]));
  EXPECT_EQ(points.header.stamp_ns, 1'500'000'000);
  EXPECT_EQ(points.height, 1u);
  EXPECT_EQ(points.width, 2u);
  EXPECT_EQ(points.is_dense, 0);
  ASSERT_EQ(points.data.size(), 2 * points.point_step);
  EXPECT_FLOAT_EQ(float_at(points.data, PointLayout::kX), (0 - 0.5f) / 4 * 2);
  EXPECT_FLOAT_EQ(float_at(points.data, PointLayout::kZ), 2);
  EXPECT_EQ(points.data[PointLayout::kClass], 1);
  EXPECT_EQ(points.data[PointLayout::kConfidence], 204);
  EXPECT_TRUE(std::isnan(float_at(points.data, points.point_step + PointLayout::kZ)));
  EXPECT_EQ(points.data[points.point_step + PointLayout::kClass], recordings::kNoClass);
  EXPECT_EQ(node->sent("/segmentation/overlay").size(), 1u);
}

TEST(LabelPublisher, FramesWithoutAHeaderGetOne) {
  const auto node = std::make_shared<ros::FakeNode>();
  LabelPublisher publisher(node, classes(), {}, "front_camera");
  const auto mask = node->subscribe("/segmentation/mask", "", ros::Qos::kSensorData);
  Labelled labelled;
  labelled.captured.stamp_ns = 0;
  labelled.captured.frame_id.clear();
  publisher.publish(labelled.captured, labelled.labels, {});
  const auto message = mask->take();
  ASSERT_TRUE(message);
  const ros::Image image = ros::read_image(coded(*message));
  EXPECT_EQ(image.header.frame_id, "front_camera");
  EXPECT_GT(image.header.stamp_ns, 1'600'000'000'000'000'000);
}

TEST(LabelPublisher, AByteHasRoomFor255Classes) {
  const auto node = std::make_shared<ros::FakeNode>();
  EXPECT_NO_THROW(LabelPublisher(node, classes(255)));
  EXPECT_THROW(LabelPublisher(node, classes(256)), Error);
}

TEST(LabelPublisher, StateGoesOutOnceASecond) {
  const auto node = std::make_shared<ros::FakeNode>();
  LabelPublisher publisher(node, classes());
  const predict::LiveReport report;
  for (int i = 0; i < 5; ++i) publisher.publish_state({"cpu", "m", report, 12.5, "the camera stalls"});
  const auto sent = node->sent("/diagnostics");
  ASSERT_EQ(sent.size(), 1u);
  const ros::Diagnostics diagnostics = ros::read_diagnostics(coded(sent[0]));
  ASSERT_EQ(diagnostics.status.size(), 1u);
  EXPECT_EQ(diagnostics.status[0].level, ros::DiagnosticStatus::kError);
  EXPECT_EQ(diagnostics.status[0].message, "the camera stalls");
  EXPECT_EQ(diagnostics.status[0].values[0].value, "12.5");
}

TEST(LabelPublisher, TopicsWithoutMessagesAreInTheState) {
  const auto node = std::make_shared<ros::FakeNode>();
  LabelPublisher publisher(node, classes());
  const predict::LiveReport report;
  publisher.publish_state({"cpu", "m", report, 12.5, "", {"/mask: deadline", "/map: durability"}});
  const std::vector<ros::EncodedMessage> sent = node->sent("/diagnostics");
  const ros::Diagnostics diagnostics = ros::read_diagnostics(coded(sent.at(0)));
  EXPECT_EQ(diagnostics.status[0].level, ros::DiagnosticStatus::kWarn);
  EXPECT_EQ(diagnostics.status[0].message, "/mask: deadline");
  EXPECT_EQ(diagnostics.status[0].values.back().value, "/map: durability");
}

/// A map of one wall, 2 m ahead of the camera, whose class has this name.
map::VoxelMap map_of_wall(const std::string& name) {
  map::VoxelMap map({.min_weight = 1}, {{{name, {1, 2, 3}}}, {}, {}});
  image::Frame frame;
  frame.depth_mm = Array2<std::uint16_t>(60, 80, 2000);
  frame.camera = image::Camera{80, 60, 80, 80, 39.5f, 29.5f};
  ThreadPool pool(1);
  map.integrate_labels(frame, {}, image::LabelImage(60, 80), pool);
  return map;
}

TEST(LabelPublisher, AMapHasPointsAndAGridWhereAClassIsFloor) {
  const auto node = std::make_shared<ros::FakeNode>();
  LabelPublisher publisher(node, classes());
  const Labelled labelled;
  publisher.publish(labelled.captured, labelled.labels, {}, 77);
  publisher.publish_map(map_of_wall("wall"));
  EXPECT_EQ(node->sent("/segmentation/map").size(), 1u);
  EXPECT_TRUE(node->sent("/segmentation/grid").empty());
  publisher.publish_map(map_of_wall("floor"));
  const std::vector<ros::EncodedMessage> sent = node->sent("/segmentation/grid");
  ASSERT_EQ(sent.size(), 1u);
  const ros::OccupancyGrid grid = ros::read_occupancy_grid(coded(sent[0]));
  EXPECT_EQ(grid.header.frame_id, "map");
  EXPECT_EQ(grid.header.stamp_ns, 77) << "of the last frame";
  EXPECT_EQ(grid.info.resolution, 0.05f);
  ASSERT_EQ(grid.data.size(), std::size_t{grid.info.width} * grid.info.height);
  EXPECT_NEAR(grid.info.width * 0.05, 2.0, 0.11);   // up is against the view: x to the right,
  EXPECT_NEAR(grid.info.height * 0.05, 1.5, 0.11);  // y up in the image
  EXPECT_GT(std::ranges::count(grid.data, 0), static_cast<std::ptrdiff_t>(grid.data.size() / 2));
  EXPECT_NEAR(grid.info.origin_m[0], -1, 0.06);
  EXPECT_NEAR(grid.info.origin_m[1], 0.75, 0.06);
  EXPECT_NEAR(grid.info.origin_m[2], 2, 0.01);
  EXPECT_NEAR(std::abs(grid.info.origin_rotation[0]), 1, 1e-6) << "half a turn about x";
}

TEST(LabelPublisher, ObjectsAreDetectionsAndMarkers) {
  const auto node = std::make_shared<ros::FakeNode>();
  LabelPublisher publisher(node, classes());
  Labelled labelled;
  objects::FrameObjects found;
  found.objects.resize(2);
  found.objects[0].number = 1;  // its depth is unknown
  objects::Object& near = found.objects[1];
  near.number = 2;
  near.label = 1;
  near.confidence = 0.5f;
  near.distance_m = 1.25f;
  // Left-handed axes, as a mirrored camera frame: x, then z, then up = -y.
  near.box = {{1, 2, 3}, {{{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}}, {0.5f, 0.25f, 2}};
  publisher.publish_objects(labelled.captured, found);
  publisher.publish_objects(labelled.captured, found, std::vector<std::uint32_t>{7, 90});
  const auto sent = node->sent("/segmentation/objects");
  ASSERT_EQ(sent.size(), 2u);
  const ros::Detections in_camera = ros::read_detections(coded(sent[0]));
  EXPECT_EQ(in_camera.header.frame_id, "optical");
  EXPECT_EQ(in_camera.header.stamp_ns, 1'500'000'000);
  ASSERT_EQ(in_camera.detections.size(), 1u);
  const ros::Detection3D& detection = in_camera.detections[0];
  EXPECT_EQ(detection.id, "2");
  ASSERT_EQ(detection.results.size(), 1u);
  EXPECT_EQ(detection.results[0].class_id, "class1");
  EXPECT_EQ(detection.results[0].score, 0.5);
  EXPECT_EQ(detection.size_m, (std::array<double, 3>{0.5, 0.25, 2}));
  EXPECT_EQ(detection.center.position_m, (std::array<double, 3>{1, 2, 3}));
  EXPECT_NEAR(std::abs(detection.center.rotation[0]), std::sqrt(0.5), 1e-6) << "a quarter turn about x";
  EXPECT_NEAR(std::abs(detection.center.rotation[3]), std::sqrt(0.5), 1e-6);

  EXPECT_EQ(ros::read_detections(coded(sent[1])).detections.at(0).id, "90");
  const auto late = node->subscribe("/segmentation/objects", ros::kDetectionsType, ros::Qos::kLatched);
  EXPECT_EQ(late->take(), sent[1]);
  const auto marked = node->sent("/segmentation/object_markers");
  const std::vector<ros::Marker> markers = ros::read_markers(coded(marked.at(0)));
  ASSERT_EQ(markers.size(), 3u);
  EXPECT_EQ(markers[0].action, ros::Marker::kDeleteAll);
  EXPECT_EQ(markers[1].type, ros::Marker::kCube);
  EXPECT_EQ(markers[1].id, 2);
  EXPECT_EQ(markers[1].scale_m, detection.size_m);
  EXPECT_EQ(markers[2].text, "class1 2, 1.2 m");
}

TEST(LabelTopics, NamesAreThoseOfRecordings) {
  using Recorded = recordings::McapTopics;
  const LabelTopics topics;
  EXPECT_EQ(topics.overlay, Recorded::kOverlay);
  EXPECT_EQ(topics.points, Recorded::kPoints);
  EXPECT_EQ(topics.map, Recorded::kMap);
  EXPECT_EQ(topics.grid, Recorded::kGrid);
  EXPECT_EQ(topics.objects, Recorded::kObjects);
  EXPECT_EQ(topics.object_markers, Recorded::kObjectMarkers);
}

TEST(ParameterChanges, MessagesAreNamesAndValues) {
  ros::FakeNode node;
  const auto parameters = node.subscribe("/parameters", ros::kStringType, ros::Qos::kReliable);
  const auto send = [&](const ros::EncodedMessage& message) { node.send("/parameters", ros::kStringType, message); };
  for (const char* text : {"smooth=80", "camera=", "a=b=c"}) send(ros::write_message(ros::Text{text}));
  std::vector<std::string> problems;
  const auto changes = take_changes(*parameters, "/parameters", problems);
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].name + "|" + changes[0].value, "smooth|80");
  EXPECT_EQ(changes[1].name + "|" + changes[1].value, "camera|");
  EXPECT_EQ(changes[2].name + "|" + changes[2].value, "a|b=c");
  EXPECT_TRUE(problems.empty());
  for (const char* text : {"", "=1", "\x1b[2J"}) send(ros::write_message(ros::Text{text}));
  send({1, 2, 3});
  EXPECT_TRUE(take_changes(*parameters, "/parameters", problems).empty());
  ASSERT_EQ(problems.size(), 4u);
}

TEST(LabelTopics, RulesOfRosRename) {
  LabelTopics topics;
  topics.remap({"/segmentation/mask:=/robot/floor", "segmentation/points:=cloud", "__ns:=/front"});
  EXPECT_EQ(topics.mask, "/robot/floor");
  EXPECT_EQ(topics.points, "/front/cloud");
  EXPECT_EQ(topics.confidence, "/front/segmentation/confidence");
  EXPECT_EQ(topics.diagnostics, "/diagnostics");
}

TEST(PublishingOptions, AreSetByTheirNamesAndChecked) {
  PublishingOptions options;
  EXPECT_FALSE(options.is_wanted());
  set_option("remap", "/segmentation/mask:=/robot/floor, __ns:=/front", options);
  EXPECT_THROW(options.check(), Error) << "rules are of what is published";
  EXPECT_THROW(set_option("publish", "dds:", options), OptionError);
  set_option("publish", "ros:", options);
  EXPECT_NO_THROW(options.check());
  EXPECT_EQ(options.topics().mask, "/robot/floor");
  EXPECT_EQ(options.topics().map, "/front/segmentation/map");
  set_option("remap", "/segmentation/mask:=/2", options);
  EXPECT_THROW(options.check(), Error);
}

TEST(LabelTopics, RulesThatAreNoneAreErrors) {
  for (const char* rule :
       {"", "x", ":=/a", "/segmentation/mask:=", "/segmentation/mask:=/2", "/other:=/a", "__ns:=a"}) {
    LabelTopics topics;
    EXPECT_THROW(topics.remap({rule}), Error) << rule;
  }
}

}  // namespace fernwood::publish
