// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Explanation of a pixel's class: computed, drawn over the frame, and shown in a panel.

#include <memory>
#include <optional>
#include <vector>

#include "apps/live/window.h"
#include "fernwood/evaluate/explain.h"
#include "fernwood/report/evaluation.h"

namespace fernwood::apps {

/// The tests shown: the first ones of all trees (of the first six), or all tests of one tree.
struct TestChoice {
  /// @param tree   0: all trees; else the number of one, from 1.
  /// @param depth  Number of levels of the deepest tree.
  TestChoice(int tree, std::size_t num_trees, std::size_t depth);

  bool one_alone;
  std::size_t first, num_trees, num_levels;

  /// Colours distinguish trees, or the two regions if there is only one tree.
  image::Rgb color(std::size_t tree, bool region_b) const;
};

/// An explained pixel with its frame.
struct ExplainedPixel {
  evaluate::PixelExplanation why;
  std::shared_ptr<const image::Frame> frame;
};

/// The magnified part of a frame: it starts at this pixel, each pixel being a square.
struct Lens {
  int x = 0, y = 0;
  int scale = 1;
};

/// Draws the regions of the tests, the root's on top, and a cross at the pixel.
/// @param image  Only tests that read this image; empty: all.
void mark_tests(Array2<image::Rgb>* picture, const evaluate::PixelExplanation& why, const TestChoice& choice,
                std::optional<image::FrameImage> image, const Lens& lens = {});
void mark_pixel(Array2<image::Rgb>* picture, const evaluate::PixelExplanation& why, const Lens& lens = {});

/// Draws the part of the frame's colour or depth that the marked regions cover into `box`, which must lie inside
/// `picture`, as large as it fits. If only one tree is shown, the levels of its tests are added to `numbers`.
void draw_close_up(Array2<image::Rgb>* picture, const Box& box, const ExplainedPixel& pixel, const TestChoice& choice,
                   image::FrameImage image, std::vector<Text>* numbers);

/// Explains the pixel that the user points at in the current frame. Does nothing until the user points; while frames
/// arrive, it uses only a small share of one core's time, so that labelling is not slowed down.
class LiveExplainer {
 public:
  /// @param forest  Must outlive this object.
  explicit LiveExplainer(const forest::Forest& forest) : forest_(forest) {}

  void point_at(Place pixel) { pixel_ = pixel; }
  /// Updates the explanation if the pixel or the frame has changed. @param at_once  No frames are being labelled:
  /// update whatever it costs.
  /// @return  Whether explanation() has changed.
  bool update(const std::shared_ptr<const image::Frame>& frame, bool at_once);
  /// Null if the user has not pointed at a pixel.
  const ExplainedPixel* explanation() const { return explanation_ ? &*explanation_ : nullptr; }

 private:
  const forest::Forest& forest_;
  std::optional<Place> pixel_;
  std::optional<ExplainedPixel> explanation_;
  image::PreparedFrame prepared_;  // of its frame
  double next_at_ = 0;             // seconds_now() at which the next update is due
};

/// The display of the pixel under the mouse in `live`: marks over the views, and a panel below them, which is drawn
/// once.
class LiveExplanation {
 public:
  /// @param channels  Of the model.
  /// @param pixel     Null without a pixel. Both must outlive this object.
  LiveExplanation(const TestChoice& choice, const image::ChannelLayout& channels, const ExplainedPixel* pixel);

  /// Marks the tests over a view of the frame. @param image  Only tests that read this image; empty: all.
  void mark(Array2<image::Rgb>* view, std::optional<image::FrameImage> image) const;
  /// Marks only the pixel.
  void mark_pixel_alone(Array2<image::Rgb>* view) const;

  /// The class probabilities as bars, the result of each test, and close-ups of the regions that the tests read; `cols`
  /// wide, and high enough for any pixel.
  const Array2<image::Rgb>& panel(std::size_t cols);

 private:
  std::size_t num_lines() const;
  std::vector<Box> blocks(std::size_t cols) const;
  void fill_panel(const std::vector<Box>& blocks);
  void add_bars(const Box& block);
  void add_tree(const Box& block, std::size_t tree, const report::ExplanationWords::Tree& words);

  TestChoice choice_;
  std::vector<image::FrameImage> images_;  // read by the model
  const ExplainedPixel* pixel_;
  Array2<image::Rgb> panel_;
  std::vector<Text> texts_;  // of the panel
};

}  // namespace fernwood::apps
