// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "fernwood/predict/live.h"
#include "live_choice.h"
#include "live_explanation.h"

namespace fernwood {

/// All that a picture shows.
struct LiveScene {
  const LiveFrame& frame;  ///< Without a frame when none has come: only words are shown then.
  const ClassMap& classes;
  const LiveChoice& choice;
  LiveExplanation* explanation;  ///< Null: off.
  std::string status;            ///< As many lines as it needs.
};

/// One picture for people: what was chosen side by side, below it the status, the keys, the legend and what explains
/// the pixel under the mouse. Views that the frame lacks are left out.
Array2<Rgb> make_live_picture(const LiveScene& scene);

/// The pixel of the frame that is shown at a place of the picture; nothing beside the views.
std::optional<Place> pixel_at(const LiveFrame& frame, const LiveChoice& choice, Place place);

}  // namespace fernwood
