// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/bag/bag.h"
#include "dataset/bag/bag_images.h"

namespace fernwood::dataset {

/// A topic of images.
struct ImageTopic {
  std::size_t topic = 0;  ///< Index in the recording.
  std::string name, type;
  ImageKind kind;
  std::size_t num_messages = 0;
};

/// Topics that the user names; one that is empty is guessed, or left out where the other is named.
struct TopicRequest {
  std::string color = {}, depth = {};

  bool is_guess() const { return color.empty() && depth.empty(); }
};

/// Those that frames are made of; at least one.
struct ChosenTopics {
  std::optional<ImageTopic> color = {}, depth = {};
  std::vector<std::string> notes = {};  ///< A sentence each.
};

/// Topics with images, which may be of kinds that are not read, in order of their names.
std::vector<ImageTopic> image_topics_of(const Bag& bag);

/// Whether a name tells that depth has been moved into the colour camera, or colour into the depth camera.
bool is_aligned_depth(const std::string& topic);
bool is_aligned_color(const std::string& topic);

/// Guesses by what topics hold and how drivers name them; the same for the same recording.
/// @throws Error(kUsage) for a topic that is not there or holds something else; Error(kData) for a recording without
/// images.
ChosenTopics choose_topics(const Bag& bag, const std::vector<ImageTopic>& topics, const TopicRequest& request);

}  // namespace fernwood::dataset
