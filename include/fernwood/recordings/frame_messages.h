// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Frames and labels as ROS messages, for recordings and topics. Messages are views of the images and texts they are
// made from, which must outlive them.

#include <optional>
#include <span>
#include <string>

#include "fernwood/core/array.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "fernwood/ros/messages.h"

namespace fernwood::recordings {

/// Value of pixels without a class in masks; LabelInfo does not list it. Also the maximum number of classes in a mask.
inline constexpr std::uint8_t kNoClass = 255;

/// Encoding rgb8. @param color  Must not be empty; the same applies to the images below.
ros::Image color_message(const Array2<image::Rgb>& color, const ros::MessageHeader& header);
/// Encoding 16UC1, in millimetres.
ros::Image depth_message(const Array2<std::uint16_t>& depth_mm, const ros::MessageHeader& header);
/// Encoding mono8.
ros::Image grey_message(const Array2<std::uint8_t>& levels, const ros::MessageHeader& header);
/// A camera without distortion. @param rows, cols  Size of the frames, to which the camera is scaled.
ros::CameraInfo camera_message(const image::Camera& camera, std::size_t rows, std::size_t cols,
                               const ros::MessageHeader& header);
/// Pose of a camera in the header's frame; empty for a motion that is not a rigid one.
/// @param child  Name of the camera's frame.
std::optional<ros::Transform> pose_message(const image::RigidMotion& pose, const ros::MessageHeader& header,
                                           std::string_view child);
/// Names of the class numbers in a mask.
ros::LabelInfo label_info_message(std::span<const std::string> class_names, const ros::MessageHeader& header);

/// Mask of labels: class indices, and kNoClass for kVoid. @throws Error(kUsage) for a class index of 255 or more.
Array2<std::uint8_t> mask_of(const image::LabelImage& labels);
/// 255 times a probability, rounded.
std::uint8_t confidence_level(float probability);
/// confidence_level() of each pixel's label; 0 where a pixel has none.
/// @param probabilities  [class][rows][cols]
Array2<std::uint8_t> confidence_of(const image::LabelImage& labels, std::span<const Array2<float>> probabilities);

}  // namespace fernwood::recordings
