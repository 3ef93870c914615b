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

/// A tree of a training. draw() identifies it by its position in the plan.
struct PlannedTree {
  int stage;      ///< Starting at 0.
  int fold = -1;  ///< The part of the frames excluded from its training; -1: none.
  int index = 0;  ///< Index within the forest of its stage and fold.
  bool operator==(const PlannedTree&) const = default;
};

/// Options of the trees of a stage. A boosted stage before the last, of which folds + 1 forests are grown, has a
/// quarter of the trees, at twice the rate, two levels less deep, from half of the samples and a third of the
/// candidates: the next stage reads averages of its probabilities over regions, which hardly change. On NYU Depth v2
/// two stages then cost twice as much as one, in place of seven times, and lose 0.3 points.
TrainOptions options_of_stage(const TrainOptions& options, int stage);

/// All trees of a training, in the order in which they are grown. Each stage except the last has one forest for each
/// fold, grown on the frames of the other folds, and one grown on all frames, which is kept. In training, the next
/// stage reads predictions only of trees that have not seen the frame; at prediction it reads those of the forest grown
/// on all frames (cross-fitting, as in Wolpert's stacked generalization, 1992).
/// @param num_folds  See num_folds_of().
std::vector<PlannedTree> plan_trees(const TrainOptions& options, int num_folds);

/// Trees [begin, end) of a plan.
struct TreeRange {
  std::size_t begin, end;
};
/// The trees of one forest of the plan. @param fold  -1: the forest that is kept.
TreeRange trees_of(const std::vector<PlannedTree>& plan, int stage, int fold);

/// The tree whose index seeds the drawing of frames and samples for a tree: the tree itself, or for boosted trees,
/// which all share one set of samples, the first of their forest. @param tree  Position in the plan.
std::uint32_t drawing_tree(const std::vector<PlannedTree>& plan, std::size_t tree, const TrainOptions& options);

/// The state of a training: the trees grown so far.
struct GrowingForest {
  forest::Forest model;  ///< The forest before growing; without trees.
  std::vector<PlannedTree> plan;
  std::vector<forest::Tree> trees;  ///< [position in the plan] Trees grown so far, the first ones of the plan.
  std::string reading_json = "{}";  ///< How the frames are read and grouped, see describe_reading().

  const PlannedTree& next() const { return plan[trees.size()]; }
};
/// The model with the kept trees of each stage. The last stage may have ended early.
forest::Forest finished_forest(GrowingForest growing);

/// The fold of each frame, [frame], numbered from 0: runs of successive frames, of equal length. Neighbouring frames
/// often show the same scene, so they should stay in one fold.
/// @param groups  [frame] frames of one group stay together, in the fold of the group's first frame; empty: each frame
/// is its own group.
std::vector<int> fold_frames(std::size_t num_frames, int folds, const std::vector<std::uint32_t>& groups = {});

/// Number of folds: options.folds, or fewer if there are fewer frames or groups.
/// @throws Error(kUsage) when there is only one, and several stages.
int num_folds_of(const std::vector<int>& fold_of_frame, const TrainOptions& options);

/// Fold number of frames that are not used for training.
inline constexpr int kNotLearnedFrom = -1;

/// Training frames outside a fold, ascending. @param fold  -1: all training frames.
std::vector<std::uint32_t> frames_outside(const std::vector<int>& fold_of_frame, int fold);
/// Frames of a fold, ascending.
std::vector<std::uint32_t> frames_inside(const std::vector<int>& fold_of_frame, int fold);

/// Class probabilities of a stage for the frames. Training frames get those of the trees that have not seen their fold;
/// other frames get those of the trees grown on all training frames.
/// @param forest         Must have all trees of the stage.
/// @param fold_of_frame  [frame]
/// @return  [frame] Identical on every device and for any number of threads; empty for frames that the device does not
/// hold.
std::vector<image::ContextMaps> context_of_frames(const GrowingForest& forest, int stage,
                                                  const std::vector<int>& fold_of_frame, TrainDevice& device,
                                                  ThreadPool& pool);

}  // namespace fernwood::train
