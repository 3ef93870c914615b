// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/stage_runner.h"

#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/predict/predictor.h"

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
    maps.values[i % num_classes * num_cells + first + i / num_classes] = image::context_step(sums[i], num_trees);
}

}  // namespace

void Strip::start(const image::FrameView& frame, const PixelGrid& grid, std::int32_t row_begin, std::int32_t row_end) {
  grid_ = grid;
  row_begin_ = row_begin;
  const auto size = static_cast<std::size_t>((row_end - row_begin) * grid.cols);
  for (auto* items : {&start_, &right_}) items->resize(size);
  responses_.resize(size);
  forest::PixelSite* site = start_.data();
  for (std::int32_t row = row_begin; row < row_end; ++row)
    for (std::int32_t col = 0; col < grid.cols; ++col)
      *site++ = forest::pixel_site(frame, grid.pixel(col, frame.cols), grid.pixel(row, frame.rows), false);
}

void Strip::add_tree(const image::FrameView& frame, const TreeTables& tree, const forest::RespondKernels& kernels,
                     float* sums) {
  sites_ = start_;
  open_.assign(1, {0, 0, static_cast<std::uint32_t>(sites_.size())});
  while (!open_.empty()) {
    const Range range = open_.back();
    open_.pop_back();
    if (range.begin == range.end) continue;
    const forest::Node& node = tree.nodes[static_cast<std::size_t>(range.node)];
    if (node.is_leaf()) {
      add_leaf(tree, node.leaf_index(), range, sums);
      continue;
    }
    kernels.respond(frame, node.feature, sites_.data() + range.begin, range.end - range.begin, responses_.data());
    const std::uint32_t middle = partition(range.begin, range.end, node.threshold);
    open_.push_back({node.child + 1, middle, range.end});
    open_.push_back({node.child, range.begin, middle});
  }
}

/// Moves the pixels that go left to the front; both sides keep their order, so that neighbours in the picture stay
/// neighbours in memory. Returns where the right side begins.
std::uint32_t Strip::partition(std::uint32_t begin, std::uint32_t end, float threshold) {
  forest::PixelSite* left = sites_.data() + begin;
  forest::PixelSite* right = right_.data();
  const float* response = responses_.data();
  for (const forest::PixelSite *site = left, *last = sites_.data() + end; site != last; ++site, ++response) {
    // Written to both sides, counted on one: no branch that could be guessed wrong.
    const forest::PixelSite copy = *site;
    const int goes_right = side(*response, threshold);
    *left = copy;
    *right = copy;
    left += 1 - goes_right;
    right += goes_right;
  }
  std::copy(right_.data(), right, left);
  return static_cast<std::uint32_t>(left - sites_.data());
}

void Strip::add_leaf(const TreeTables& tree, std::int32_t leaf, const Range& range, float* sums) const {
  const float* row = tree.probabilities.row(static_cast<std::size_t>(leaf));
  const auto add = grid_.step == 1 ? &Strip::add_row<1> : &Strip::add_row<image::kContextStep>;
  (this->*add)(row, tree.probabilities.cols(), range, sums);
}

/// @param kStep  That of the grid, known when compiling: the cell of a pixel is a division away.
template <std::int32_t kStep>
void Strip::add_row(const float* row, std::size_t num_classes, const Range& range, float* sums) const {
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    const std::int32_t cell = (sites_[i].y() / kStep - row_begin_) * grid_.cols + sites_[i].x() / kStep;
    float* sum = sums + static_cast<std::size_t>(cell) * num_classes;
    for (std::size_t c = 0; c < num_classes; ++c) sum[c] += row[c];
  }
}

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
  FW_CHECK(!forest.labelling_trees().empty(), Model, "the forest has no tree; train one first");
  for (std::size_t s = 0; s + 1 < forest.num_stages(); ++s)
    FW_CHECK(!forest.stages[s].empty(), Model, "context stage " << s << " of the forest has no tree; train it first");
  FW_CHECK(forest.preparation.channels.num_context() == 0 || forest.num_stages() > 1, Model,
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
  for (std::size_t s = 0; s + 1 < forest.num_stages(); ++s) stages_.push_back(tables_of(forest, forest.stages[s]));
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
