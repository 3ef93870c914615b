// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/recordings/frame_messages.h"

#include <gtest/gtest.h>

#include "dataset/test_files.h"
#include "sentences.h"

namespace fernwood::recordings {

using namespace dataset;

TEST(FrameMessages, ImagesAreViewsOfTheirPixels) {
  const Array2<std::uint16_t> depth(2, 3, 0x0102);
  const ros::Image message = depth_message(depth, {5, "optical"});
  EXPECT_EQ(message.encoding, "16UC1");
  EXPECT_EQ(message.height, 2u);
  EXPECT_EQ(message.width, 3u);
  EXPECT_EQ(message.step, 6u);
  EXPECT_EQ(message.data.size(), 12u);
  EXPECT_EQ(static_cast<const void*>(message.data.data()), depth.data());
  EXPECT_EQ(message.header.stamp_ns, 5);
  const Array2<image::Rgb> color(1, 2, {1, 2, 3});
  const auto data = color_message(color, {}).data;
  EXPECT_EQ(Bytes(data.begin(), data.end()), (Bytes{1, 2, 3, 1, 2, 3}));
}

TEST(FrameMessages, ACameraIsOfTheSizeOfItsFrames) {
  const ros::CameraInfo info = camera_message({640, 480, 500, 400, 319.5f, 239.5f}, 240, 320, {});
  EXPECT_EQ(info.width, 320u);
  EXPECT_EQ(info.height, 240u);
  EXPECT_EQ(info.k, (std::array<double, 9>{250, 0, 159.5, 0, 200, 119.5, 0, 0, 1}));
  EXPECT_EQ(info.p, (std::array<double, 12>{250, 0, 159.5, 0, 0, 200, 119.5, 0, 0, 0, 1, 0}));
}

TEST(FrameMessages, ClassesAreNumberedAsInMasks) {
  const std::vector<std::string> names = {"wall", "floor"};
  const ros::LabelInfo info = label_info_message(names, {});
  ASSERT_EQ(info.class_map.size(), 2u);
  EXPECT_EQ(info.class_map[1].class_id, 1);
  EXPECT_EQ(info.class_map[1].class_name, "floor");
}

TEST(FrameMessages, AClassWithoutANumberInMasksIsRefused) {
  EXPECT_EQ(mask_of(image::LabelImage(1, 1, 254))(0, 0), 254);
  EXPECT_EQ(mask_of(image::LabelImage(1, 1, image::kVoid))(0, 0), kNoClass);
  testdata::expect_refused(ErrorKind::kUsage, [] { mask_of(image::LabelImage(1, 1, 255)); });
}

TEST(FrameMessages, ConfidenceIsThatOfThePixelsOwnClass) {
  image::LabelImage labels(1, 4);
  labels(0, 1) = 1;
  labels(0, 2) = image::kVoid;
  labels(0, 3) = 1;
  std::vector<Array2<float>> probabilities = {Array2<float>(1, 4, 0.5f), Array2<float>(1, 4, 1.0f)};
  probabilities[1](0, 3) = 0;
  const Array2<std::uint8_t> confidence = confidence_of(labels, probabilities);
  EXPECT_EQ(std::vector(confidence.begin(), confidence.end()), (Bytes{128, 255, 0, 0}));
}

TEST(FrameMessages, AMotionThatDoesNotRotateIsNoPose) {
  image::RigidMotion motion{.translation = {1, 2, 3}};
  const auto pose = pose_message(motion, {7, "map"}, "optical");
  ASSERT_TRUE(pose.has_value());
  EXPECT_EQ(pose->translation_m, (std::array<double, 3>{1, 2, 3}));
  EXPECT_EQ(pose->rotation, (std::array<double, 4>{0, 0, 0, 1}));
  EXPECT_EQ(pose->child, "optical");
  motion.rotation[0].x = 5;
  EXPECT_FALSE(pose_message(motion, {}, "optical").has_value());
}

}  // namespace fernwood::recordings
