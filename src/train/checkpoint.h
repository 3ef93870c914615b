// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "train/growing_tree.h"
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

/// @param expected  The model of the training to be resumed: options and data must agree.
/// @throws Error(kModel) for a damaged file, Error(kUsage) when options or data differ.
Checkpoint load_checkpoint(const std::filesystem::path& path, const forest::Forest& expected);

/// Keeps the checkpoint of a training on disk.
class CheckpointKeeper {
 public:
  /// @param path  Empty: none is kept.
  /// @param resume  Whether to go on from one that is there.
  CheckpointKeeper(std::filesystem::path path, bool resume) : path_(std::move(path)), resume_(resume) {}

  /// Takes the whole trees from the file that is there. @return  The tree that grew when it was written, if any.
  std::optional<GrowingTree> resume(GrowingForest& forest) const;
  /// @param growing  Null between trees.
  void save(const GrowingForest& forest, const GrowingTree* growing);
  /// Saves every other second: so much work a power failure may cost, and a level on a GPU takes less time than writing
  /// it down.
  void save_if_due(const GrowingForest& forest, const GrowingTree* growing);

 private:
  std::filesystem::path path_;
  bool resume_;
  double last_saved_ = -1e9;
};

}  // namespace fernwood::train
