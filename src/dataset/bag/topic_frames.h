// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dataset/bag/bag.h"
#include "dataset/bag/bag_topics.h"
#include "dataset/bag/frame_tree.h"
#include "dataset/frame_reader.h"
#include "fernwood/image/frame.h"

namespace fernwood::dataset {

/// How images of topics become frames: which topics, the cameras that took them, and how depth comes to colour.
class TopicFrames {
 public:
  /// @throws as choose_topics().
  TopicFrames(const Bag& bag, const TopicRequest& request);

  /// What the topics and their coordinate frames tell of cameras; what a dataset.toml says counts before it.
  /// @throws as align_topics().
  void read_cameras(const Bag& bag, const FrameTree& tree, const std::optional<std::filesystem::path>& config = {});

  const ChosenTopics& chosen() const { return chosen_; }
  bool has_color() const { return chosen_.color.has_value(); }
  bool has_depth() const { return chosen_.depth.has_value(); }
  /// The topic of the picture: colour, else depth.
  const ImageTopic& main() const { return chosen_.color ? *chosen_.color : *chosen_.depth; }
  const FrameReading& reading() const { return reading_; }
  /// What was chosen and assumed: a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

  /// @throws Error(kData) for an image that is damaged.
  Array2<image::Rgb> decode_color(const ros::CodedMessage& message) const;
  /// Millimetres, as colour of the size has it; without one as the depth camera has it.
  Array2<std::uint16_t> decode_depth(const ros::CodedMessage& message, const std::optional<FrameSize>& color) const;
  /// @param color, depth  Null where the frame has no such image.
  image::Frame decode(const ros::CodedMessage* color, const ros::CodedMessage* depth) const;

 private:
  ChosenTopics chosen_;
  FrameReading reading_;
  std::vector<std::string> notes_;
};

}  // namespace fernwood::dataset
