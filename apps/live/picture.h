// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/live/explanation.h"
#include "fernwood/predict/live.h"

namespace fernwood::apps {

/// Display settings chosen by the user.
struct LiveChoice {
  enum class View { kAll, kOverlay, kColor, kDepth, kLabels };
  static constexpr int kNoTree = -1, kAllTrees = 0;

  LiveChoice(std::size_t classes, std::size_t trees) : num_trees(trees), hidden(classes) {}

  std::size_t num_trees;
  View view = View::kAll;
  std::vector<bool> hidden;    ///< [class]
  int probability_of = -1;     ///< The class whose probability replaces the overlay, or -1.
  int explained_by = kNoTree;  ///< The trees that explain the pixel under the mouse: none, all, or one, from 1.
  bool single = false;         ///< Show labels without temporal fusion.
  bool paused = false, step = false, save = false, quit = false;

  bool explains() const { return explained_by != kNoTree; }
  /// Handles a key; unknown keys are ignored.
  void press(int key);
};

/// Help text on the keys.
inline constexpr const char* kLiveKeys =
    "space pause  n step  s save  v view  1-9 0 classes  p probability  e explain  q quit";
/// Additional key if labels are fused over time.
inline constexpr const char* kSteadyKey = "t steady or single";

/// Content of an image.
struct LiveScene {
  const predict::LiveFrame& frame;  ///< Has no image before the first frame: only text is shown then.
  const image::ClassMap& classes;
  const LiveChoice& choice;
  LiveExplanation* explanation;  ///< Null: off.
  std::string status;            ///< Any number of lines.
};

/// Draws an image for people: the chosen views side by side, below them the status, the keys, the legend and the
/// explanation of the pixel under the mouse. Views that the frame lacks are left out.
Array2<image::Rgb> make_live_picture(const LiveScene& scene);

/// The pixel of the frame shown at a position of the image; empty outside the views.
std::optional<Place> pixel_at(const predict::LiveFrame& frame, const LiveChoice& choice, Place place);

}  // namespace fernwood::apps
