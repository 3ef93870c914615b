// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/forest/forest.h"
#include "fernwood/image/context.h"
#include "fernwood/train/options.h"
#include "train/train_device.h"

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

/// The tree whose number draws the frames and samples that a tree learns from: itself, but of boosted trees, which all
/// learn from the same, the first of their forest. @param tree  Its place in the plan.
std::uint32_t drawing_tree(const std::vector<PlannedTree>& plan, std::size_t tree, const TrainOptions& options);

/// What is grown so far of a training.
struct GrowingForest {
  forest::Forest model;  ///< All that is known before growing; without trees.
  std::vector<PlannedTree> plan;
  std::vector<forest::Tree> trees;  ///< [place in the plan] Those that are grown, a part of the plan's.
  std::string reading_json = "{}";  ///< How the frames are read and grouped, see describe_reading().

  const PlannedTree& next() const { return plan[trees.size()]; }
};
/// The model with the trees of each stage that are kept. The last stage may have ended early.
forest::Forest finished_forest(GrowingForest growing);

/// The part that each frame belongs to, [frame]: as many frames that follow one another as there are in the others.
/// Neighbours often show the same scene, so they should not be parted.
/// @param groups  [frame] frames of equal numbers stay together, where the first of them belongs; empty: each is on its
/// own.
std::vector<int> fold_frames(std::size_t num_frames, int folds, const std::vector<std::uint32_t>& groups = {});

/// @throws Error(kUsage) when a fold would be empty or leave no frame to learn from.
void check_folds(const std::vector<int>& fold_of_frame, const TrainOptions& options);

/// In place of the fold of a frame that no tree learns from.
inline constexpr int kNotLearnedFrom = -1;

/// Frames outside a fold that are learned from, ascending. @param fold  -1: all that are learned from.
std::vector<std::uint32_t> frames_outside(const std::vector<int>& fold_of_frame, int fold);
/// Frames of a fold, ascending.
std::vector<std::uint32_t> frames_inside(const std::vector<int>& fold_of_frame, int fold);

/// The class probabilities of a stage for the frames: of each by those of its trees that have not seen the frame's
/// fold; of one that is not learned from by those that have seen all others.
/// @param forest         With all trees of the stage.
/// @param fold_of_frame  [frame]
/// @return  [frame] The same on every device and any number of threads; empty for a frame that the device does not
/// hold.
std::vector<image::ContextMaps> context_of_frames(const GrowingForest& forest, int stage,
                                                  const std::vector<int>& fold_of_frame, TrainDevice& device,
                                                  ThreadPool& pool);

}  // namespace fernwood::train
