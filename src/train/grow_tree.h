// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>

#include "fernwood/core/parallel.h"
#include "train/train_device.h"

namespace fernwood::train {

/// Called before a level's work and after it.
struct GrowHooks {
  std::function<void(const GrowingTree&, const OpenNodes&)> level_begins;
  std::function<void(const GrowingTree&, const LevelReport&)> level_done;
};

/// Grows a tree level by level until no node is open (thesis algorithm 2; design contract 3).
/// @param backend  Was started with the tree and its samples.
void grow_tree(GrowingTree& growing, std::uint32_t tree, const TrainOptions& options,
               const image::ChannelLayout& channels, LevelBackend& backend, ThreadPool& pool, const GrowHooks& hooks);

}  // namespace fernwood::train
