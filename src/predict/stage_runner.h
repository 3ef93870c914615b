// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/isa.h"
#include "fernwood/core/parallel.h"
#include "fernwood/forest/forest.h"
#include "predict/row_tile.h"

namespace fernwood::predict {

/// The rows of a grid of pixels that one thread processes at a time.
struct GridRows {
  PixelGrid grid;
  std::int32_t begin, end;

  std::size_t first() const { return static_cast<std::size_t>(begin * grid.cols); }
  std::size_t size() const { return static_cast<std::size_t>((end - begin) * grid.cols); }
};

/// Calls body(rows, tile) for tiles that together cover the grid, on the threads of a pool.
/// @param tiles  [thread of the pool], or a single one if the pool is null.
void for_each_row_tile(const PixelGrid& grid, ThreadPool* pool, std::vector<RowTile>& tiles,
                       const std::function<void(const GridRows& rows, RowTile& tile)>& body);

/// @throws Error(kModel) when a stage is missing or has no tree.
void check_stages(const forest::Forest& forest);

/// The context stages of a forest, on the CPU. Thread-safe if each thread has its own tiles.
class ContextStageRunner {
 public:
  /// @throws Error(kModel) when a stage has no tree.
  ContextStageRunner(const forest::Forest& forest, const KernelVariant& choice);

  /// See prepare_for().
  image::PreparedFrame prepare(const image::FrameImages& frame, ThreadPool* pool, std::vector<RowTile>& tiles) const;

  /// Class probabilities of the representative pixels of cells. @param trees  Trees of any stage of the forest.
  /// @param wanted  [cells] Only cells with a value other than 0 are evaluated, others get 0; null: all cells.
  image::ContextMaps find_context(const image::FrameView& frame, const std::vector<TreeTables>& trees, ThreadPool* pool,
                                  std::vector<RowTile>& tiles, const std::uint8_t* wanted = nullptr) const;

 private:
  image::Preparation preparation_;
  forest::ForestKind kind_;
  std::size_t num_classes_;
  LabelLoops loops_;
  std::vector<std::vector<TreeTables>> stages_;  // without the labelling stage
};

}  // namespace fernwood::predict
