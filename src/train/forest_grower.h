// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "train/boost/boosted_samples.h"
#include "train/checkpoint.h"
#include "train/out_of_bag.h"
#include "train/trainer.h"

namespace fernwood::train {

/// Grows the planned trees one after another, or several at a time where ranks divide trees.
class ForestGrower {
 public:
  /// @param frames  Training frames, ascending; context is also computed for the others, as at prediction.
  /// @param hooks   Checkpoint, reports and stop token.
  /// @param phase   Phase passed to the progress hook.
  ForestGrower(Trainer& trainer, const TrainOptions& options, const std::vector<std::uint32_t>& frames,
               const TrainHooks& hooks, TrainReport& report,
               TrainProgress::Phase phase = TrainProgress::Phase::kGrowing);

  /// Reads the checkpoint, if training is resumed. Frames need not be loaded. @throws Error(kModel, kUsage).
  void read_checkpoint();
  /// @throws Error(kResource, kInterrupted, kModel).
  void grow();

  /// Splits refer to the channels of the trainer's frames.
  const GrowingForest& forest() const { return forest_; }
  /// Splits refer to the channels of the model, as at prediction.
  forest::Forest finished() const;

 private:
  bool is_complete() const;
  void check_stop() const;
  void begin_stage(int stage);
  void evaluate_resumed_trees();
  /// Grows the next trees of the plan, in one stage: one, or one on each rank.
  std::vector<GrownTree> grow_trees();
  void check_gathered(const std::vector<GrownTree>& trees) const;
  bool is_last_stage(std::size_t tree) const { return forest_.plan[tree].stage == options_.cascade - 1; }
  void evaluate_out_of_bag(std::size_t tree);
  std::optional<double> accuracy_out_of_bag() const;
  SampleSet draw_samples(std::size_t tree);
  SampleSet draw_misclassified(std::uint32_t tree);
  void begin_boosting();
  GrowingTree start_growing(std::optional<GrowingTree> resumed, const SampleSet& samples);
  GrownTree grow_one(std::size_t tree, std::optional<GrowingTree> resumed);
  void begin_level(std::size_t tree, const GrowingTree& growing, const OpenNodes& open);
  LevelReport end_level(const PlannedTree& tree, const GrowingTree& growing, LevelReport level);
  /// This rank's part of the responses of a level; other ranks are assumed to progress equally.
  double responses_here(double responses) const { return responses * ranks_.share_of_responses(); }
  void save(const GrowingTree* growing);
  void save_if_due(const GrowingTree* growing);
  /// Boosted trees grow quickly, and have no leaf scores until they are finished: a growing one is not saved.
  const GrowingTree* to_save(const GrowingTree* growing) const { return boosting_ ? nullptr : growing; }
  void report_checkpoint();

  Trainer& trainer_;
  Ranks& ranks_;
  const TrainOptions options_;
  const std::vector<std::uint32_t> frames_;
  const TrainHooks& hooks_;
  TrainReport& report_;
  TrainProgress::Phase phase_;
  CheckpointKeeper checkpoint_;
  GrowingProgress progress_;
  std::vector<int> fold_of_frame_;  // [frame of the data set]
  int stage_ = -1;                  // stage being grown
  GrowingForest forest_;
  std::optional<GrowingTree> resumed_;
  std::optional<Boosting> boosting_;  // boosting for the stage and fold being grown
  std::optional<OutOfBag> out_of_bag_;
};

/// A training on all frames of a data set, from options to grown trees. Shared by all training functions for users,
/// whatever they do with the forest and the loaded frames afterwards.
class Training {
 public:
  /// Checks options, data and device. @param report  Is reset; null: no report.
  /// @throws Error  As Trainer, and kUsage for options.
  Training(const dataset::Dataset& dataset, const TrainOptions& options, const TrainResources& resources,
           const TrainHooks& hooks, TrainReport* report, Communicator* ranks);

  /// Resumes from a checkpoint, loads frames and grows. Must be called once. @throws Error  As ForestGrower and
  /// Trainer.
  void grow();
  Trainer& trainer() { return trainer_; }
  forest::Forest finished() const { return grower_.finished(); }
  /// Completes the report at the end; all ranks must call it.
  void describe();

 private:
  TrainReport unwanted_;
  TrainReport& report_;
  double start_;
  Trainer trainer_;
  ForestGrower grower_;
};

}  // namespace fernwood::train
