// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/image/frame.h"
#include "fernwood/ros/messages.h"
#include "recordings/bag/bag.h"

namespace fernwood::recordings {

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
  dataset::FrameSize size = {};
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

/// An image topic.
struct ImageTopic {
  std::size_t topic = 0;  ///< Index in the recording.
  std::string name, type;
  ImageKind kind;
  std::size_t num_messages = 0;
};

/// Topics named by the user; an empty one is guessed, or left out if the other is named.
struct TopicRequest {
  std::string color = {}, depth = {};
  bool by_options = false;  ///< They are named by the options of an import, not behind the name of a source.

  bool is_guess() const { return color.empty() && depth.empty(); }
};

/// Topics from which frames are made; at least one.
struct ChosenTopics {
  std::optional<ImageTopic> color = {}, depth = {};
  std::vector<std::string> notes = {};  ///< A sentence each.
};

/// Image topics, also of unsupported kinds, in order of their names.
std::vector<ImageTopic> image_topics_of(const Bag& bag);

/// Whether the name of a topic indicates depth aligned to the colour camera, or colour aligned to the depth camera.
bool is_aligned_depth(const std::string& topic);
bool is_aligned_color(const std::string& topic);

/// Chooses topics by their contents and by the naming conventions of drivers; deterministic for a recording.
/// @throws Error(kUsage) for a topic that is missing or has other contents; Error(kData) for a recording without
/// images.
ChosenTopics choose_topics(const Bag& bag, const std::vector<ImageTopic>& topics, const TopicRequest& request);

}  // namespace fernwood::recordings
