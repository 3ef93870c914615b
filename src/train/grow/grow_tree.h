// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/forest/forest.h"
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

/// A pruned tree, with a map from the leaves of the whole tree.
struct PrunedTree {
  forest::Tree tree;
  std::vector<std::uint32_t> leaf_of;  ///< [leaf of the whole tree] Leaf of the pruned tree that has its samples.
};

/// Whether pruning to a smaller depth or more samples per node gives the tree that training would have grown:
/// candidates of a level must not depend on the open nodes, and no second stage may read predictions of the first.
bool is_prunable(const TrainOptions& options);

/// The tree that would have grown with a smaller `max_depth` or a greater `min_samples` and otherwise equal options,
/// bit for bit. @param options  Those of the smaller tree; requires is_prunable().
PrunedTree prune_tree(const forest::Tree& tree, const TrainOptions& options);

}  // namespace fernwood::train
