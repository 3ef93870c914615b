// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Why a pixel gets its class: found, drawn over the frame, and told in a panel.

#include <memory>
#include <optional>
#include <vector>

#include "apps/live/window.h"
#include "fernwood/evaluate/explain.h"
#include "fernwood/report/evaluation.h"

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

/// Explains the pixel that the user points at in the frame that is shown. Does nothing before that, and while
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

/// What `live` shows of the pixel under the mouse: marks over the views, and a panel below them, which is drawn once.
class LiveExplanation {
 public:
  /// @param channels  The model's.
  /// @param pixel     Null: none has been pointed at. Both must outlive this.
  LiveExplanation(const TestChoice& choice, const image::ChannelLayout& channels, const ExplainedPixel* pixel);

  /// Over a view of the frame. @param group  Only tests that read such channels; empty: all.
  void mark(Array2<image::Rgb>* view, std::optional<image::FrameImage> image) const;
  /// The same without tests.
  void mark_pixel_alone(Array2<image::Rgb>* view) const;

  /// The classes' probabilities as bars, what each test said, and close-ups of what the tests look at; so wide, and
  /// as high as it must be for any pixel.
  const Array2<image::Rgb>& panel(std::size_t cols);

 private:
  std::size_t num_lines() const;
  std::vector<Box> blocks(std::size_t cols) const;
  void fill_panel(const std::vector<Box>& blocks);
  void add_bars(const Box& block);
  void add_tree(const Box& block, std::size_t tree, const report::ExplanationWords::Tree& words);

  TestChoice choice_;
  std::vector<image::FrameImage> images_;  // that the model reads
  const ExplainedPixel* pixel_;
  Array2<image::Rgb> panel_;
  std::vector<Text> texts_;  // of the panel
};

}  // namespace fernwood::apps
