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

/// Some rows of a grid of pixels that a thread is working on.
struct GridRows {
  PixelGrid grid;
  std::int32_t begin, end;

  std::size_t first() const { return static_cast<std::size_t>(begin * grid.cols); }
  std::size_t size() const { return static_cast<std::size_t>((end - begin) * grid.cols); }
};

/// Calls body(rows, tile) for some rows at a time that together are the grid, on the threads of a pool.
/// @param tiles  [thread of the pool], or one where the pool is null.
void for_each_row_tile(const PixelGrid& grid, ThreadPool* pool, std::vector<RowTile>& tiles,
                       const std::function<void(const GridRows& rows, RowTile& tile)>& body);

/// @throws Error(kModel) when a stage has no tree, or is not there yet.
void check_stages(const forest::Forest& forest);

/// The context stages of a forest, on the processor's cores. Several threads may use one, each with its own tiles.
class ContextStageRunner {
 public:
  /// @throws Error(kModel) when a stage has no tree.
  ContextStageRunner(const forest::Forest& forest, const KernelVariant& choice);

  /// See prepare_for().
  image::PreparedFrame prepare(const image::FrameImages& frame, ThreadPool* pool, std::vector<RowTile>& tiles) const;

  /// What trees say of the pixels that speak for cells. @param trees  Of any stage of the forest.
  /// @param wanted  [cells] Only of those that are not 0, others have 0; null: of all.
  image::ContextMaps find_context(const image::FrameView& frame, const std::vector<TreeTables>& trees, ThreadPool* pool,
                                  std::vector<RowTile>& tiles, const std::uint8_t* wanted = nullptr) const;

 private:
  image::Preparation preparation_;
  forest::ForestKind kind_;
  std::size_t num_classes_;
  LabelLoops loops_;
  std::vector<std::vector<TreeTables>> stages_;  // without the one that labels
};

}  // namespace fernwood::predict
