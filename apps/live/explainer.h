// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <optional>

#include "apps/live/explained_tests.h"

namespace fernwood::apps {

/// Explains the pixel that the user points at in the frame that is shown. Does nothing until it is asked, and while
/// frames come takes a small share of one core's time, so that labelling keeps its speed.
class LiveExplainer {
 public:
  /// @param forest  Must outlive this.
  explicit LiveExplainer(const forest::Forest& forest) : forest_(forest) {}

  void point_at(Place pixel) { pixel_ = pixel; }
  /// Explains what has changed. @param at_once  Nothing else is going on: whatever it costs.
  /// @return  Whether explanation() is another.
  bool update(const std::shared_ptr<const image::Frame>& frame, bool at_once);
  /// Null: no pixel has been pointed at.
  const ExplainedPixel* explanation() const { return explanation_ ? &*explanation_ : nullptr; }

 private:
  const forest::Forest& forest_;
  std::optional<Place> pixel_;
  std::optional<ExplainedPixel> explanation_;
  image::PreparedFrame prepared_;  // its frame
  double next_at_ = 0;             // seconds_now() from which the next is due
};

}  // namespace fernwood::apps
