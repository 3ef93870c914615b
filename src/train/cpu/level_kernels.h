// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.h"
#include "fernwood/core/array.h"
#include "train/grow/level_formulas.h"

namespace fernwood::train {

/// Input of stages 2 and 3 for one candidate: S samples, N nodes, T thresholds.
struct CandidateRow {
  const std::uint8_t* bins;           ///< [S] in frame order: number of thresholds below the response; T for NaN.
  const std::uint32_t* frame_order;   ///< [S] in node order: position of the sample in frame order.
  const std::uint16_t* node_classes;  ///< [S] in node order: class within the node, see label_in_node().
  View1<const NodeSamples> nodes;     ///< [N]
  const std::uint32_t* class_counts;  ///< Number of samples of each class of each node.
  int num_thresholds;                 ///< T
  std::int32_t candidate;             ///< Index among the level's candidates.
  ScoreKind score;
};

/// Distance between the bins of successive classes of a node: T + 1, rounded up to whole vectors.
constexpr std::size_t histogram_stride(int num_thresholds) {
  return (static_cast<std::size_t>(num_thresholds) + 1 + 15) / 16 * 16;
}

/// The inner loops of growing a level, compiled once for each instruction set, with bit-identical results.
struct LevelKernels {
  /// Stage 1, after the response: bin of each response, the number of ascending thresholds below it; T for NaN.
  void (*bin)(const float* responses, std::size_t count, const float* thresholds, int num_thresholds,
              std::uint8_t* bins);
  /// Stage 2 for nodes [begin, end): number of samples by bin, class and node.
  /// @param histograms  [classes of those nodes][histogram_stride], all 0 on entry.
  void (*aggregate)(const CandidateRow& row, std::size_t begin, std::size_t end, std::uint32_t* histograms);
  /// Stage 3 for nodes [begin, end): replaces best[n] where the candidate is better. Resets the histograms to 0.
  void (*score)(const CandidateRow& row, std::size_t begin, std::size_t end, std::uint32_t* histograms,
                BestSplit* best);
  /// Stage 3 of ferns: adds shared_score() of nodes [begin, end) to sums[T]. Resets the histograms to 0.
  void (*add_shared_scores)(const CandidateRow& row, std::size_t begin, std::size_t end, std::uint32_t* histograms,
                            std::uint64_t* sums);
};

/// @param isa  One of available_isas().
const LevelKernels& level_kernels(Isa isa);

}  // namespace fernwood::train
