// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <vector>

namespace fernwood::apps {

/// What the user has chosen to see.
struct LiveChoice {
  enum class View { kAll, kOverlay, kColor, kDepth, kLabels };
  static constexpr int kNoTree = -1, kAllTrees = 0;

  LiveChoice(std::size_t classes, std::size_t trees) : num_trees(trees), hidden(classes) {}

  std::size_t num_trees;
  View view = View::kAll;
  std::vector<bool> hidden;    ///< [class]
  int probability_of = -1;     ///< The class whose probability takes the place of the overlay, or -1.
  int explained_by = kNoTree;  ///< Which trees explain the pixel under the mouse: none, all, or one, from 1 on.
  bool paused = false, step = false, save = false, quit = false;

  bool explains() const { return explained_by != kNoTree; }
  /// A key that was pressed; others change nothing.
  void press(int key);
};

/// The keys and what they do, for people.
inline constexpr const char* kLiveKeys =
    "space pause  n step  s save  v view  1-9 0 classes  p probability  e explain  q quit";

}  // namespace fernwood::apps
