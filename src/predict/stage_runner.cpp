// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/stage_runner.h"

#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/predict/prepare_for.h"

namespace fernwood::predict {

namespace {

/// A strip's sums stay in the second-level cache, and there are enough strips to keep all threads busy to the end.
constexpr std::size_t kSumsPerStrip = 1 << 17;
constexpr std::size_t kStripsPerThread = 4;

std::int32_t rows_per_strip(const PixelGrid& grid, std::size_t num_classes, std::size_t num_threads) {
  const std::size_t by_memory = kSumsPerStrip / (static_cast<std::size_t>(grid.cols) * num_classes);
  const std::size_t by_threads = static_cast<std::size_t>(grid.rows) / (kStripsPerThread * num_threads);
  return static_cast<std::int32_t>(std::max<std::size_t>(1, std::min(by_memory, by_threads)));
}

/// Means over the trees in steps, from sums[cell][class].
void store_means(const std::vector<float>& sums, std::size_t num_classes, float num_trees, std::size_t first,
                 image::ContextMaps& maps) {
  const std::size_t num_cells = maps.rows * maps.cols;
  for (std::size_t i = 0; i < sums.size(); ++i)
    maps.values[i % num_classes * num_cells + first + i / num_classes] = image::context_step(sums[i] / num_trees);
}

}  // namespace

void for_each_strip(const PixelGrid& grid, std::size_t num_classes, ThreadPool* pool, std::vector<StripWorker>& workers,
                    const std::function<void(const GridRows& rows, StripWorker& worker)>& body) {
  const std::int32_t height = rows_per_strip(grid, num_classes, workers.size());
  const auto num_strips = static_cast<std::size_t>((grid.rows + height - 1) / height);
  const auto run = [&](std::size_t strip, int worker) {
    const std::int32_t begin = static_cast<std::int32_t>(strip) * height;
    body({grid, begin, std::min(begin + height, grid.rows)}, workers[static_cast<std::size_t>(worker)]);
  };
  if (pool) return pool->for_each(num_strips, run);
  for (std::size_t strip = 0; strip < num_strips; ++strip) run(strip, 0);
}

void check_stages(const forest::Forest& forest) {
  FW_CHECK(!forest.trees.empty(), Model, "the forest has no tree; train one first");
  for (std::size_t s = 0; s < forest.context_stages.size(); ++s)
    FW_CHECK(!forest.context_stages[s].empty(), Model,
             "context stage " << s << " of the forest has no tree; train it first");
  FW_CHECK(forest.preparation.channels.num_context() == 0 || !forest.context_stages.empty(), Model,
           "the forest reads the context of a stage that it lacks: its training was not finished; resume it");
}

std::vector<TreeTables> tables_of(const forest::Forest& forest, const std::vector<forest::Tree>& trees) {
  std::vector<TreeTables> tables;
  for (const forest::Tree& tree : trees) tables.push_back({tree.nodes, forest::leaf_probabilities(forest, tree)});
  return tables;
}

StageRunner::StageRunner(const forest::Forest& forest, Isa isa)
    : preparation_(forest.preparation), num_classes_(forest.classes.size()), kernels_(forest::respond_kernels(isa)) {
  check_stages(forest);
  for (const std::vector<forest::Tree>& trees : forest.context_stages) stages_.push_back(tables_of(forest, trees));
}

image::ContextMaps StageRunner::find_context(const image::FrameView& frame, const std::vector<TreeTables>& trees,
                                             ThreadPool* pool, std::vector<StripWorker>& workers) const {
  const PixelGrid grid = context_grid(frame);
  image::ContextMaps maps{static_cast<std::size_t>(grid.rows), static_cast<std::size_t>(grid.cols), {}};
  maps.values.resize(num_classes_ * maps.rows * maps.cols);
  for_each_strip(grid, num_classes_, pool, workers, [&](const GridRows& rows, StripWorker& worker) {
    worker.strip.start(frame, grid, rows.begin, rows.end);
    worker.sums.assign(rows.size() * num_classes_, 0.0f);
    for (const TreeTables& tree : trees) worker.strip.add_tree(frame, tree, kernels_, worker.sums.data());
    store_means(worker.sums, num_classes_, static_cast<float>(trees.size()), rows.first(), maps);
  });
  return maps;
}

image::PreparedFrame StageRunner::prepare(const image::Frame& frame, ThreadPool* pool,
                                          std::vector<StripWorker>& workers) const {
  image::PreparedFrame prepared(frame, preparation_, pool);
  for (const std::vector<TreeTables>& trees : stages_)
    prepared.set_context(find_context(prepared.view(), trees, pool, workers), pool);
  return prepared;
}

image::PreparedFrame prepare_for(const forest::Forest& forest, const image::Frame& frame, ThreadPool* pool) {
  std::vector<StripWorker> workers(static_cast<std::size_t>(pool ? pool->num_threads() : 1));
  return StageRunner(forest, available_isas().back()).prepare(frame, pool, workers);
}

}  // namespace fernwood::predict
