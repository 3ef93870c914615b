// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/train/options.h"

namespace fernwood::train {

/// What one class adds to the entropy of a node (thesis eq. 3.3), in bits: -p log2 p with p = count / total.
/// @param inv_total  1 / total.
FW_HD float entropy_term(float count, float inv_total) {
  const float p = count * inv_total;
  // log2_of sees 1 where p is 0, so that loops need no branch.
  return -p * log2_of(p > 0.0f ? p : 1.0f);
}

/// Score of a split from the entropies of the node and its children: information gain (thesis eq. 3.2), or twice that
/// over the sum of the node's entropy and the split's own, that of the sizes of its sides (Wehenkel and Pavella 1991;
/// Geurts et al. 2006, appendix A). Eq. 3.4 prints the children's entropies there, with which 3.5 does not hold: a
/// perfect split of two classes would score 2.
/// @return  At most 1 when normalised; larger is better; -1 when a side is empty.
FW_HD float split_score(ScoreKind kind, float entropy, float entropy_left, float entropy_right, float num_left,
                        float num_right) {
  const float inv_total = 1.0f / (num_left + num_right);
  const float children = (num_left * entropy_left + num_right * entropy_right) / (num_left + num_right);
  const float gain = entropy - children;
  const float sum = entropy + entropy_term(num_left, inv_total) + entropy_term(num_right, inv_total);
  const float score = kind == ScoreKind::kInformationGain ? gain : 2.0f * gain / (sum > 0.0f ? sum : 1.0f);
  return ((num_left > 0.0f) & (num_right > 0.0f)) ? score : -1.0f;
}

/// Samples that a side seems to have besides its own, none of them misclassified, when boosting scores a split.
inline constexpr float kGainDamping = 4.0f;

/// What one class adds to what boosting gains by a side: the square of how many more samples are of the class than were
/// taken for it. In the sum over the classes, over the samples, the decrease of the loss by one Newton step (Friedman
/// 2001; Chen and Guestrin 2016, eq. 6), with both estimated by the samples that were drawn (see boosting.h).
FW_HD float gain_term(std::int32_t of_class, std::int32_t negative_class) {
  const auto missing = static_cast<float>(of_class - negative_class);
  return missing * missing;
}
FW_HD float side_gain(float terms, float num_samples) { return terms / (num_samples + kGainDamping); }

/// Rounding lets a worthless split score a little above 0; one that scores less than this is no use.
inline constexpr float kLeastUsefulScore = 1e-6f;

/// The best split of a node found so far.
struct BestSplit {
  float score = kLeastUsefulScore;
  std::int32_t candidate = -1;  ///< Index among the level's candidates; -1: none is useful.
  std::int32_t threshold = 0;   ///< Index among the candidate's thresholds.
};

/// Whether `a` is chosen before `b`: higher score, then lower candidate, then lower threshold. Any order of comparing
/// gives the same winner, so threads and devices need not agree on one.
FW_HD bool is_better(const BestSplit& a, const BestSplit& b) {
  if (a.score != b.score) return a.score > b.score;
  if (a.candidate != b.candidate)
    return static_cast<std::uint32_t>(a.candidate) < static_cast<std::uint32_t>(b.candidate);  // -1 is last
  return a.threshold < b.threshold;
}

/// What a node adds to the score of a test that all nodes of a level share: its score times its samples (thesis eq.
/// 4.14), in units of 2^-24. A whole number, so that sums over the nodes do not depend on their order. Scores are below
/// 2^6 and a tree has fewer than 2^32 samples, so sums stay below 2^62.
FW_HD std::uint64_t shared_score(float score, std::uint32_t num_samples) {
  // Up to the least useful score nothing; by choice, not by branch, lest loops stay scalar.
  const float useful = score > kLeastUsefulScore ? score : 0.0f;
  return static_cast<std::uint64_t>(static_cast<std::int32_t>(useful * 16777216.0f)) * num_samples;
}

/// The best test of a level found so far that all its nodes share.
struct SharedSplit {
  std::uint64_t score = 0;      ///< Sum of shared_score(); 0: no test is useful to any node.
  std::int32_t candidate = -1;  ///< As in BestSplit.
  std::int32_t threshold = 0;

  /// The same as one node's choice; such splits are not compared by their scores any more.
  FW_HD BestSplit of_node() const { return score > 0 ? BestSplit{1.0f, candidate, threshold} : BestSplit{}; }

  /// Order as of is_better(): score, candidate, threshold.
  FW_HD bool is_better_than(const SharedSplit& other) const {
    return score != other.score ? score > other.score : is_better(of_node(), other.of_node());
  }
};

}  // namespace fernwood::train
