// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/stage_plan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "fernwood/core/error.h"
#include "forest/leaf.h"

namespace fernwood::train {

namespace {

/// Frames whose context maps are computed at a time, to bound memory.
constexpr std::size_t kFramesAtOnce = 64;

/// Adds the leaf votes of a tree. @param sums  [sample][class]
void add_tree(const Array2<float>& votes, const std::vector<std::uint32_t>& leaves, std::size_t begin, std::size_t end,
              Array2<float>& sums) {
  for (std::size_t s = begin; s < end; ++s) {
    const float* row = votes.row(leaves[s]);
    float* sum = sums.row(s);
    for (std::size_t c = 0; c < sums.cols(); ++c) sum[c] += row[c];
  }
}

/// Quantised probabilities of `num_trees` trees. @param sums  [sample][class] Rows [begin, end) belong to the frame.
image::ContextMaps to_maps(forest::ForestKind kind, const Array2<float>& sums, std::size_t begin, std::size_t end,
                           std::size_t num_trees, std::size_t cols) {
  const std::size_t cells = end - begin;
  image::ContextMaps maps{cells / cols, cols, std::vector<std::uint8_t>(cells * sums.cols())};
  for (std::size_t i = 0; i < cells; ++i) {
    const float* of_cell = sums.row(begin + i);
    const forest::SoftmaxNormalizer scale = forest::scale_of_row(kind, of_cell, sums.cols(), num_trees);
    for (std::size_t c = 0; c < sums.cols(); ++c)
      maps.values[c * cells + i] = image::context_step(scale.probability(of_cell[c]));
  }
  return maps;
}

/// Context maps of some frames, predicted by trees that have not seen them.
void find_maps(const GrowingForest& forest, TreeRange trees, const std::vector<std::uint32_t>& frames,
               TrainDevice& device, ThreadPool& pool, std::vector<image::ContextMaps>& maps) {
  const SampleSet samples = device.context_samples(frames);
  Array2<float> sums(samples.size(), forest.model.classes.size());
  for (std::size_t tree = trees.begin; tree < trees.end; ++tree) {
    const std::vector<std::uint32_t> leaves = device.find_leaves(samples, forest.trees[tree].nodes);
    const Array2<float> votes = forest::leaf_votes(forest.model, forest.trees[tree], tree - trees.begin);
    pool.for_each(samples.frames.size(), [&](std::size_t f, int) {
      add_tree(votes, leaves, samples.frame_starts[f], samples.frame_starts[f + 1], sums);
    });
  }
  pool.for_each(samples.frames.size(), [&](std::size_t f, int) {
    const std::size_t begin = samples.frame_starts[f], end = samples.frame_starts[f + 1];
    // Cells are in row-major order: the first row ends where y changes.
    std::size_t cols = 1;
    while (begin + cols < end && samples.sites[begin + cols].y() == samples.sites[begin].y()) ++cols;
    maps[samples.frames[f]] = to_maps(forest.model.kind, sums, begin, end, trees.end - trees.begin, cols);
  });
}

}  // namespace

TrainOptions options_of_stage(const TrainOptions& options, int stage) {
  TrainOptions own = options;
  if (options.algorithm != forest::ForestKind::kBoosted || stage + 1 == options.cascade) return own;
  own.trees = std::max(1, options.trees / 4);
  own.learning_rate = std::min(1.0f, 2 * options.learning_rate);
  own.max_depth = std::max(1, options.max_depth - 2);
  own.samples_per_frame = std::max(1, options.samples_per_frame / 2);
  own.features = std::max(1, options.features / 3);
  return own;
}

std::vector<PlannedTree> plan_trees(const TrainOptions& options, int num_folds) {
  std::vector<PlannedTree> plan;
  const auto add_forest = [&](int stage, int fold) {
    const int num_trees = options_of_stage(options, stage).trees;
    for (int index = 0; index < num_trees; ++index) plan.push_back({stage, fold, index});
  };
  for (int stage = 0; stage < options.cascade; ++stage) {
    if (stage + 1 < options.cascade)
      for (int fold = 0; fold < num_folds; ++fold) add_forest(stage, fold);
    add_forest(stage, -1);
  }
  return plan;
}

TreeRange trees_of(const std::vector<PlannedTree>& plan, int stage, int fold) {
  // As unsigned, -1 sorts after all folds.
  const auto forest_of = [](const PlannedTree& tree) {
    return std::pair(tree.stage, static_cast<unsigned>(tree.fold));
  };
  const std::pair wanted(stage, static_cast<unsigned>(fold));
  const auto begin = std::ranges::lower_bound(plan, wanted, {}, forest_of);
  const auto end = std::ranges::upper_bound(plan, wanted, {}, forest_of);
  return {static_cast<std::size_t>(begin - plan.begin()), static_cast<std::size_t>(end - plan.begin())};
}

std::uint32_t drawing_tree(const std::vector<PlannedTree>& plan, std::size_t tree, const TrainOptions& options) {
  const bool alone = options.algorithm != forest::ForestKind::kBoosted;
  return static_cast<std::uint32_t>(alone ? tree : trees_of(plan, plan[tree].stage, plan[tree].fold).begin);
}

forest::Forest finished_forest(GrowingForest growing) {
  forest::Forest finished = std::move(growing.model);
  finished.stages.clear();
  for (int stage = 0; stage <= growing.plan.back().stage; ++stage) {
    const TreeRange kept = trees_of(growing.plan, stage, -1);
    const auto at = [&](std::size_t place) {
      return std::make_move_iterator(growing.trees.begin() +
                                     static_cast<std::ptrdiff_t>(std::min(place, growing.trees.size())));
    };
    finished.stages.emplace_back(at(kept.begin), at(kept.end));
  }
  return finished;
}

std::vector<int> fold_frames(std::size_t num_frames, int folds, const std::vector<std::uint32_t>& groups) {
  std::vector<int> fold_of_frame(num_frames);
  std::map<std::uint32_t, std::size_t> first_of_group;
  std::map<std::size_t, int> numbers;  // of folds that have frames
  for (std::size_t frame = 0; frame < num_frames; ++frame) {
    const std::size_t first = groups.empty() ? frame : first_of_group.emplace(groups[frame], frame).first->second;
    const std::size_t fold = first * static_cast<std::size_t>(folds) / num_frames;
    fold_of_frame[frame] = numbers.emplace(fold, static_cast<int>(numbers.size())).first->second;
  }
  return fold_of_frame;
}

int num_folds_of(const std::vector<int>& fold_of_frame, const TrainOptions& options) {
  const int num_folds = 1 + *std::ranges::max_element(fold_of_frame);
  FW_CHECK(options.cascade == 1 || num_folds > 1, Usage,
           named_option("cascade", std::to_string(options.cascade))
               << " leaves out frames in turn, and there is one, or one group of them; use more, or "
               << named_option("cascade", "1"));
  return num_folds;
}

std::vector<std::uint32_t> frames_outside(const std::vector<int>& fold_of_frame, int fold) {
  std::vector<std::uint32_t> frames;
  for (std::uint32_t frame = 0; frame < fold_of_frame.size(); ++frame)
    if (fold_of_frame[frame] != fold && fold_of_frame[frame] != kNotLearnedFrom) frames.push_back(frame);
  return frames;
}

std::vector<std::uint32_t> frames_inside(const std::vector<int>& fold_of_frame, int fold) {
  std::vector<std::uint32_t> frames;
  for (std::uint32_t frame = 0; frame < fold_of_frame.size(); ++frame)
    if (fold_of_frame[frame] == fold) frames.push_back(frame);
  return frames;
}

std::vector<image::ContextMaps> context_of_frames(const GrowingForest& forest, int stage,
                                                  const std::vector<int>& fold_of_frame, TrainDevice& device,
                                                  ThreadPool& pool) {
  std::vector<image::ContextMaps> maps(fold_of_frame.size());
  const int num_folds = 1 + *std::ranges::max_element(fold_of_frame);
  for (int fold = kNotLearnedFrom; fold < num_folds; ++fold) {
    const std::vector<std::uint32_t> frames = frames_inside(fold_of_frame, fold);
    const TreeRange trees = trees_of(forest.plan, stage, fold);
    for (std::size_t begin = 0; begin < frames.size(); begin += kFramesAtOnce) {
      const auto first = frames.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto count = static_cast<std::ptrdiff_t>(std::min(kFramesAtOnce, frames.size() - begin));
      find_maps(forest, trees, {first, first + count}, device, pool, maps);
    }
  }
  return maps;
}

}  // namespace fernwood::train
