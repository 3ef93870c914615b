// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A frame with the regions of tests drawn over it, as SVG. A page holds each picture of the frame once.

#include <string>

#include "fernwood/evaluate/explain.h"

namespace fernwood::report {

/// What a page about a pixel shows its regions on.
class ExplainedFrame {
 public:
  /// @param pixel  Must outlive this.
  ExplainedFrame(const evaluate::PixelExplanation& pixel, const image::Frame& frame);

  /// To stand in the page once, before the others: the pictures that they refer to.
  std::string definitions() const;
  /// For each picture that a tree's tests look at, what they see of it, at least a third of the frame's width: their
  /// regions, numbered by level and fading from root to leaf.
  std::string overviews(const evaluate::SeenTree& tree) const;
  /// The surroundings of one test's regions.
  std::string close_up(const evaluate::SeenTest& test) const;

 private:
  enum class Picture { kColor, kDepth };

  Picture picture_of(const evaluate::SeenTest& test) const;
  const Array2<image::Rgb>& image(Picture picture) const;
  std::string background(Picture picture) const;
  std::string cross(double arm) const;
  std::string region(const evaluate::SeenRegion& region, const std::string& kind, const std::string& label,
                     double font_size) const;
  std::string regions(const evaluate::SeenTest& test, const std::string& label_a, const std::string& label_b,
                      double font_size) const;
  std::string overview(const evaluate::SeenTree& tree, Picture picture) const;

  const evaluate::PixelExplanation& pixel_;
  Array2<image::Rgb> color_, depth_;  // empty when not looked at
};

}  // namespace fernwood::report
