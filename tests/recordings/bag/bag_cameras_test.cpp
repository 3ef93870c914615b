// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/bag/bag_cameras.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dataset/test_files.h"
#include "recordings/bag/bag_recording.h"
#include "recordings/bag/bag_writer.h"
#include "sentences.h"

namespace fernwood::recordings {

using namespace dataset;

namespace {

constexpr std::uint32_t kRows = 6, kCols = 8;

/// One frame of two cameras; the depth is 1000 mm everywhere.
struct TwoCameras {
  std::string depth_topic = "/camera/depth/image_rect_raw", color_frame = "color_optical",
              depth_frame = "depth_optical";
  std::uint32_t depth_rows = kRows, depth_cols = kCols;
  bool has_color_info = true, has_depth_info = true;
  TestInfo color_info = {.rows = kRows, .cols = kCols, .fx = 10, .fy = 10, .cx = 3.5, .cy = 2.5};
  TestInfo depth_info = {.rows = kRows, .cols = kCols, .fx = 10, .fy = 10, .cx = 3.5, .cy = 2.5};
  std::vector<TestTransform> transforms = {};
};

Bytes recording_of(TwoCameras cameras) {
  std::vector<TestTopic> topics;
  topics.push_back({"/camera/color/image_raw",
                    "sensor_msgs/msg/Image",
                    {{1, image_message({.stamp_ns = 1,
                                        .frame_id = cameras.color_frame,
                                        .rows = kRows,
                                        .cols = kCols,
                                        .data = Bytes(kRows * kCols * 3, 9)})}}});
  ByteWriter depth;
  for (std::uint32_t i = 0; i < cameras.depth_rows * cameras.depth_cols; ++i) depth.number(std::uint16_t{1000});
  topics.push_back({cameras.depth_topic,
                    "sensor_msgs/msg/Image",
                    {{1, image_message({.stamp_ns = 1,
                                        .frame_id = cameras.depth_frame,
                                        .encoding = "16UC1",
                                        .rows = cameras.depth_rows,
                                        .cols = cameras.depth_cols,
                                        .data = depth.bytes})}}});
  cameras.color_info.frame_id = cameras.color_frame;
  cameras.depth_info.frame_id = cameras.depth_frame;
  if (cameras.has_color_info)
    topics.push_back(
        {"/camera/color/camera_info", "sensor_msgs/msg/CameraInfo", {{1, info_message(cameras.color_info)}}});
  if (cameras.has_depth_info)
    topics.push_back(
        {"/camera/depth/camera_info", "sensor_msgs/msg/CameraInfo", {{1, info_message(cameras.depth_info)}}});
  if (!cameras.transforms.empty())
    topics.push_back({"/tf_static", "tf2_msgs/msg/TFMessage", {{1, transforms_message(cameras.transforms)}}});
  return mcap_bytes(topics);
}

struct Opened {
  DatasetConfig config;
  std::string notes;
  image::Frame frame;
};
Opened open(const TwoCameras& cameras) {
  const TestFolder folder;
  const BagRecording recording(folder.write("a.mcap", recording_of(cameras)), {});
  Opened opened{recording.config(), {}, recording.read_frame(0)};
  for (const std::string& note : recording.notes()) opened.notes += note + "\n";
  return opened;
}
void expect_refused(const TwoCameras& cameras) {
  testdata::expect_refused(ErrorKind::kData, [&] { open(cameras); });
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(BagCameras, DepthOfTheSameCameraIsAligned) {
  const Opened opened = open({.depth_frame = "color_optical"});
  EXPECT_FALSE(opened.config.cameras.has_value());
  EXPECT_EQ(opened.config.camera, (image::Camera{8, 6, 10, 10, 3.5f, 2.5f}));
  EXPECT_FALSE(has(opened.notes, "taken for aligned"));
}

TEST(BagCameras, NormalisedFocalLengthsAreTold) {
  const TestInfo normalised = {.rows = kRows, .cols = kCols, .fx = 0.7, .fy = 0.7, .cx = 3.5, .cy = 2.5};
  const Opened opened = open({.depth_frame = "color_optical", .color_info = normalised, .depth_info = normalised});
  testdata::expect_sentence(opened.notes);
  EXPECT_FALSE(has(open({.depth_frame = "color_optical"}).notes, "fx is"));
}

TEST(BagCameras, EqualCamerasWithoutATransformAreOne) { EXPECT_FALSE(open({}).config.cameras.has_value()); }

TEST(BagCameras, ATopicThatIsCalledAlignedIsAligned) {
  for (const char* topic :
       {"/camera/aligned_depth_to_color/image_raw", "/camera/depth_registered/image_raw", "/depth_to_rgb/image_raw"})
    EXPECT_FALSE(open({.depth_topic = topic, .depth_info = {.fx = 20}}).config.cameras.has_value());
}

// The depth camera is 0.1 m to the right of the colour camera: at 1 m and a focal length of 10 pixels, one pixel.
TEST(BagCameras, OtherCamerasAreAlignedByTheTransforms) {
  const Opened opened =
      open({.transforms = {{"base", "color_optical", {1, 2, 3}}, {"color_optical", "depth_optical", {0.1, 0, 0}}}});
  ASSERT_TRUE(opened.config.cameras.has_value());
  EXPECT_EQ(opened.config.cameras->translation_m, (std::array<float, 3>{0.1f, 0, 0}));
  testdata::expect_sentence(opened.notes);
  EXPECT_EQ(opened.frame.depth_mm(3, 0), 0);
  for (std::size_t col = 1; col < kCols; ++col) EXPECT_EQ(opened.frame.depth_mm(3, col), 1000);
}

TEST(BagCameras, UnequalCamerasWithoutATransformAreRefusedWithTheRemedy) {
  TwoCameras cameras;
  cameras.depth_info.fx = 20;
  expect_refused(cameras);
  cameras.transforms = {{"base", "color_optical"}, {"other", "depth_optical"}};
  expect_refused(cameras);
  cameras.transforms = {{"base", "color_optical"}, {"color_optical", "base"}, {"base", "depth_optical"}};
  expect_refused(cameras);  // a cycle
}

TEST(BagCameras, WithoutCamerasEqualProportionsAreTakenForTheSameView) {
  const Opened equal = open({.has_depth_info = false});
  testdata::expect_sentence(equal.notes);
  const Opened half = open({.depth_rows = kRows / 2, .depth_cols = kCols / 2, .has_color_info = false});
  testdata::expect_sentence(half.notes);
  EXPECT_EQ(half.frame.depth_mm, Array2<std::uint16_t>(kRows, kCols, 1000));
  expect_refused({.depth_rows = 2, .depth_cols = 7, .has_color_info = false});
}

/// Decodes an encoded message, because the strings of a CameraInfo are views of its bytes.
BagCamera camera_of(const TestInfo& info, const FrameSize& size, bool is_rectified,
                    ros::MessageCoding coding = ros::MessageCoding::kCdr) {
  const Bytes bytes = info_message(info, coding);
  return camera_of_info(ros::read_camera_info({bytes, coding, "a"}), size, is_rectified);
}

TEST(BagCameras, ACameraWithoutCalibrationIsNone) {
  const Opened opened = open({.color_info = {.fx = 0, .fy = 0}, .depth_info = {.fx = 0, .fy = 0}});
  EXPECT_FALSE(opened.config.camera.has_value());
  testdata::expect_sentence(opened.notes);
}

TEST(BagCameras, OfKAndPTheOtherOneIsUsedWhereOneIsEmpty) {
  const std::array<double, 12> p = {70, 0, 4, 0, 0, 80, 3, 0, 0, 0, 1, 0};
  const Opened opened =
      open({.has_depth_info = false, .color_info = {.rows = kRows, .cols = kCols, .fx = 0, .fy = 0, .p = p}});
  EXPECT_EQ(opened.config.camera, (image::Camera{8, 6, 70, 80, 4, 3}));
  EXPECT_TRUE(opened.config.camera_origin.ends_with("/camera/color/camera_info"));
  const TestInfo without_p = {.rows = 6, .cols = 8};
  EXPECT_EQ(camera_of(without_p, {6, 8}, true).camera, (image::Camera{8, 6, 5, 6, 0.5f, 0.25f}));
}

TEST(BagCameras, ACameraOfOtherProportionsThanTheImageIsTold) {
  testdata::expect_sentence(open({.has_depth_info = false, .color_info = {.rows = 9, .cols = 8}}).notes);
}

/// A recording by Intel's SDK: the reference is depth, and colour is turned by a quarter about z and 0.1 m away.
TEST(BagCameras, IntelsSdkDescribesPlacesAndTheUnitOfDepthByItsOwnTopics) {
  const std::string depth = "/device_0/sensor_0/Depth_0", color = "/device_0/sensor_1/Color_0";
  const auto transform = [](const std::array<double, 3>& translation, const std::array<double, 4>& rotation) {
    return RosWriter(ros::MessageCoding::kCdr).numbers(translation).numbers(rotation).finish();
  };
  const TestInfo info = {.frame_id = "0", .rows = kRows, .cols = kCols, .fx = 10, .fy = 10, .cx = 3.5, .cy = 2.5};
  ByteWriter steps;
  for (std::uint32_t i = 0; i < kRows * kCols; ++i) steps.number(std::uint16_t{4000});
  const TestImage color_image = {
      .stamp_ns = 1, .frame_id = "0", .rows = kRows, .cols = kCols, .data = Bytes(kRows * kCols * 3, 9)};
  const TestImage depth_image = {
      .stamp_ns = 1, .frame_id = "0", .encoding = "mono16", .rows = kRows, .cols = kCols, .data = steps.bytes};
  const double half = std::sqrt(0.5);
  std::vector<TestTopic> topics = {
      {color + "/image/data", "sensor_msgs/msg/Image", {{1, image_message(color_image)}}},
      {depth + "/image/data", "sensor_msgs/msg/Image", {{1, image_message(depth_image)}}},
      {color + "/info/camera_info", "sensor_msgs/msg/CameraInfo", {{1, info_message(info)}}},
      {depth + "/info/camera_info", "sensor_msgs/msg/CameraInfo", {{1, info_message(info)}}},
      {"/device_0/sensor_0/option/Depth_Units/value",
       "std_msgs/msg/Float32",
       {{1, RosWriter(ros::MessageCoding::kCdr).number(0.00025f).finish()}}},
      {color + "/tf/0", "geometry_msgs/msg/Transform", {{1, transform({0.1, 0, 0}, {0, 0, half, half})}}},
      {depth + "/tf/0", "geometry_msgs/msg/Transform", {{1, transform({0, 0, 0}, {0, 0, 0, 1})}}}};
  const TestFolder folder;
  const BagRecording recording(folder.write("a.mcap", mcap_bytes(topics)), {});
  ASSERT_TRUE(recording.config().cameras.has_value());
  const std::array<float, 9> turn = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(recording.config().cameras->rotation[i], turn[i], 1e-6);
  const std::array<float, 3> shift = {0.1f, 0, 0};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(recording.config().cameras->translation_m[i], shift[i], 1e-6);
  EXPECT_EQ(recording.read_depth(0, std::nullopt)(0, 0), 1000);
}

TEST(BagCameras, LensesOfOtherModelsAreRefusedWhereTheyCount) {
  TwoCameras cameras{.transforms = {{"color_optical", "depth_optical", {0.1, 0, 0}}}};
  cameras.color_info.model = "equidistant";
  cameras.color_info.d = {0, 0, 0, 0};
  EXPECT_TRUE(open(cameras).config.cameras.has_value()) << "zeros distort nothing in any model";
  cameras.color_info.d = {0.1, 0, 0, 0};
  expect_refused(cameras);
  cameras.color_info.model = "rational_polynomial";
  cameras.color_info.d = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
  const auto lens = open(cameras).config.cameras->color_distortion;
  EXPECT_EQ(lens, (image::Distortion{0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f}));
}

TEST(BagCameras, RectifiedPicturesHaveTheIntrinsicsOfP) {
  const TestInfo info = {.rows = 6, .cols = 8, .d = {0.5}, .p = {7, 0, 4, 0, 0, 8, 3, 0, 0, 0, 1, 0}};
  for (const ros::MessageCoding coding : {ros::MessageCoding::kCdr, ros::MessageCoding::kRos1}) {
    const auto rectified = camera_of(info, {6, 8}, true, coding);
    EXPECT_EQ(rectified.camera, (image::Camera{8, 6, 7, 8, 4, 3}));
    EXPECT_EQ(rectified.distortion, image::Distortion{});
    const auto raw = camera_of(info, {6, 8}, false, coding);
    EXPECT_EQ(raw.camera, (image::Camera{8, 6, 5, 6, 0.5f, 0.25f}));
    EXPECT_EQ(raw.distortion[0], 0.5f);
  }
}

TEST(BagCameras, ARegionOfInterestMovesThePrincipalPoint) {
  const TestInfo info = {.rows = 60, .cols = 80, .cx = 40, .cy = 30, .binning_and_roi = {2, 2, 10, 20, 30, 40}};
  EXPECT_EQ(camera_of(info, {15, 20}, false).camera, (image::Camera{40, 30, 5, 6, 30, 10}));
}

ros::Transform joint(std::string_view parent, std::string_view child, const std::array<double, 3>& translation_m = {},
                     const std::array<double, 4>& rotation = {0, 0, 0, 1}, std::int64_t stamp_ns = 0) {
  return {{stamp_ns, parent}, child, translation_m, rotation};
}

// A quarter turn about z rotates x to y: the child's (1, 0, 0) is the parent's (0, 1, 0).
TEST(FrameTree, WalksToTheCommonRoot) {
  const double half = std::sqrt(0.5);
  FrameTree tree;
  tree.add(joint("base", "left", {0, 0, 5}, {0, 0, half, half}), true);
  tree.add(joint("/base", "/right", {1, 0, 0}, {0, 0, 0, 2}), true);  // not normalised
  const auto right_to_left = tree.transform("right", "left");
  ASSERT_TRUE(right_to_left.has_value());
  const std::array<double, 9> turn = {0, 1, 0, -1, 0, 0, 0, 0, 1};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(right_to_left->rotation[i], turn[i], 1e-12);
  const std::array<double, 3> translation = {0, -1, -5};  // (1, 0, 0) - (0, 0, 5) = (1, 0, -5), rotated back
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(right_to_left->translation_m[i], translation[i], 1e-12);
  EXPECT_FALSE(tree.transform("right", "elsewhere").has_value());
}

constexpr std::int64_t kMs = 1'000'000;

// The base moves along x at 1 m/s; the camera is 5 m above it, rotated by a half turn about z.
FrameTree moving_tree() {
  FrameTree tree;
  tree.add(joint("base", "camera", {0, 0, 5}, {0, 0, 1, 0}), true);
  for (const std::int64_t ms : {3000, 1000, 1900})  // in any order
    tree.add(joint("odom", "base", {static_cast<double>(ms) / 1000, 0, 0}, {0, 0, 0, 1}, ms * kMs), false);
  tree.sort_by_time();
  return tree;
}

TEST(FrameTree, WhatMovesIsInterpolatedWhereTransformsAreNear) {
  const FrameTree tree = moving_tree();
  EXPECT_EQ(tree.path_to_root("/camera").root, "odom");
  EXPECT_TRUE(tree.path_to_root("camera").moves && tree.moves());
  for (const std::int64_t ms : {985, 1000, 1300, 1900, 1915, 3000, 3020}) {
    const auto pose = tree.to_root_at("camera", ms * kMs);
    ASSERT_TRUE(pose.has_value()) << ms;
    const double x = ms < 1000 ? 1 : ms == 1915 ? 1.9 : ms > 3000 ? 3 : static_cast<double>(ms) / 1000;
    EXPECT_NEAR(pose->translation_m[0], x, 1e-12);
    EXPECT_EQ(pose->translation_m[2], 5);
    EXPECT_NEAR(pose->rotation[0], -1, 1e-12);
  }
  for (const std::int64_t ms : {900, 2400, 3100}) EXPECT_FALSE(tree.to_root_at("camera", ms * kMs)) << ms;
  for (const std::int64_t ns : {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})
    EXPECT_FALSE(tree.to_root_at("camera", ns)) << "too far for a difference of 64 bits";
}

TEST(FrameTree, TurnsAreInterpolatedTheShortWay) {
  const double half = std::sqrt(0.5);
  FrameTree tree;
  tree.add(joint("map", "camera", {}, {0, 0, 0, 1}, 0), false);
  tree.add(joint("map", "camera", {}, {0, 0, -half, -half}, 1000 * kMs), false);  // a quarter turn as -q
  tree.sort_by_time();
  const auto pose = tree.to_root_at("camera", 500 * kMs);
  EXPECT_NEAR(pose->rotation[0], half, 1e-12);  // an eighth of a turn
  EXPECT_NEAR(pose->rotation[3], half, 1e-12);
}

TEST(FrameTree, ACircleHasNoRoot) {
  FrameTree tree;
  tree.add(joint("a", "b"), true);
  tree.add(joint("b", "a"), true);
  EXPECT_EQ(tree.path_to_root("a").root, "");
  EXPECT_FALSE(tree.to_root_at("a", 0).has_value());
}

}  // namespace
}  // namespace fernwood::recordings
