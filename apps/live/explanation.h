// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "apps/live/explained_tests.h"

namespace fernwood::apps {

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
  void add_tree(const Box& block, std::size_t tree, const evaluate::ExplanationWords::Tree& words);

  TestChoice choice_;
  std::vector<image::FrameImage> images_;  // that the model reads
  const ExplainedPixel* pixel_;
  Array2<image::Rgb> panel_;
  std::vector<Text> texts_;  // of the panel
};

}  // namespace fernwood::apps
