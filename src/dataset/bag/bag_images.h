// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "fernwood/core/array.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/image/frame.h"
#include "fernwood/ros/messages.h"

namespace fernwood::dataset {

/// What the images of a topic show.
enum class ImageContent {
  kColor,
  kGrey,  ///< One channel of 8 bits: infrared, or a camera without colour.
  kDepth,
  kOther  ///< Is not read.
};

/// What the first message of a topic tells of all.
struct ImageKind {
  ImageContent content = ImageContent::kOther;
  std::string encoding;  ///< As ROS names it; of a kind that is not read with the reason, where there is one.
  FrameSize size = {};
  std::string frame_id;
  bool is_compressed = false;
};

/// @param type  sensor_msgs/Image or sensor_msgs/CompressedImage. Never throws for an image that is not read.
ImageKind kind_of_image(const std::string& type, const ros::CodedMessage& message);

/// RGB of an image of colour or grey. @throws Error(kData) for damage, sizes that no image has and other encodings.
Array2<image::Rgb> decode_color_image(const std::string& type, const ros::CodedMessage& message);

/// How whole numbers of depth are read; floating-point ones are metres.
struct DepthUnit {
  double step_mm = 1;
  int missing = 0;
};

/// Millimetres, 0 where unknown. @throws Error(kData) likewise.
Array2<std::uint16_t> decode_depth_image(const std::string& type, const ros::CodedMessage& message,
                                         const DepthUnit& unit);

}  // namespace fernwood::dataset
