// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/frame_reader.h"
#include "fernwood/image/frame.h"
#include "recordings/bag/bag.h"
#include "recordings/bag/bag_topics.h"
#include "recordings/bag/frame_tree.h"

namespace fernwood::recordings {

/// Converts images of topics to frames: chooses the topics, finds their cameras, and aligns depth to colour.
class TopicFrames {
 public:
  /// @throws as choose_topics().
  TopicFrames(const Bag& bag, const TopicRequest& request);

  /// Determines the cameras from the topics and their coordinate frames; a dataset.toml takes precedence.
  /// @throws as align_topics().
  void read_cameras(const Bag& bag, const FrameTree& tree, dataset::DatasetConfig config = {});

  const ChosenTopics& chosen() const { return chosen_; }
  bool has_color() const { return chosen_.color.has_value(); }
  bool has_depth() const { return chosen_.depth.has_value(); }
  /// The main image topic: colour, else depth.
  const ImageTopic& main() const { return chosen_.color ? *chosen_.color : *chosen_.depth; }
  const dataset::DatasetConfig& config() const { return config_; }
  /// Choices and assumptions: a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

  /// @throws Error(kData) for a damaged image.
  Array2<image::Rgb> decode_color(const ros::CodedMessage& message) const;
  /// Depth in millimetres, aligned to colour of the given size; without a size, as the depth camera has it.
  Array2<std::uint16_t> decode_depth(const ros::CodedMessage& message,
                                     const std::optional<dataset::FrameSize>& color) const;
  /// @param color, depth  Null where the frame has no such image.
  image::Frame decode(const ros::CodedMessage* color, const ros::CodedMessage* depth) const;

 private:
  ChosenTopics chosen_;
  dataset::DatasetConfig config_;
  std::vector<std::string> notes_;
};

}  // namespace fernwood::recordings
