// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <optional>

#include "fernwood/forest/forest.h"
#include "train/growing_tree.h"

namespace fernwood::train {

/// Writes a forest in the making: whole trees, and the one that grows, complete as it always is, with a note which of
/// its leaves are open. A checkpoint is a model file; samples are not in it, for they are drawn again.
void save_checkpoint(const forest::Forest& forest, const GrowingTree* growing, const std::filesystem::path& path);

/// A checkpoint read back.
struct Checkpoint {
  forest::Forest forest;               ///< Whole trees only.
  std::optional<GrowingTree> growing;  ///< The tree that grows, if any.
};

/// @param expected  What the training to be resumed starts with: options and data must agree.
/// @throws Error(kModel) for a damaged file, Error(kUsage) when options or data differ.
Checkpoint load_checkpoint(const std::filesystem::path& path, const forest::Forest& expected);

}  // namespace fernwood::train
