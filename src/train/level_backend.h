// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/train/train.h"
#include "train/frontier.h"

namespace fernwood {

/// Some of a level's candidates with their thresholds: F features, T thresholds, one set for all nodes or one for each.
struct CandidateChunk {
  std::size_t first = 0;           ///< Index of the first among the level's candidates.
  Array2<RegionFeature> features;  ///< [1 or nodes][F]
  Array2<float> thresholds;        ///< [sets * F][T], ascending
  bool per_node() const { return features.rows() > 1; }
  std::size_t size() const { return features.cols(); }
};

/// Where the work of a level is done: one per device. All give the same answers.
class LevelBackend {
 public:
  virtual ~LevelBackend() = default;

  /// Candidates to hand to evaluate() at once, so that memory stays within the budget.
  /// @param caller_bytes  What the caller holds for each candidate.
  virtual std::size_t chunk_size(const Frontier& frontier, std::size_t caller_bytes) const = 0;

  /// Responses [F][P] to some samples, to draw thresholds from.
  /// @param node_of  [P] node of each sample, whose features it is asked about if each node has its own.
  virtual Array2<float> probe(const CandidateChunk& chunk, const SampleSet& samples,
                              const std::vector<std::uint32_t>& node_of) = 0;

  /// The three stages for the candidates of a chunk: response, aggregation, score.
  /// @param best  [N], replaced where a candidate is better.
  virtual void evaluate(const Frontier& frontier, const CandidateChunk& chunk, ScoreKind score,
                        std::vector<BestSplit>& best) = 0;

  /// Side [S] of every sample under the split chosen for its node, in frame order.
  virtual std::vector<std::uint8_t> sides(const Frontier& frontier, const std::vector<ChosenSplit>& chosen) = 0;

  /// Time spent in the stages since the last call, added up over the threads.
  virtual StageSeconds take_seconds() = 0;
};

}  // namespace fernwood
