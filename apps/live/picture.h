// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/live/explanation.h"
#include "fernwood/predict/live.h"

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
  bool single = false;         ///< Labels of the frame alone, where they are steady otherwise.
  bool paused = false, step = false, save = false, quit = false;

  bool explains() const { return explained_by != kNoTree; }
  /// A key that was pressed; others change nothing.
  void press(int key);
};

/// The keys and what they do, for people.
inline constexpr const char* kLiveKeys =
    "space pause  n step  s save  v view  1-9 0 classes  p probability  e explain  q quit";
/// One more where labels are steady.
inline constexpr const char* kSteadyKey = "t steady or single";

/// All that a picture shows.
struct LiveScene {
  const predict::LiveFrame& frame;  ///< Without a frame when none has come: only words are shown then.
  const image::ClassMap& classes;
  const LiveChoice& choice;
  LiveExplanation* explanation;  ///< Null: off.
  std::string status;            ///< As many lines as it needs.
  bool only_views = false;       ///< Nothing below or over the views: no status, keys, legend or explanation.
};

/// One picture for people: what was chosen side by side, below it the status, the keys, the legend and what explains
/// the pixel under the mouse. Views that the frame lacks are left out.
Array2<image::Rgb> make_live_picture(const LiveScene& scene);

/// The pixel of the frame that is shown at a place of the picture; nothing beside the views.
std::optional<Place> pixel_at(const predict::LiveFrame& frame, const LiveChoice& choice, Place place);

}  // namespace fernwood::apps
