// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Input and output of stages 2 and 3 of growing a level: S samples, N nodes, F of the features of a chunk, T
// thresholds, and C classes, summed over the classes present in each node.

#include <algorithm>

#include "core/cuda/buffer.h"
#include "fernwood/core/communicator.h"
#include "train/grow/growing_tree.h"

namespace fernwood::train {

/// A range of the samples of a node, counted by one block.
struct NodeSlice {
  std::uint32_t node, begin, end;  ///< In node order.
  std::uint32_t alone;             ///< 1: the range has all samples of the node.
};

struct LevelArgs {
  View2<const float> responses;             ///< [at least S][at least F] from the first feature on
  const std::uint32_t* rows;                ///< [S] node order: row of each sample's responses
  const forest::RegionFeature* features;    ///< [F]
  const float* thresholds;                  ///< [F][T]
  View1<const std::uint16_t> node_classes;  ///< [S] node order, see label_in_node()
  View1<const NodeSamples> nodes;           ///< [N]
  View1<const NodeSlice> slices;
  const std::uint32_t* class_counts;  ///< [C]
  std::uint32_t num_class_rows;       ///< C
  std::uint32_t* left_counts;         ///< [blocks][C][T][features of a block] number of samples at or below each
                                      ///< threshold
  unsigned long long* best_keys;      ///< [N] see split_key()
  unsigned long long* shared_scores;  ///< [F * T] memory for the sums of score_shared_cuda()
  unsigned long long* shared_best;    ///< [1] highest of these sums at this level so far
  std::uint32_t num_features;         ///< F
  std::uint32_t block_features;       ///< Number of features whose counts are contiguous: F, unless ranks divide them.
  std::int32_t num_thresholds;
  std::int32_t first_candidate;  ///< Index of the first feature among the level's candidates.
  ScoreKind score;

  /// Number of counters in a block.
  FW_HD std::size_t block_size() const { return left_row(num_class_rows, 0); }
  /// Counts of a feature; add left_row() to get those of a class and threshold.
  FW_HD std::uint32_t* left_of(std::uint32_t feature) const {
    return left_counts + feature / block_features * block_size() + feature % block_features;
  }
  /// The same arguments for the features of one block.
  LevelArgs block(std::size_t number) const {
    const std::size_t begin = std::min<std::size_t>(number * block_features, num_features);
    const Share of_features{begin, std::min<std::size_t>(begin + block_features, num_features)};
    LevelArgs args = *this;
    args.responses.data += of_features.begin;
    args.features += of_features.begin;
    args.thresholds += of_features.begin * static_cast<std::size_t>(num_thresholds);
    args.first_candidate += static_cast<std::int32_t>(of_features.begin);
    args.num_features = static_cast<std::uint32_t>(of_features.size());
    args.left_counts += number * block_size();
    return args;
  }
  /// Arguments to read the level's responses, if those of a chunk are stored beside those of the other candidates.
  LevelArgs of_level(std::size_t chunk_first, std::size_t all_features) const {
    LevelArgs args = *this;
    args.responses.data -= chunk_first;
    args.first_candidate = 0;
    args.num_features = static_cast<std::uint32_t>(all_features);
    return args;
  }
  /// Offset within a block.
  FW_HD std::size_t left_row(std::uint32_t class_row, std::int32_t threshold) const {
    return (static_cast<std::size_t>(class_row) * num_thresholds + threshold) * block_features;
  }
};

/// Maximum number of samples of a node that one block counts.
inline constexpr std::uint32_t kMaxSliced = 4096;
/// Divides the samples of all nodes into slices.
std::vector<NodeSlice> cut_slices(const OpenNodes& nodes);

/// Stage 2: histogram aggregation.
/// @param most_classes  Maximum number of classes of a node.
void aggregate_cuda(const LevelArgs& args, std::uint32_t most_classes, const cuda::Stream& stream);

/// Stage 3: the best threshold of every feature at every node, and from these the best split of every node.
void score_cuda(const LevelArgs& args, const cuda::Stream& stream);
/// Stage 3 of ferns: the best threshold and feature for all nodes together.
void score_shared_cuda(const LevelArgs& args, const cuda::Stream& stream);

/// Results kept of a chunk: for nodes whose best split is in it, the split, the class counts on its left side and,
/// before the responses are overwritten, the side of every sample.
struct WinnerArgs {
  LevelArgs level;
  const std::uint32_t* row_nodes;  ///< [S] node of each sample, node order
  ChosenSplit* chosen;             ///< [N]
  std::uint32_t* chosen_left;      ///< [C]
  std::uint8_t* sides;             ///< [S] node order
};
/// Resets the best splits at the beginning of a level.
void begin_level_cuda(unsigned long long* best_keys, ChosenSplit* chosen, std::size_t num_nodes,
                      const cuda::Stream& stream);
void note_splits_cuda(const WinnerArgs& args, const cuda::Stream& stream);
void note_sides_cuda(const WinnerArgs& args, const cuda::Stream& stream);

/// Arguments to count the samples left of the splits.
struct LeftArgs {
  const NodeSamples* nodes;  ///< [N]
  View1<const NodeSlice> slices;
  View1<const std::uint16_t> node_classes;  ///< [S] node order, see label_in_node()
  const std::uint8_t* sides;                ///< [S] node order
  bool pairs;                               ///< See for_each_row().
  std::uint32_t* left;                      ///< [C] number of samples of each node's classes; incremented
};
/// @param most_classes  Maximum number of classes of a node.
void count_left_cuda(const LeftArgs& args, std::uint32_t most_classes, const cuda::Stream& stream);

}  // namespace fernwood::train
