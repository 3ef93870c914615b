// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Frames and labels as messages of ROS, for recordings and topics. Messages are views of what they are made of.

#include <optional>
#include <span>
#include <string>

#include "fernwood/core/array.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "fernwood/ros/messages.h"

namespace fernwood::dataset {

/// Marks pixels without a class in masks; LabelInfo does not name it. A mask tells so many classes apart.
inline constexpr std::uint8_t kNoClass = 255;

/// rgb8. @param color  Not empty, as all images here.
ros::Image color_message(const Array2<image::Rgb>& color, const ros::MessageHeader& header);
/// 16UC1, in millimetres.
ros::Image depth_message(const Array2<std::uint16_t>& depth_mm, const ros::MessageHeader& header);
/// mono8.
ros::Image grey_message(const Array2<std::uint8_t>& levels, const ros::MessageHeader& header);
/// A camera without distortion, of frames of a size, to which it is scaled.
ros::CameraInfo camera_message(const image::Camera& camera, std::size_t rows, std::size_t cols,
                               const ros::MessageHeader& header);
/// Where a camera is, in the header's frame; nothing for a motion that does not rotate.
/// @param child  The camera's frame.
std::optional<ros::Transform> pose_message(const image::RigidMotion& pose, const ros::MessageHeader& header,
                                           std::string_view child);
/// Names of the numbers in a mask.
ros::LabelInfo label_info_message(std::span<const std::string> class_names, const ros::MessageHeader& header);

/// Indices of classes, kNoClass for kVoid. @throws Error(kUsage) for a class that has no number in a mask.
Array2<std::uint8_t> mask_of(const image::LabelImage& labels);
/// 255 times a probability, rounded.
std::uint8_t confidence_level(float probability);
/// That of each pixel's own class; 0 where a pixel has none.
/// @param probabilities  [class][rows][cols]
Array2<std::uint8_t> confidence_of(const image::LabelImage& labels, std::span<const Array2<float>> probabilities);

}  // namespace fernwood::dataset
