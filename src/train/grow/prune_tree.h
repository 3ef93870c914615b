// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/forest/forest.h"
#include "fernwood/train/options.h"

namespace fernwood::train {

/// A tree cut back, and where the leaves of the whole one went.
struct PrunedTree {
  forest::Tree tree;
  std::vector<std::uint32_t> leaf_of;  ///< [leaf of the whole tree] Leaf of the tree cut back that took its samples.
};

/// Whether a tree cut back to a smaller depth or more samples a node is the one that would have grown: candidates of a
/// level are drawn alike for whichever nodes are open, and no second stage reads what the first one found.
bool is_prunable(const TrainOptions& options);

/// The tree that would have grown with a smaller `max_depth` or a greater `min_samples`, other options the same, to the
/// bit. @param options  Of that tree; is_prunable().
PrunedTree prune_tree(const forest::Tree& tree, const TrainOptions& options);

}  // namespace fernwood::train
