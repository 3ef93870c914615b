// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <vector>

#include "fernwood/predict/live.h"

namespace fernwood {

/// What the user has chosen to see.
struct LiveChoice {
  enum class View { kAll, kOverlay, kColor, kDepth, kLabels };

  View view = View::kAll;
  std::vector<bool> hidden;  ///< [class], empty: none is.
  int probability_of = -1;   ///< The class whose probability takes the place of the overlay, or -1.
  bool paused = false, step = false, save = false, quit = false;

  /// A key that was pressed; others change nothing.
  void press(int key, std::size_t num_classes);
};

/// The keys and what they do, for people.
inline constexpr const char* kLiveKeys =
    "space pause   n step   s save   v view   1-9 0 classes   p probability   q quit";

/// One picture for people: what was chosen side by side, below it `status`, the keys and the legend. Views that the
/// frame lacks are left out.
Array2<Rgb> make_live_picture(const CapturedFrame& captured, const Prediction& prediction, const ClassMap& classes,
                              const LiveChoice& choice, const std::string& status);

}  // namespace fernwood
