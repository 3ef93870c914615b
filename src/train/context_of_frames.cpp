// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/context_of_frames.h"

#include <algorithm>

namespace fernwood::train {

namespace {

/// Frames that are asked about at a time, so that memory stays bounded.
constexpr std::size_t kAtOnce = 64;

/// Adds the leaf probabilities of a tree. @param sums  [sample][class]
void add_tree(const Array2<float>& probabilities, const std::vector<std::uint32_t>& leaves, std::size_t begin,
              std::size_t end, Array2<float>& sums) {
  for (std::size_t s = begin; s < end; ++s) {
    const float* row = probabilities.row(leaves[s]);
    float* sum = sums.row(s);
    for (std::size_t c = 0; c < sums.cols(); ++c) sum[c] += row[c];
  }
}

/// Means over the trees, in steps. @param sums  [sample][class] Those of the frame are [begin, end).
image::ContextMaps to_maps(const Array2<float>& sums, std::size_t begin, std::size_t end, std::size_t num_trees,
                           std::size_t cols) {
  const std::size_t cells = end - begin;
  image::ContextMaps maps{cells / cols, cols, std::vector<std::uint8_t>(cells * sums.cols())};
  for (std::size_t c = 0; c < sums.cols(); ++c)
    for (std::size_t i = 0; i < cells; ++i)
      maps.values[c * cells + i] = image::context_step(sums(begin + i, c), static_cast<float>(num_trees));
  return maps;
}

/// The maps of some frames by trees that have not seen them.
void ask(const forest::Forest& forest, TreeRange trees, const std::vector<std::uint32_t>& frames, TrainDevice& device,
         ThreadPool& pool, std::vector<image::ContextMaps>& maps) {
  const SampleSet samples = device.context_samples(frames);
  Array2<float> sums(samples.size(), forest.classes.size());
  for (std::size_t tree = trees.begin; tree < trees.end; ++tree) {
    const std::vector<std::uint32_t> leaves = device.find_leaves(samples, forest.trees[tree].nodes);
    const Array2<float> probabilities = forest::leaf_probabilities(forest, forest.trees[tree]);
    pool.for_each(frames.size(), [&](std::size_t f, int) {
      add_tree(probabilities, leaves, samples.frame_starts[f], samples.frame_starts[f + 1], sums);
    });
  }
  pool.for_each(frames.size(), [&](std::size_t f, int) {
    const std::size_t begin = samples.frame_starts[f], end = samples.frame_starts[f + 1];
    // Cells come row after row: the first row ends where y changes.
    std::size_t cols = 1;
    while (begin + cols < end && samples.sites[begin + cols].y() == samples.sites[begin].y()) ++cols;
    maps[frames[f]] = to_maps(sums, begin, end, trees.end - trees.begin, cols);
  });
}

}  // namespace

std::vector<image::ContextMaps> context_of_frames(const forest::Forest& forest, const std::vector<PlannedTree>& plan,
                                                  int stage, const std::vector<int>& fold_of_frame, TrainDevice& device,
                                                  ThreadPool& pool) {
  std::vector<image::ContextMaps> maps(fold_of_frame.size());
  const int num_folds = 1 + *std::ranges::max_element(fold_of_frame);
  for (int fold = 0; fold < num_folds; ++fold) {
    const std::vector<std::uint32_t> frames = frames_inside(fold_of_frame, fold);
    const TreeRange trees = trees_of(plan, stage, fold);
    for (std::size_t begin = 0; begin < frames.size(); begin += kAtOnce) {
      const auto first = frames.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto count = static_cast<std::ptrdiff_t>(std::min(kAtOnce, frames.size() - begin));
      ask(forest, trees, {first, first + count}, device, pool, maps);
    }
  }
  return maps;
}

}  // namespace fernwood::train
