// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <functional>

#include "fernwood/core/parallel.h"
#include "fernwood/train/options.h"
#include "train/grow/candidates.h"
#include "train/train_device.h"

namespace fernwood::train {

/// Functions called before and after each level.
struct GrowHooks {
  std::function<void(const GrowingTree&, const OpenNodes&)> level_begins;
  std::function<void(const GrowingTree&, const LevelReport&)> level_done;
};

/// Grows a tree level by level until no node is open (thesis algorithm 2; design contract 3).
/// @param channels  Splits refer to those of the frames. @param backend  Must be started with the tree and its samples.
void grow_tree(GrowingTree& growing, std::uint32_t tree, const TrainOptions& options, const TreeChannels& channels,
               LevelBackend& backend, ThreadPool& pool, const GrowHooks& hooks);

}  // namespace fernwood::train
