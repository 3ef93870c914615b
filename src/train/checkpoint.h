// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/file.h"
#include "fernwood/train/train.h"
#include "train/distributed/ranks.h"
#include "train/grow/growing_tree.h"
#include "train/stage_plan.h"

namespace fernwood::train {

/// Writes a forest during training: the finished trees, and the growing tree, which is a valid tree after every level,
/// with a mark of its open leaves. A checkpoint is a model file of one stage that holds the trees of the plan; it has
/// no samples, because they are drawn again.
void save_checkpoint(const GrowingForest& forest, const GrowingTree* growing, const std::filesystem::path& path);

/// The content of a checkpoint file.
struct Checkpoint {
  std::vector<forest::Tree> trees;     ///< [position in the plan] Finished trees only.
  std::optional<GrowingTree> growing;  ///< The growing tree, if any.
};

/// @param bytes  Of the file. @param path  Its name for messages.
/// @param expected  The training to resume, without trees: its plan, options and data must match.
/// @throws Error(kModel) for a damaged file, Error(kUsage) when options or data differ.
Checkpoint read_checkpoint(const Bytes& bytes, const std::filesystem::path& path, const GrowingForest& expected);

/// Checks that the samples reach the leaves of a restored tree as they did when it was written: further growth sizes
/// its memory by the counts in the file.
/// @param leaf_of  [S] Leaf of each sample held here.
/// @throws Error(kModel) that names leaf, class and both counts.
void check_leaf_counts(const GrowingTree& growing, const SampleSet& samples, const std::vector<std::uint32_t>& leaf_of,
                       const std::filesystem::path& path, Ranks& ranks);

/// Keeps the checkpoint of a training on disk; rank 0 writes it for all ranks.
class CheckpointKeeper {
 public:
  /// @param report  Gets whether the file belongs to this training, and why the last save failed.
  /// @throws Error(kRuntime) when another training uses the same checkpoint file.
  CheckpointKeeper(const TrainHooks& hooks, Ranks& ranks, TrainReport& report);

  /// Restores the finished trees from an existing file, on all ranks. @return  The tree that was growing when the file
  /// was written, if any.
  std::optional<GrowingTree> resume(GrowingForest& forest);
  /// A failure to write does not end the training: the previous checkpoint stays.
  /// @param growing  Null between trees.
  void save(const GrowingForest& forest, const GrowingTree* growing);
  /// Saves if the last save is at least hooks.checkpoint_every_s ago.
  void save_if_due(const GrowingForest& forest, const GrowingTree* growing);

 private:
  const TrainHooks& hooks_;
  Ranks& ranks_;
  TrainReport& report_;
  double last_saved_ = -1e9;
  OutputLock lock_;
};

}  // namespace fernwood::train
