// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/bag/bag.h"
#include "dataset/bag/bag_images.h"

namespace fernwood::dataset {

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

}  // namespace fernwood::dataset
