// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/forest/forest.h"
#include "fernwood/train/options.h"

namespace fernwood::train {

/// A tree of a training. Its place in the plan is what draw() is told of it.
struct PlannedTree {
  int stage;      ///< From 0.
  int fold = -1;  ///< The part of the frames that it must not see; -1: it sees all.
  int index = 0;  ///< Within the forest of its stage and fold.
  bool operator==(const PlannedTree&) const = default;
};

/// All trees of a training, in the order in which they are grown. Each stage but the last has a forest for each fold,
/// grown on the frames of the others, and one grown on all, which is kept: what the next stage reads of a frame when it
/// is trained never comes from trees that have seen the frame, and at prediction comes from all that was there to learn
/// from (cross-fitting, as in Wolpert's stacked generalization, 1992). The last stage has options.trees.
std::vector<PlannedTree> plan_trees(const TrainOptions& options);

/// Trees [begin, end) of a plan.
struct TreeRange {
  std::size_t begin, end;
};
/// The trees of a forest of the plan. @param fold  -1: the one that is kept.
TreeRange trees_of(const std::vector<PlannedTree>& plan, int stage, int fold);

/// Moves the trees of a plan to where a finished forest has them: those of each stage that are kept. The last stage may
/// have ended early.
void part_stages(const std::vector<PlannedTree>& plan, int stages, forest::Forest& forest);

/// The part that each frame belongs to, [frame]: as many frames that follow one another as there are in the others.
/// Neighbours often show the same scene, so they should not be parted.
/// @param groups  [frame] frames of equal numbers stay together, where the first of them belongs; empty: each is on its
/// own.
std::vector<int> fold_frames(std::size_t num_frames, int folds, const std::vector<std::uint32_t>& groups = {});

/// @throws Error(kUsage) when a fold would be empty or leave no frame to learn from.
void check_folds(const std::vector<int>& fold_of_frame, const TrainOptions& options);

/// Frames outside a fold, ascending. @param fold  -1: all frames.
std::vector<std::uint32_t> frames_outside(const std::vector<int>& fold_of_frame, int fold);
/// Frames of a fold, ascending.
std::vector<std::uint32_t> frames_inside(const std::vector<int>& fold_of_frame, int fold);

}  // namespace fernwood::train
