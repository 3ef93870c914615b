// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/forest/forest.h"
#include "fernwood/train/options.h"
#include "train/distributed/ranks.h"
#include "train/grow/candidates.h"
#include "train/train_device.h"

namespace fernwood::train {

/// Functions called before and after each level.
struct GrowHooks {
  std::function<void(const GrowingTree&, const OpenNodes&)> level_begins;
  std::function<void(const GrowingTree&, const LevelReport&)> level_done;
};

/// The levels of a growing tree, on the devices of all ranks. Candidates are drawn and passed to this rank's device: in
/// chunks that fit its memory, and of several levels at once where it evaluates them in one pass over its frames. Ranks
/// may divide a level in two ways:
/// - Parallelism::kFeatures: each evaluates some of the candidates for all samples. Ranks exchange the best splits of
///   nodes, and the rank that found a split sends the partition bits, so that no other rank has to visit the frames.
/// - Parallelism::kData: each computes responses to all candidates for the samples it holds. Counts are added up over
///   ranks, each rank sums and scores its share of the candidates, and ranks exchange the best splits of nodes and add
///   up the counts of their partitions.
class TreeLevels {
 public:
  /// @param tree  Its number seeds the draws. @param channels  Features refer to those of the frames.
  TreeLevels(LevelBackend& device, Ranks& ranks, ThreadPool& pool, const TrainOptions& options, std::uint32_t tree,
             TreeChannels channels);

  /// Gives the samples of the tree to the device; called once, before any other function.
  void start(const SampleSet& samples, const GrowingTree& growing) {
    device_.start(samples, growing, OpenNodes(growing), own_options_);
  }
  /// The best split of every node among the candidates of a level, and the samples on its sides.
  LevelOutcome find_splits(const OpenNodes& nodes, std::uint32_t level);
  /// See LevelBackend.
  void descend(const std::vector<std::uint32_t>& children, const OpenNodes& nodes) { device_.descend(children, nodes); }
  StageSeconds take_seconds() { return device_.take_seconds(); }

 private:
  LevelOutcome choose(const OpenNodes& nodes);
  std::vector<forest::RegionFeature> dealt_features(LevelId id) const;
  void look_ahead(std::uint32_t level);
  void fill_thresholds(LevelId id, std::size_t first, Array2<float>& thresholds) const;

  LevelBackend& device_;
  Ranks& ranks_;
  ThreadPool& pool_;
  const TrainOptions& options_;
  TrainOptions own_options_;  // with the number of candidates of this rank
  const std::uint32_t tree_;
  const TreeChannels channels_;
  const Deal dealt_;                  // the candidates of this rank
  std::deque<CandidateChunk> ahead_;  // all candidates of levels that the device has evaluated, next level first
};

/// Grows a tree level by level until no node is open (thesis algorithm 2; design contract 3).
/// @param levels  Must be started with the tree and its samples.
void grow_tree(GrowingTree& growing, const TrainOptions& options, TreeLevels& levels, const GrowHooks& hooks);

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
