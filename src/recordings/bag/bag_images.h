// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "fernwood/core/array.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/image/frame.h"
#include "fernwood/ros/messages.h"

namespace fernwood::dataset {

/// Content of the images of a topic.
enum class ImageContent {
  kColor,
  kGrey,  ///< One 8-bit channel: infrared, or a camera without colour.
  kDepth,
  kOther  ///< Not supported.
};

/// Properties of all images of a topic, from its first message.
struct ImageKind {
  ImageContent content = ImageContent::kOther;
  std::string encoding;  ///< As ROS names it; for an unsupported kind followed by the reason, if known.
  FrameSize size = {};
  std::string frame_id;
  bool is_compressed = false;
};

/// @param type  sensor_msgs/Image or sensor_msgs/CompressedImage. Never throws for an unsupported image.
ImageKind kind_of_image(const std::string& type, const ros::CodedMessage& message);

/// RGB of a colour or grey image. @throws Error(kData) for damage, impossible sizes and other encodings.
Array2<image::Rgb> decode_color_image(const std::string& type, const ros::CodedMessage& message);

/// Interpretation of whole-number depth; floating-point depth is in metres.
struct DepthUnit {
  double step_mm = 1;
  int missing = 0;
};

/// Depth in millimetres, 0 where unknown. @throws Error(kData) as decode_color_image() does.
Array2<std::uint16_t> decode_depth_image(const std::string& type, const ros::CodedMessage& message,
                                         const DepthUnit& unit);

}  // namespace fernwood::dataset
