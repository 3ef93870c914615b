// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/isa.h"
#include "fernwood/core/array.h"
#include "fernwood/forest/forest.h"
#include "forest/respond_kernels.h"
#include "predict/pixel_grid.h"
#include "predict/row_tile_kernels.h"

namespace fernwood::predict {

/// The inner loops of labelling.
struct LabelLoops {
  const forest::RespondKernels& respond;
  const RowTileKernels& tile;

  explicit LabelLoops(const KernelVariant& choice)
      : respond(forest::respond_kernels(choice)), tile(row_tile_kernels(choice.isa)) {}
};

/// A tree in the form that labelling reads.
struct TreeTables {
  std::vector<forest::Node> nodes;
  Array2<float> votes;  ///< [leaf][padded_classes()], 0 after the last class; see leaf_votes().
};

/// Tables of the trees of a stage.
std::vector<TreeTables> tables_of(const forest::Forest& forest, const std::vector<forest::Tree>& trees);

/// Some rows of a grid of pixels while they descend trees: pixels of the same node are contiguous, so that one feature
/// is evaluated for many pixels in a vector.
class RowTile {
 public:
  /// Starts with the pixels of rows [row_begin, row_end) of the grid.
  void start(const image::FrameView& frame, const PixelGrid& grid, std::int32_t row_begin, std::int32_t row_end);
  /// Starts with some cells only. @param wanted  [grid.rows * grid.cols] Cells with a value other than 0.
  void start_with(const image::FrameView& frame, const PixelGrid& grid, std::int32_t row_begin, std::int32_t row_end,
                  const std::uint8_t* wanted);
  /// Finds the leaves of all pixels in all trees.
  void find_leaves(const image::FrameView& frame, const std::vector<TreeTables>& trees, const LabelLoops& loops);

  std::size_t num_pixels() const { return num_pixels_; }
  /// Position of a pixel among all pixels of these rows of the grid.
  std::size_t place(std::size_t pixel) const { return places_.empty() ? pixel : places_[pixel]; }
  /// [num_pixels] Leaves of a tree, pixels in raster order within the tile.
  const std::uint32_t* leaves(std::size_t tree) const { return leaves_.data() + tree * num_pixels_; }

  /// Receives sums over trees for a block of pixels.
  using TakeSums = std::function<void(std::size_t first, std::size_t count, const float* sums)>;
  /// @param first_tree  Index of the first of `trees` among those passed to find_leaves().
  /// @param take        Called with sums [count][padded_classes()] of the pixels [first, first + count).
  void sum(std::span<const TreeTables> trees, std::size_t first_tree, std::size_t num_classes, const LabelLoops& loops,
           const TakeSums& take);
  /// In place of find_leaves() and sum(): pixels leave when the lead of a class is sure, see early_exit.h. They are the
  /// pixels of start() no longer.
  /// @param take  Called once, with sums of all pixels.
  void sum_until_sure(const image::FrameView& frame, std::span<const TreeTables> trees, std::size_t num_classes,
                      const LabelLoops& loops, const TakeSums& take);
  /// @param correction  [class]
  /// @param labels    [num_pixels], output: class of the highest corrected sum, kVoid where all are 0.
  void choose_labels(std::span<const TreeTables> trees, std::span<const forest::ClassPriorCorrection> correction,
                     const LabelLoops& loops, std::uint16_t* labels);

 private:
  /// Resizes the buffers for the pixels to evaluate.
  void make_room();
  /// Pixels of a node, in one of two buffers that alternate from level to level.
  struct Range {
    std::int32_t node;
    std::uint32_t begin, end;
    const std::vector<forest::PixelSite>* sites;
  };
  void descend(const image::FrameView& frame, const std::vector<forest::Node>& nodes, const LabelLoops& loops,
               std::uint32_t* leaves);
  void note_leaf(const forest::PixelSite* sites, std::size_t count, std::uint32_t leaf, std::uint32_t* leaves) const;

  PixelGrid grid_ = {};
  std::int32_t row_begin_ = 0;
  std::size_t num_pixels_ = 0;
  std::vector<std::uint32_t> places_, pixels_;  // from pixels to those of the rows, and back; empty: identical
  std::vector<forest::PixelSite> start_, parted_[2];
  std::vector<float> responses_, sums_;
  std::vector<std::uint32_t> leaves_, unsure_;
  std::vector<Range> open_;
};

}  // namespace fernwood::predict
