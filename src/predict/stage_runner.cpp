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

/// The pixels of a tile fit in the L2 cache, and the number of tiles keeps all threads busy to the end.
constexpr std::size_t kPixelsPerTile = 1 << 15;
constexpr std::size_t kTilesPerThread = 4;

std::int32_t rows_per_tile(const PixelGrid& grid, std::size_t num_threads) {
  const std::size_t by_memory = kPixelsPerTile / static_cast<std::size_t>(grid.cols);
  const std::size_t by_threads = static_cast<std::size_t>(grid.rows) / (kTilesPerThread * num_threads);
  return static_cast<std::int32_t>(std::max<std::size_t>(1, std::min(by_memory, by_threads)));
}

}  // namespace

void for_each_row_tile(const PixelGrid& grid, ThreadPool* pool, std::vector<RowTile>& tiles,
                       const std::function<void(const GridRows& rows, RowTile& tile)>& body) {
  const std::int32_t height = rows_per_tile(grid, tiles.size());
  const auto num_tiles = static_cast<std::size_t>((grid.rows + height - 1) / height);
  const auto run = [&](std::size_t i, int worker) {
    const std::int32_t begin = static_cast<std::int32_t>(i) * height;
    body({grid, begin, std::min(begin + height, grid.rows)}, tiles[static_cast<std::size_t>(worker)]);
  };
  if (pool) return pool->for_each(num_tiles, run);
  for (std::size_t i = 0; i < num_tiles; ++i) run(i, 0);
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

image::ContextMaps ContextStageRunner::find_context(const image::FrameView& frame, const std::vector<TreeTables>& trees,
                                                    ThreadPool* pool, std::vector<RowTile>& tiles,
                                                    const std::uint8_t* wanted) const {
  const PixelGrid grid = context_grid(frame);
  image::ContextMaps maps{static_cast<std::size_t>(grid.rows), static_cast<std::size_t>(grid.cols), {}};
  const std::size_t num_cells = maps.rows * maps.cols;
  maps.values.resize(num_classes_ * num_cells);
  for_each_row_tile(grid, pool, tiles, [&](const GridRows& rows, RowTile& tile) {
    if (wanted)
      tile.start_with(frame, grid, rows.begin, rows.end, wanted);
    else
      tile.start(frame, grid, rows.begin, rows.end);
    tile.find_leaves(frame, trees, loops_);
    tile.sum(trees, 0, num_classes_, loops_, [&](std::size_t first, std::size_t count, const float* sums) {
      for (std::size_t i = 0; i < count; ++i) {
        const float* of_cell = sums + i * padded_classes(num_classes_);
        const forest::SoftmaxNormalizer scale = forest::scale_of_row(kind_, of_cell, num_classes_, trees.size());
        for (std::size_t c = 0; c < num_classes_; ++c)
          maps.values[c * num_cells + rows.first() + tile.place(first + i)] =
              image::context_step(scale.probability(of_cell[c]));
      }
    });
  });
  return maps;
}

image::PreparedFrame ContextStageRunner::prepare(const image::FrameImages& frame, ThreadPool* pool,
                                                 std::vector<RowTile>& tiles) const {
  image::PreparedFrame prepared(frame, preparation_, pool);
  for (const std::vector<TreeTables>& trees : stages_)
    prepared.set_context(find_context(prepared.view(), trees, pool, tiles), pool);
  return prepared;
}

image::PreparedFrame prepare_for(const forest::Forest& forest, const image::FrameImages& frame, ThreadPool* pool) {
  const DefaultFloats floats;
  std::vector<RowTile> tiles(static_cast<std::size_t>(pool ? pool->num_threads() : 1));
  return ContextStageRunner(forest, forest::fastest_variant()).prepare(frame, pool, tiles);
}

}  // namespace fernwood::predict
