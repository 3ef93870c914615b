// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The messages of ROS that frames are made of, as CDR (ROS 2, OMG DDSI-RTPS 10) or in the coding of ROS 1. They are
// views of bytes.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/bag/bag_file.h"

namespace fernwood::dataset {

/// Bytes of a message, and how to read them.
struct CodedMessage {
  std::span<const std::uint8_t> bytes;
  RosCoding coding = RosCoding::kCdr;
  std::string place;  ///< File and topic, for messages.
};

/// std_msgs/Header.
struct RosHeader {
  std::int64_t stamp_ns = 0;  ///< 0: nobody has set it.
  std::string_view frame_id;
};

/// sensor_msgs/Image.
struct RosImage {
  RosHeader header;
  std::uint32_t height = 0, width = 0;
  std::string_view encoding;
  bool is_bigendian = false;
  std::uint32_t step = 0;  ///< Bytes from row to row.
  std::span<const std::uint8_t> data;
};

/// sensor_msgs/CompressedImage.
struct RosCompressedImage {
  RosHeader header;
  std::string_view format;
  std::span<const std::uint8_t> data;
};

/// sensor_msgs/CameraInfo.
struct RosCameraInfo {
  std::string frame_id;
  std::uint32_t height = 0, width = 0;
  std::string distortion_model;
  std::vector<double> d;
  std::array<double, 9> k = {};   ///< Of the picture as taken.
  std::array<double, 12> p = {};  ///< Of the rectified picture.
  std::uint32_t binning_x = 0, binning_y = 0;
  std::uint32_t x_offset = 0, y_offset = 0, roi_height = 0, roi_width = 0;
};

/// geometry_msgs/TransformStamped: p_parent = rotation(quaternion) p_child + translation.
struct RosTransform {
  std::string parent, child;
  std::array<double, 3> translation_m = {};
  std::array<double, 4> rotation = {0, 0, 0, 1};  ///< x, y, z, w.
  std::int64_t stamp_ns = 0;
  bool is_static = true;  ///< Of /tf_static; known by the topic.
};

/// What is enough of a message to read its stamp.
inline constexpr std::size_t kStampBytes = 16;

/// All of these throw Error(kData) for bytes that end too early. The stamp of any message that begins with a header:
std::int64_t read_stamp(const CodedMessage& message);
RosImage read_image(const CodedMessage& message);
RosCompressedImage read_compressed_image(const CodedMessage& message);
RosCameraInfo read_camera_info(const CodedMessage& message);
std::vector<RosTransform> read_transforms(const CodedMessage& message);

}  // namespace fernwood::dataset
