// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "apps/live/choice.h"
#include "apps/live/explanation.h"
#include "fernwood/predict/live.h"

namespace fernwood::apps {

/// All that a picture shows.
struct LiveScene {
  const predict::LiveFrame& frame;  ///< Without a frame when none has come: only words are shown then.
  const image::ClassMap& classes;
  const LiveChoice& choice;
  LiveExplanation* explanation;  ///< Null: off.
  std::string status;            ///< As many lines as it needs.
};

/// One picture for people: what was chosen side by side, below it the status, the keys, the legend and what explains
/// the pixel under the mouse. Views that the frame lacks are left out.
Array2<image::Rgb> make_live_picture(const LiveScene& scene);

/// The pixel of the frame that is shown at a place of the picture; nothing beside the views.
std::optional<Place> pixel_at(const predict::LiveFrame& frame, const LiveChoice& choice, Place place);

}  // namespace fernwood::apps
