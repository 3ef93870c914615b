// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/stage_plan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "fernwood/core/error.h"

namespace fernwood::train {

std::vector<PlannedTree> plan_trees(const TrainOptions& options) {
  std::vector<PlannedTree> plan;
  const auto add_forest = [&](int stage, int fold) {
    for (int index = 0; index < options.trees; ++index) plan.push_back({stage, fold, index});
  };
  for (int stage = 0; stage < options.stages; ++stage) {
    if (stage + 1 < options.stages)
      for (int fold = 0; fold < options.folds; ++fold) add_forest(stage, fold);
    add_forest(stage, -1);
  }
  return plan;
}

TreeRange trees_of(const std::vector<PlannedTree>& plan, int stage, int fold) {
  const auto found = std::ranges::equal_range(
      plan, std::pair(stage, static_cast<unsigned>(fold)), {},
      // -1 as unsigned comes behind all folds
      [](const PlannedTree& tree) { return std::pair(tree.stage, static_cast<unsigned>(tree.fold)); });
  return {static_cast<std::size_t>(found.begin() - plan.begin()), static_cast<std::size_t>(found.end() - plan.begin())};
}

void part_stages(const std::vector<PlannedTree>& plan, int stages, forest::Forest& forest) {
  std::vector<forest::Tree> all = std::move(forest.trees);
  for (int stage = 0; stage < stages; ++stage) {
    const TreeRange range = trees_of(plan, stage, -1);
    const auto at = [&](std::size_t place) {
      return std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(std::min(place, all.size())));
    };
    std::vector<forest::Tree> kept(at(range.begin), at(range.end));
    if (stage + 1 < stages)
      forest.context_stages.push_back(std::move(kept));
    else
      forest.trees = std::move(kept);
  }
}

std::vector<int> fold_frames(std::size_t num_frames, int folds, const std::vector<std::uint32_t>& groups) {
  std::vector<int> fold_of_frame(num_frames);
  std::map<std::uint32_t, std::size_t> first_of_group;
  for (std::size_t frame = 0; frame < num_frames; ++frame) {
    const std::size_t first = groups.empty() ? frame : first_of_group.emplace(groups[frame], frame).first->second;
    fold_of_frame[frame] = static_cast<int>(first * static_cast<std::size_t>(folds) / num_frames);
  }
  return fold_of_frame;
}

void check_folds(const std::vector<int>& fold_of_frame, const TrainOptions& options) {
  if (options.stages == 1) return;
  for (int fold = 0; fold < options.folds; ++fold)
    FW_CHECK(std::ranges::count(fold_of_frame, fold) > 0, Usage,
             "--folds " << options.folds << " parts the " << fold_of_frame.size()
                        << " frames, or their groups, into fewer parts than that; give fewer folds, or --stages 1");
}

std::vector<std::uint32_t> frames_outside(const std::vector<int>& fold_of_frame, int fold) {
  std::vector<std::uint32_t> frames;
  for (std::uint32_t frame = 0; frame < fold_of_frame.size(); ++frame)
    if (fold_of_frame[frame] != fold) frames.push_back(frame);
  return frames;
}

std::vector<std::uint32_t> frames_inside(const std::vector<int>& fold_of_frame, int fold) {
  std::vector<std::uint32_t> frames;
  for (std::uint32_t frame = 0; frame < fold_of_frame.size(); ++frame)
    if (fold_of_frame[frame] == fold) frames.push_back(frame);
  return frames;
}

}  // namespace fernwood::train
