// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/forest/tree.h"
#include "forest/respond_kernels.h"
#include "predict/pixel_grid.h"

namespace fernwood::predict {

/// A tree as labelling reads it.
struct TreeTables {
  std::vector<forest::Node> nodes;
  Array2<float> probabilities;  ///< [leaf][class]
};

/// Some rows of a grid of pixels on their way through a tree: pixels of the same node side by side, so that one feature
/// is asked about many pixels in a vector, and a leaf's probabilities are read once for all of them.
class Strip {
 public:
  /// Pixels of rows [row_begin, row_end) of the grid.
  void start(const image::FrameView& frame, const PixelGrid& grid, std::int32_t row_begin, std::int32_t row_end);

  /// Sends all pixels down `tree` and adds the probabilities of their leaves to sums[pixel][class], the pixels in
  /// raster order within the strip.
  void add_tree(const image::FrameView& frame, const TreeTables& tree, const forest::RespondKernels& kernels,
                float* sums);

 private:
  struct Range {
    std::int32_t node;
    std::uint32_t begin, end;
  };
  std::uint32_t partition(std::uint32_t begin, std::uint32_t end, float threshold);
  void add_leaf(const TreeTables& tree, std::int32_t leaf, const Range& range, float* sums) const;
  template <std::int32_t kStep>
  void add_row(const float* row, std::size_t num_classes, const Range& range, float* sums) const;

  PixelGrid grid_ = {};
  std::int32_t row_begin_ = 0;
  std::vector<forest::PixelSite> start_, sites_, right_;
  std::vector<float> responses_;
  std::vector<Range> open_;
};

}  // namespace fernwood::predict
