// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/isa.h"
#include "fernwood/core/array.h"
#include "fernwood/core/parallel.h"
#include "fernwood/forest/forest.h"
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

/// Memory that one thread uses again and again.
struct StripWorker {
  Strip strip;
  std::vector<float> sums, alone;
};

/// Some rows of a grid of pixels that a thread is working on.
struct GridRows {
  PixelGrid grid;
  std::int32_t begin, end;

  std::size_t first() const { return static_cast<std::size_t>(begin * grid.cols); }
  std::size_t size() const { return static_cast<std::size_t>((end - begin) * grid.cols); }
};

/// Calls body(rows, worker) for strips of rows that together are the grid, on the threads of a pool.
/// @param workers  [thread of the pool], or one where the pool is null.
void for_each_strip(const PixelGrid& grid, std::size_t num_classes, ThreadPool* pool, std::vector<StripWorker>& workers,
                    const std::function<void(const GridRows& rows, StripWorker& worker)>& body);

/// @throws Error(kModel) when a stage has no tree, or is not there yet.
void check_stages(const forest::Forest& forest);

/// The trees of a stage as labelling reads them.
std::vector<TreeTables> tables_of(const forest::Forest& forest, const std::vector<forest::Tree>& trees);

/// The context stages of a forest, on the processor's cores. Several threads may use one, each with its own workers.
class StageRunner {
 public:
  /// @throws Error(kModel) when a stage has no tree.
  StageRunner(const forest::Forest& forest, Isa isa);

  /// See prepare_for().
  image::PreparedFrame prepare(const image::Frame& frame, ThreadPool* pool, std::vector<StripWorker>& workers) const;

 private:
  image::ContextMaps find_context(const image::FrameView& frame, const std::vector<TreeTables>& trees, ThreadPool* pool,
                                  std::vector<StripWorker>& workers) const;

  image::Preparation preparation_;
  std::size_t num_classes_;
  const forest::RespondKernels& kernels_;
  std::vector<std::vector<TreeTables>> stages_;  // without the one that labels
};

}  // namespace fernwood::predict
