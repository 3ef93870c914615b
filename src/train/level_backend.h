// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/train/train.h"
#include "train/growing_tree.h"

namespace fernwood::train {

/// Some of a level's candidates with their thresholds: F features, T thresholds, one set for all nodes or one for each.
struct CandidateChunk {
  std::size_t first = 0;                   ///< Index of the first among the level's candidates.
  Array2<forest::RegionFeature> features;  ///< [1 or nodes][F]
  Array2<float> thresholds;                ///< [sets * F][T], ascending
  bool per_node() const { return features.rows() > 1; }
  std::size_t size() const { return features.cols(); }
};

/// Where the samples of a growing tree lie and the work of its levels is done: one kind per device. All give the same
/// answers.
class LevelBackend {
 public:
  virtual ~LevelBackend() = default;

  /// Takes the samples of a tree and sends them down to its open nodes.
  virtual void start(const SampleSet& samples, const GrowingTree& growing, const OpenNodes& nodes) = 0;

  /// Candidates to hand to evaluate() at once, so that memory stays within the budget.
  /// @param caller_bytes  What the caller holds for each candidate.
  virtual std::size_t chunk_size(const OpenNodes& nodes, const TrainOptions& options,
                                 std::size_t caller_bytes) const = 0;

  /// Responses [F][P] to some samples, to draw thresholds from.
  /// @param places  [P] ascending places in node order.
  /// @param sets    [P] set of candidates that each is asked about.
  virtual Array2<float> probe(const CandidateChunk& chunk, const std::vector<std::uint32_t>& places,
                              const std::vector<std::uint32_t>& sets) = 0;

  /// The three stages for the candidates of a chunk: response, aggregation, score. Chunks come in ascending order.
  virtual void evaluate(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options) = 0;

  /// The best splits among all candidates evaluated at this level, and what they do: for ferns the same split at every
  /// node, which may leave one side empty (thesis eq. 4.14).
  virtual LevelOutcome choose(const OpenNodes& nodes) = 0;

  /// Sends the samples to the children on their sides; those of closed children are dropped. The next level begins.
  /// @param children  As split_nodes() returned them.
  /// @param nodes     The open nodes from now on.
  virtual void descend(const std::vector<std::uint32_t>& children, const OpenNodes& nodes) = 0;

  /// Time spent in the stages since the last call, added up over the threads.
  virtual StageSeconds take_seconds() = 0;
};

}  // namespace fernwood::train
