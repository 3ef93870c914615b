// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The tests that explain a pixel, drawn over the frame that they look at.

#include <memory>
#include <optional>
#include <vector>

#include "apps/live/drawing.h"
#include "apps/live/window.h"
#include "fernwood/evaluate/explain.h"

namespace fernwood::apps {

/// Which tests are shown: the first ones of all trees (of the first six), or all of one tree.
struct TestChoice {
  /// @param tree   0: all trees; else one, from 1 on.
  /// @param depth  Levels of the deepest tree.
  TestChoice(int tree, std::size_t num_trees, std::size_t depth);

  bool one_alone;
  std::size_t first, num_trees, num_levels;

  /// Trees are told apart, or the regions of the one tree.
  image::Rgb color(std::size_t tree, bool region_b) const;
};

/// A pixel that was explained, in its frame.
struct ExplainedPixel {
  evaluate::PixelExplanation why;
  std::shared_ptr<const image::Frame> frame;
};

/// A picture that shows a frame from this pixel on, each as a square.
struct Lens {
  int x = 0, y = 0;
  int scale = 1;
};

/// Draws the tests' regions, the root's on top, and a cross at the pixel.
/// @param group  Only tests that read such channels; empty: all.
void mark_tests(Array2<image::Rgb>* picture, const evaluate::PixelExplanation& why, const TestChoice& choice,
                std::optional<image::FrameImage> image, const Lens& lens = {});
void mark_pixel(Array2<image::Rgb>* picture, const evaluate::PixelExplanation& why, const Lens& lens = {});

/// What the marked regions cover, as large as `box` allows, within `picture`: of the frame's colour or depth. The
/// levels of one tree that is alone are added to `numbers`.
void draw_close_up(Array2<image::Rgb>* picture, const Box& box, const ExplainedPixel& pixel, const TestChoice& choice,
                   image::FrameImage image, std::vector<Text>* numbers);

}  // namespace fernwood::apps
