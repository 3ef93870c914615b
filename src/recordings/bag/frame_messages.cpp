// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/recordings/frame_messages.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "dataset/poses.h"
#include "fernwood/core/error.h"

namespace fernwood::recordings {

namespace {

template <typename Pixel>
ros::Image image_message_of(const Array2<Pixel>& pixels, std::string_view encoding, const ros::MessageHeader& header) {
  static_assert(std::has_unique_object_representations_v<Pixel>);
  ros::Image message{.header = header, .encoding = encoding};
  message.height = static_cast<std::uint32_t>(pixels.rows());
  message.width = static_cast<std::uint32_t>(pixels.cols());
  message.is_bigendian = std::endian::native == std::endian::big ? 1 : 0;
  message.step = static_cast<std::uint32_t>(pixels.cols() * sizeof(Pixel));
  message.data = {reinterpret_cast<const std::uint8_t*>(pixels.data()), pixels.size() * sizeof(Pixel)};
  return message;
}

}  // namespace

ros::Image color_message(const Array2<image::Rgb>& color, const ros::MessageHeader& header) {
  return image_message_of(color, "rgb8", header);
}

ros::Image depth_message(const Array2<std::uint16_t>& depth_mm, const ros::MessageHeader& header) {
  return image_message_of(depth_mm, "16UC1", header);
}

ros::Image grey_message(const Array2<std::uint8_t>& levels, const ros::MessageHeader& header) {
  return image_message_of(levels, "mono8", header);
}

ros::CameraInfo camera_message(const image::Camera& camera, std::size_t rows, std::size_t cols,
                               const ros::MessageHeader& header) {
  // Scaling even by 1 may round.
  const bool fits = static_cast<std::size_t>(camera.cols) == cols && static_cast<std::size_t>(camera.rows) == rows;
  const image::Camera c = fits ? camera : image::scaled(camera, cols, rows);
  ros::CameraInfo info{.header = header,
                       .height = static_cast<std::uint32_t>(rows),
                       .width = static_cast<std::uint32_t>(cols),
                       .distortion_model = "plumb_bob",
                       .d = std::vector<double>(5)};
  info.k = {c.fx, 0, c.cx, 0, c.fy, c.cy, 0, 0, 1};
  info.r = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  info.p = {c.fx, 0, c.cx, 0, 0, c.fy, c.cy, 0, 0, 0, 1, 0};
  return info;
}

std::optional<ros::Transform> pose_message(const image::RigidMotion& pose, const ros::MessageHeader& header,
                                           std::string_view child) {
  const std::optional<dataset::CameraPose> place = dataset::pose_of_motion(pose);
  if (!place) return std::nullopt;
  return ros::Transform{header, child, place->position_m, place->rotation};
}

ros::LabelInfo label_info_message(std::span<const std::string> class_names, const ros::MessageHeader& header) {
  ros::LabelInfo info{.header = header};
  for (const std::string& name : class_names)
    info.class_map.push_back({static_cast<std::uint16_t>(info.class_map.size()), name});
  return info;
}

Array2<std::uint8_t> mask_of(const image::LabelImage& labels) {
  Array2<std::uint8_t> mask(labels.rows(), labels.cols());
  std::ranges::transform(labels, mask.begin(), [](std::uint16_t label) {
    FW_CHECK(label == image::kVoid || label < kNoClass, Usage,
             "a pixel has class " << label << "; an 8-bit mask holds at most " << int{kNoClass}
                                  << " classes: merge classes of the model");
    return label == image::kVoid ? kNoClass : static_cast<std::uint8_t>(label);
  });
  return mask;
}

std::uint8_t confidence_level(float probability) {
  constexpr float kMost = 255, kHalf = 0.5f;
  return static_cast<std::uint8_t>(probability > 0 ? std::min(probability, 1.0f) * kMost + kHalf : 0.0f);
}

Array2<std::uint8_t> confidence_of(const image::LabelImage& labels, std::span<const Array2<float>> probabilities) {
  Array2<std::uint8_t> confidence(labels.rows(), labels.cols());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::uint16_t label = labels.data()[i];
    if (label < probabilities.size()) confidence.data()[i] = confidence_level(probabilities[label].data()[i]);
  }
  return confidence;
}

}  // namespace fernwood::recordings
