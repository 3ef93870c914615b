// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "core/isa.h"
#include "fernwood/core/array.h"
#include "fernwood/forest/forest.h"
#include "forest/respond_kernels.h"
#include "predict/pixel_grid.h"
#include "predict/strip_kernels.h"

namespace fernwood::predict {

/// The loops that labelling spends its time in.
struct LabelLoops {
  const forest::RespondKernels& respond;
  const StripKernels& strip;

  explicit LabelLoops(const LoopChoice& choice)
      : respond(forest::respond_kernels(choice)), strip(strip_kernels(choice.isa)) {}
};

/// A tree as labelling reads it.
struct TreeTables {
  std::vector<forest::Node> nodes;
  Array2<float> probabilities;  ///< [leaf][padded_classes()], 0 behind the last class.
};

/// The trees of a stage as labelling reads them.
std::vector<TreeTables> tables_of(const forest::Forest& forest, const std::vector<forest::Tree>& trees);

/// Some rows of a grid of pixels on their way through trees: pixels of the same node side by side, so that one feature
/// is asked about many pixels in a vector, and a leaf's probabilities are read once for all of them.
class Strip {
 public:
  /// Pixels of rows [row_begin, row_end) of the grid, which no tree has seen.
  void start(const image::FrameView& frame, const PixelGrid& grid, std::int32_t row_begin, std::int32_t row_end,
             std::size_t num_classes);
  /// Sends all pixels down `tree` and adds the probabilities of their leaves to the sums.
  void add_tree(const image::FrameView& frame, const TreeTables& tree, const LabelLoops& loops);

  std::size_t num_pixels() const { return start_.size(); }
  std::size_t num_classes() const { return num_classes_; }
  /// Sums over the trees of probabilities, [num_pixels][padded_classes()], the pixels in raster order within the strip.
  std::vector<float>& sums() { return sums_; }
  const float* sums_of(std::size_t pixel) const { return sums_.data() + pixel * padded_classes(num_classes_); }
  /// @param labels  [num_pixels], written: the class of the highest sum, kVoid where all are 0.
  void choose_labels(const LabelLoops& loops, std::uint16_t* labels) const;

 private:
  /// Pixels of a node, in one of the buffers that take turns, as the levels of a tree do.
  struct Range {
    std::int32_t node;
    std::uint32_t begin, end;
    const std::vector<forest::PixelSite>* sites;
  };

  PixelGrid grid_ = {};
  std::int32_t row_begin_ = 0;
  std::size_t num_classes_ = 0;
  std::vector<forest::PixelSite> start_, parted_[2];
  std::vector<float> responses_, sums_;
  std::vector<Range> open_;
};

}  // namespace fernwood::predict
