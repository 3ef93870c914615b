// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/ros/messages.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>

#include "fernwood/core/error.h"

namespace fernwood::ros {

namespace {

const std::vector<std::uint8_t> kData = {1, 2, 3, 4, 5};
constexpr MessageHeader kHeader = {1'700'000'000'123'456'789, "camera"};

Image image() {
  return {.header = kHeader, .height = 1, .width = 5, .encoding = "mono8", .is_bigendian = 1, .step = 5, .data = kData};
}

CameraInfo camera_info() {
  CameraInfo info{.header = kHeader, .height = 2, .width = 3, .distortion_model = "plumb_bob", .d = {0.5, 0.25}};
  info.k = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  info.r = {9, 8, 7, 6, 5, 4, 3, 2, 1};
  info.p = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  info.binning_x = 20, info.binning_y = 21, info.x_offset = 22, info.y_offset = 23;
  info.roi_height = 24, info.roi_width = 25, info.do_rectify = 1;
  return info;
}

PointCloud point_cloud() {
  return {.header = kHeader,
          .height = 1,
          .width = 5,
          .fields = {{"x"}, {"class", 4, PointField::kUint8, 2}},
          .point_step = 1,
          .row_step = 5,
          .data = kData,
          .is_dense = 1};
}

LabelInfo label_info() { return {.header = kHeader, .class_map = {{1, "wall"}, {2, ""}}, .threshold = 0.5f}; }

Diagnostics diagnostics() {
  return {.header = kHeader,
          .status = {{DiagnosticStatus::kWarn, "camera", "slow", "usb", {{"rate", "12"}, {"dropped", "3"}}}, {}}};
}

OccupancyGrid occupancy_grid() {
  return {.header = kHeader,
          .info = {.load_time = {5'000'000'006},
                   .resolution = 0.05f,
                   .width = 5,
                   .height = 1,
                   .origin_m = {1, 2, 3},
                   .origin_rotation = {0, 0, 1, 0}},
          .data = kData};
}

Detections detections() {
  return {
      .header = kHeader,
      .detections = {{kHeader, {{"chair", 0.5, {{1, 2, 3}, {0, 0, 1, 0}}}, {"box", 0.25}}, {}, {4, 5, 6}, "7"}, {}}};
}

std::vector<Marker> markers() {
  Marker marker{.header = kHeader, .space = "objects", .id = 3, .scale_m = {1, 2, 3}, .color = {0, 0.5f, 1, 0.25f}};
  marker.points = {{1, 2, 3}};
  marker.texture = {kHeader, "png", kData};
  marker.text = "chair";
  marker.mesh_data = kData;
  return {marker, {}};
}

CodedMessage coded(const EncodedMessage& bytes) { return {bytes, MessageCoding::kCdr, "/topic"}; }

template <typename Number>
void expect_number(const EncodedMessage& bytes, std::size_t at, Number number) {
  Number found;
  ASSERT_LE(at + sizeof(Number), bytes.size());
  std::memcpy(&found, bytes.data() + at, sizeof(Number));
  EXPECT_EQ(found, number) << "at byte " << at;
}

}  // namespace

// CDR by the OMG specification: after a header of four bytes, numbers are aligned to their sizes, and the length of a
// string includes its final zero.
TEST(RosMessages, AnImageIsLaidOutAsCdr) {
  const EncodedMessage bytes = write_message(image());
  EXPECT_EQ(std::vector(bytes.begin(), bytes.begin() + 4), (EncodedMessage{0, 1, 0, 0}));
  expect_number(bytes, 4, std::int32_t{1'700'000'000});
  expect_number(bytes, 8, std::uint32_t{123'456'789});
  expect_number(bytes, 12, std::uint32_t{7});
  EXPECT_EQ(std::string(bytes.begin() + 16, bytes.begin() + 23), std::string("camera\0", 7));
  expect_number(bytes, 24, std::uint32_t{1});  // height, aligned
  expect_number(bytes, 28, std::uint32_t{5});
  expect_number(bytes, 32, std::uint32_t{6});
  EXPECT_EQ(bytes[42], 1);                     // big-endian, after "mono8"
  expect_number(bytes, 44, std::uint32_t{5});  // step
  expect_number(bytes, 48, std::uint32_t{5});
  EXPECT_EQ(std::vector(bytes.begin() + 52, bytes.end()), kData);
}

TEST(RosMessages, DoublesLieAtMultiplesOfEight) {
  const EncodedMessage bytes = write_message(camera_info());
  expect_number(bytes, 4 + 48, 0.5);  // after the length of d at 4 + 44
}

TEST(RosMessages, WhatIsWrittenIsRead) {
  const EncodedMessage bytes = write_message(image());
  const Image read = read_image(coded(bytes));
  EXPECT_EQ(read.header.stamp_ns, kHeader.stamp_ns);
  EXPECT_EQ(read.header.frame_id, "camera");
  EXPECT_EQ(read.width, 5u);
  EXPECT_EQ(read.encoding, "mono8");
  EXPECT_EQ(std::vector(read.data.begin(), read.data.end()), kData);
  EXPECT_EQ(read_stamp(coded(bytes)), kHeader.stamp_ns);
}

TEST(RosMessages, TimesBefore1970AreRead) {
  Image early = image();
  early.header.stamp_ns = -1;
  EXPECT_EQ(read_stamp(coded(write_message(early))), -1);
}

// Round-trips each message type to the same bytes, and expects an error for each truncated message.
TEST(RosMessages, EachTypeSurvivesAndNoneIsReadPastItsEnd) {
  const std::vector<Transform> transforms = {{kHeader, "left", {1, 2, 3}, {0, 0, 0, 1}}, {kHeader, "", {}, {}}};
  const CompressedImage compressed{kHeader, "jpeg", kData};
  struct Case {
    const char* type;
    EncodedMessage bytes;
    std::function<EncodedMessage(const CodedMessage&)> again;
  };
  const Case cases[] = {
      {"Image", write_message(image()), [](const CodedMessage& m) { return write_message(read_image(m)); }},
      {"CompressedImage", write_message(compressed),
       [](const CodedMessage& m) { return write_message(read_compressed_image(m)); }},
      {"CameraInfo", write_message(camera_info()),
       [](const CodedMessage& m) { return write_message(read_camera_info(m)); }},
      {"TFMessage", write_message(transforms), [](const CodedMessage& m) { return write_message(read_transforms(m)); }},
      {"PointCloud2", write_message(point_cloud()),
       [](const CodedMessage& m) { return write_message(read_point_cloud(m)); }},
      {"LabelInfo", write_message(label_info()),
       [](const CodedMessage& m) { return write_message(read_label_info(m)); }},
      {"String", write_message(Text{"smooth=80"}), [](const CodedMessage& m) { return write_message(read_text(m)); }},
      {"Vector3Stamped", write_message(StampedVector{kHeader, {1, 2, 3}}),
       [](const CodedMessage& m) { return write_message(read_vector(m)); }},
      {"OccupancyGrid", write_message(occupancy_grid()),
       [](const CodedMessage& m) { return write_message(read_occupancy_grid(m)); }},
      {"Detection3DArray", write_message(detections()),
       [](const CodedMessage& m) { return write_message(read_detections(m)); }},
      {"MarkerArray", write_message(markers()), [](const CodedMessage& m) { return write_message(read_markers(m)); }},
      {"DiagnosticArray", write_message(diagnostics()),
       [](const CodedMessage& m) { return write_message(read_diagnostics(m)); }},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.type);
    EXPECT_EQ(one.again(coded(one.bytes)), one.bytes);
    for (std::size_t size = 0; size < one.bytes.size(); ++size) {
      const EncodedMessage part(one.bytes.begin(), one.bytes.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_THROW(one.again(coded(part)), Error) << size << " bytes";
    }
  }
}

// A length of four billion elements must fail at the end of the bytes, without allocating memory first.
TEST(RosMessages, ACountThatLiesIsAnError) {
  EncodedMessage bytes = write_message(std::vector<Transform>{});
  bytes.assign({0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff});
  EXPECT_THROW(read_transforms(coded(bytes)), Error);
  EncodedMessage labels = write_message(LabelInfo{});
  for (std::size_t i = 0; i < 4; ++i) labels[20 + i] = 0xff;
  EXPECT_THROW(read_label_info(coded(labels)), Error);
}

TEST(RosMessages, TypesHaveTwoNames) {
  EXPECT_EQ(plain_type("sensor_msgs/msg/Image"), kImageType);
  EXPECT_EQ(plain_type("sensor_msgs/Image"), kImageType);
  EXPECT_EQ(full_type(kImageType), "sensor_msgs/msg/Image");
  EXPECT_EQ(full_type("odd"), "odd");
}

}  // namespace fernwood::ros
