// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/output_lock.h"
#include "fernwood/train/train.h"
#include "train/distributed/ranks.h"
#include "train/grow/growing_tree.h"
#include "train/stage_plan.h"

namespace fernwood::train {

/// Writes a forest in the making: whole trees, and the one that grows, complete as it always is, with a note which of
/// its leaves are open. A checkpoint is a model file of one stage, whose trees are those of the plan; samples are not
/// in it, for they are drawn again.
void save_checkpoint(const GrowingForest& forest, const GrowingTree* growing, const std::filesystem::path& path);

/// A checkpoint read back.
struct Checkpoint {
  std::vector<forest::Tree> trees;     ///< [place in the plan] Whole ones only.
  std::optional<GrowingTree> growing;  ///< The tree that grows, if any.
};

/// @param expected  The training to be resumed, nothing grown yet: plan, options and data must agree.
/// @throws Error(kModel) for a damaged file, Error(kUsage) when options or data differ.
Checkpoint load_checkpoint(const std::filesystem::path& path, const GrowingForest& expected);

/// Checks that the samples lie in the leaves of a tree that was read back as they did when it was written: what grows
/// on sizes memory by the counts of the file.
/// @param leaf_of  [S] Leaf that each sample held here ends in.
/// @throws Error(kModel) naming leaf, class and both counts.
void check_leaf_counts(const GrowingTree& growing, const SampleSet& samples, const std::vector<std::uint32_t>& leaf_of,
                       const std::filesystem::path& path, Ranks& ranks);

/// Keeps the checkpoint of a training on disk: rank 0 does, for all.
class CheckpointKeeper {
 public:
  /// @throws Error(kRuntime) when another training keeps its checkpoint there.
  CheckpointKeeper(const TrainHooks& hooks, Ranks& ranks);

  /// Takes the whole trees from the file that is there, on all ranks. @return  The tree that grew when it was written,
  /// if any.
  std::optional<GrowingTree> resume(GrowingForest& forest);
  const std::filesystem::path& path() const { return path_; }
  /// A checkpoint that cannot be written ends no training: the one before stays, and failure() tells why.
  /// @param growing  Null between trees.
  void save(const GrowingForest& forest, const GrowingTree* growing);
  /// Saves when the last one is as old as the hooks say.
  void save_if_due(const GrowingForest& forest, const GrowingTree* growing);
  /// Why the last save failed; empty when it did not.
  const std::string& failure() const { return failure_; }
  /// Whether the file is of this training: read or written by it.
  bool is_there() const { return is_there_; }

 private:
  std::filesystem::path path_;
  double every_s_;
  bool resume_;
  Ranks& ranks_;
  double last_saved_ = -1e9;
  std::string failure_;
  OutputLock lock_;
  bool is_there_ = false;
};

}  // namespace fernwood::train
