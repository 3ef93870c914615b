// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/parallel.h"
#include "fernwood/forest/forest.h"
#include "predict/strip.h"

namespace fernwood::predict {

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
