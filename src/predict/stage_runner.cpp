// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cpu_predictor.h"

#include <algorithm>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/predict/predictor.h"
#include "forest/leaf.h"
#include "forest/loops.h"

namespace fernwood::predict {

namespace {

/// The pixels of a tile fit in the L2 cache.
constexpr std::size_t kPixelsPerTile = 1 << 15;
/// Keeps all threads busy to the end. Cells that are chosen are few, and few pixels at a node make short vectors: they
/// are divided equally among the threads instead.
constexpr std::size_t kTilesPerThread = 4;

/// First rows of tiles with about equally many cells to evaluate, and the number of rows.
std::vector<std::int32_t> tile_edges(const PixelGrid& grid, std::size_t num_threads, const std::uint8_t* wanted) {
  const auto cols = static_cast<std::size_t>(grid.cols);
  const auto cells_of = [&](std::int32_t row) {
    if (!wanted) return cols;
    const std::uint8_t* of_row = wanted + static_cast<std::size_t>(row) * cols;
    return static_cast<std::size_t>(cols - static_cast<std::size_t>(std::count(of_row, of_row + cols, 0)));
  };
  std::size_t all = 0, cells = 0;
  for (std::int32_t row = 0; row < grid.rows; ++row) all += cells_of(row);
  const std::size_t num_tiles =
      std::max(wanted ? num_threads : kTilesPerThread * num_threads, (all + kPixelsPerTile - 1) / kPixelsPerTile);
  std::vector<std::int32_t> edges = {0};
  for (std::int32_t row = 0; row + 1 < grid.rows; ++row) {
    cells += cells_of(row);
    if (cells * num_tiles >= all * edges.size()) edges.push_back(row + 1);
  }
  edges.push_back(grid.rows);
  return edges;
}

}  // namespace

void for_each_row_tile(const PixelGrid& grid, ThreadPool* pool, std::vector<RowTile>& tiles,
                       const std::function<void(const GridRows& rows, RowTile& tile)>& body,
                       const std::uint8_t* wanted) {
  const std::vector<std::int32_t> edges = tile_edges(grid, tiles.size(), wanted);
  const auto run = [&](std::size_t i, int worker) {
    body({grid, edges[i], edges[i + 1]}, tiles[static_cast<std::size_t>(worker)]);
  };
  if (pool) return pool->for_each(edges.size() - 1, run);
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) run(i, 0);
}

void check_stages(const forest::Forest& forest) {
  FW_CHECK(!forest.labelling_trees().empty(), Model, "the forest has no tree; train one first");
  for (std::size_t s = 0; s + 1 < forest.num_stages(); ++s)
    FW_CHECK(!forest.stages[s].empty(), Model, "context stage " << s << " of the forest has no tree; train it first");
  FW_CHECK(forest.preparation.channels.num_context() == 0 || forest.num_stages() > 1, Model,
           "the forest reads the context of a stage that it lacks: its training was not finished; resume it");
}

ContextStageRunner::ContextStageRunner(const forest::Forest& forest, const KernelVariant& choice)
    : preparation_(forest.preparation), kind_(forest.kind), num_classes_(forest.classes.size()), loops_(choice) {
  check_stages(forest);
  for (std::size_t s = 0; s + 1 < forest.num_stages(); ++s) stages_.push_back(tables_of(forest, forest.stages[s]));
}

image::ContextMaps ContextStageRunner::empty_maps(const image::FrameView& frame) const {
  const PixelGrid grid = context_grid(frame);
  const auto rows = static_cast<std::size_t>(grid.rows), cols = static_cast<std::size_t>(grid.cols);
  return {rows, cols, std::vector<std::uint8_t>(num_classes_ * rows * cols)};
}

void ContextStageRunner::find_context(const image::FrameView& frame, const std::vector<TreeTables>& trees,
                                      ThreadPool* pool, std::vector<RowTile>& tiles, const std::uint8_t* wanted,
                                      image::ContextMaps& maps) const {
  const PixelGrid grid = context_grid(frame);
  const std::size_t num_cells = maps.rows * maps.cols;
  for_each_row_tile(
      grid, pool, tiles,
      [&](const GridRows& rows, RowTile& tile) {
        if (wanted)
          tile.start_with(frame, grid, rows.begin, rows.end, wanted);
        else
          tile.start(frame, grid, rows.begin, rows.end);
        const auto keep = [&](std::size_t first, std::size_t count, const float* sums) {
          for (std::size_t i = 0; i < count; ++i) {
            const float* of_cell = sums + i * padded_classes(num_classes_);
            const forest::SoftmaxNormalizer scale = forest::scale_of_row(kind_, of_cell, num_classes_, trees.size());
            for (std::size_t c = 0; c < num_classes_; ++c)
              maps.values[c * num_cells + rows.first() + tile.place(first + i)] =
                  image::context_step(scale.probability(of_cell[c]));
          }
        };
        if (wanted && kind_ == forest::ForestKind::kBoosted)
          return tile.sum_until_sure(frame, trees, num_classes_, loops_, keep);
        tile.find_leaves(frame, trees, loops_);
        tile.sum(trees, 0, num_classes_, loops_, keep);
      },
      wanted);
}

image::PreparedFrame ContextStageRunner::prepare(const image::FrameImages& frame, ThreadPool* pool,
                                                 std::vector<RowTile>& tiles) const {
  image::PreparedFrame prepared(frame, preparation_, pool);
  for (const std::vector<TreeTables>& trees : stages_) {
    image::ContextMaps maps = empty_maps(prepared.view());
    find_context(prepared.view(), trees, pool, tiles, nullptr, maps);
    prepared.set_context(std::move(maps), pool);
  }
  return prepared;
}

image::PreparedFrame prepare_for(const forest::Forest& forest, const image::FrameImages& frame, ThreadPool* pool) {
  const DefaultFloats floats;
  std::vector<RowTile> tiles(static_cast<std::size_t>(pool ? pool->num_threads() : 1));
  return ContextStageRunner(forest, forest::fastest_variant()).prepare(frame, pool, tiles);
}

}  // namespace fernwood::predict
