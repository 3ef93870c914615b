// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What stages 2 and 3 of growing a level read and write: S samples, N nodes, F features out of a chunk's, T thresholds,
// and C classes that the nodes have, added up over the nodes.

#include <algorithm>

#include "core/cuda/buffer.h"
#include "fernwood/core/communicator.h"
#include "train/grow/growing_tree.h"

namespace fernwood::train {

/// Samples of a node that a block counts.
struct NodeSlice {
  std::uint32_t node, begin, end;  ///< In node order.
  std::uint32_t alone;             ///< 1: all samples of the node.
};

struct LevelArgs {
  View2<const float> responses;                 ///< [at least S][at least F] from the first feature on
  const std::uint32_t* rows;                    ///< [S] node order: row of each sample's responses
  View2<const forest::RegionFeature> features;  ///< [1 or N][chunk] from the first feature on
  const float* thresholds;                      ///< [sets * chunk][T] from the first feature on
  View1<const std::uint16_t> node_classes;      ///< [S] node order, see label_in_node()
  View1<const NodeSamples> nodes;               ///< [N]
  View1<const NodeSlice> slices;
  const std::uint32_t* class_counts;  ///< [C]
  std::uint32_t num_class_rows;       ///< C
  std::uint32_t* left_counts;         ///< [blocks][C][T][features of a block] samples at or below each threshold
  unsigned long long* best_keys;      ///< [N] see split_key()
  unsigned long long* shared_scores;  ///< [F * T] room for the sums of score_shared_cuda()
  unsigned long long* shared_best;    ///< [1] highest of them at this level so far
  std::uint32_t num_features;         ///< F
  std::uint32_t block_features;       ///< Features whose counts lie together: F, unless ranks share them.
  std::int32_t num_thresholds;
  std::int32_t first_candidate;  ///< Index of the first feature among the level's candidates.
  ScoreKind score;

  /// Numbers of a block of counts.
  FW_HD std::size_t block_size() const { return left_row(num_class_rows, 0); }
  /// Counts of a feature, to which left_row() is added.
  FW_HD std::uint32_t* left_of(std::uint32_t feature) const {
    return left_counts + feature / block_features * block_size() + feature % block_features;
  }
  /// The same for the features of one block.
  LevelArgs block(std::size_t number) const {
    const std::size_t begin = std::min<std::size_t>(number * block_features, num_features);
    const Share of_features{begin, std::min<std::size_t>(begin + block_features, num_features)};
    LevelArgs args = *this;
    args.responses.data += of_features.begin;
    args.features.data += of_features.begin;
    args.thresholds += of_features.begin * static_cast<std::size_t>(num_thresholds);
    args.first_candidate += static_cast<std::int32_t>(of_features.begin);
    args.num_features = static_cast<std::uint32_t>(of_features.size());
    args.left_counts += number * block_size();
    return args;
  }
  /// What the level's responses are read by, where those of a chunk have the others beside them.
  LevelArgs of_level(std::size_t chunk_first, std::size_t all_features) const {
    LevelArgs args = *this;
    args.responses.data -= chunk_first;
    args.first_candidate = 0;
    args.num_features = static_cast<std::uint32_t>(all_features);
    return args;
  }
  /// Set of candidates of a node.
  FW_HD std::size_t set_of(std::uint32_t node) const { return features.rows > 1 ? node : 0; }
  /// Within a block.
  FW_HD std::size_t left_row(std::uint32_t class_row, std::int32_t threshold) const {
    return (static_cast<std::size_t>(class_row) * num_thresholds + threshold) * block_features;
  }
};

/// Samples of a node that one block counts at most.
inline constexpr std::uint32_t kMostSliced = 4096;
/// Those of all nodes, cut into slices.
std::vector<NodeSlice> cut_slices(const OpenNodes& nodes);

/// Stage 2: histogram aggregation.
/// @param most_classes  Of a node.
void aggregate_cuda(const LevelArgs& args, std::uint32_t most_classes, const cuda::Stream& stream);

/// Stage 3: the best threshold of every feature at every node, and with it the best of every node.
void score_cuda(const LevelArgs& args, const cuda::Stream& stream);
/// The same for ferns: the best threshold and feature for all nodes together.
void score_shared_cuda(const LevelArgs& args, const cuda::Stream& stream);

/// What is kept of a chunk: for nodes whose best split lies in it, the split, the class counts on its left side and,
/// before the responses go, the side of every sample.
struct WinnerArgs {
  LevelArgs level;
  const std::uint32_t* row_nodes;  ///< [S] node of each sample, node order
  ChosenSplit* chosen;             ///< [N]
  std::uint32_t* chosen_left;      ///< [C]
  std::uint8_t* sides;             ///< [S] node order
};
/// Forgets the best splits: a level begins.
void begin_level_cuda(unsigned long long* best_keys, ChosenSplit* chosen, std::size_t num_nodes,
                      const cuda::Stream& stream);
void note_splits_cuda(const WinnerArgs& args, const cuda::Stream& stream);
void note_sides_cuda(const WinnerArgs& args, const cuda::Stream& stream);

/// What lies left of the splits.
struct LeftArgs {
  const NodeSamples* nodes;  ///< [N]
  View1<const NodeSlice> slices;
  View1<const std::uint16_t> node_classes;  ///< [S] node order, see label_in_node()
  const std::uint8_t* sides;                ///< [S] node order
  bool pairs;                               ///< See for_each_row().
  std::uint32_t* left;                      ///< [C] samples of each node's classes, added to
};
/// @param most_classes  Of a node.
void count_left_cuda(const LeftArgs& args, std::uint32_t most_classes, const cuda::Stream& stream);

}  // namespace fernwood::train
