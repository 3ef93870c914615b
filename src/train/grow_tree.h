// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>

#include "train/level_backend.h"

namespace fernwood {

/// Called before a level's work and after it.
struct GrowHooks {
  std::function<void(const GrowingTree&, const Frontier&)> level_begins;
  std::function<void(const GrowingTree&, const LevelReport&)> level_done;
};

/// Grows a tree level by level until no node is open (thesis algorithm 2; design contract 3).
void grow_tree(GrowingTree& growing, Frontier& frontier, std::uint32_t tree, const TrainOptions& options,
               const ChannelLayout& channels, LevelBackend& backend, const GrowHooks& hooks);

}  // namespace fernwood
