// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/train/options.h"

namespace fernwood::train {

/// Entropy term of one class of a node (thesis eq. 3.3), in bits: -p log2 p with p = count / total.
/// @param inv_total  1 / total.
FW_HD float entropy_term(float count, float inv_total) {
  const float p = count * inv_total;
  // log2_of gets 1 where p is 0, so that loops need no branch.
  return -p * log2_of(p > 0.0f ? p : 1.0f);
}

/// Score of a split from the entropies of the node and its children: information gain (thesis eq. 3.2), or twice the
/// gain over the sum of the node's entropy and the split entropy, which is that of the sizes of its sides (Wehenkel and
/// Pavella 1991; Geurts et al. 2006, appendix A). Thesis eq. 3.4 has the children's entropies there, which contradicts
/// eq. 3.5: a perfect split of two classes would score 2.
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

/// Virtual samples added to each side, all of them correctly classified, when boosting scores a split.
inline constexpr float kGainDamping = 4.0f;

/// Term of one class in the gain of a side in boosting: the square of the number of samples of the class minus the
/// number that drew it. The sum over classes, divided by the number of samples, estimates the decrease of the loss by
/// one Newton step (Friedman 2001; Chen and Guestrin 2016, eq. 6) from the drawn samples (see boosted_samples.h).
FW_HD float gain_term(std::int32_t of_class, std::int32_t negative_class) {
  const auto missing = static_cast<float>(of_class - negative_class);
  return missing * missing;
}
FW_HD float side_gain(float terms, float num_samples) { return terms / (num_samples + kGainDamping); }

/// Minimum score of a useful split: rounding lets a worthless split score slightly above 0.
inline constexpr float kMinUsefulScore = 1e-6f;

/// The best split found so far for a node.
struct BestSplit {
  float score = kMinUsefulScore;
  std::int32_t candidate = -1;  ///< Index among the level's candidates; -1: none is useful.
  std::int32_t threshold = 0;   ///< Index among the candidate's thresholds.
};

/// Whether `a` precedes `b`: higher score, then lower candidate, then lower threshold. The result does not depend on
/// the order of comparisons, so threads and devices need no common order.
FW_HD bool is_better(const BestSplit& a, const BestSplit& b) {
  if (a.score != b.score) return a.score > b.score;
  if (a.candidate != b.candidate)
    return static_cast<std::uint32_t>(a.candidate) < static_cast<std::uint32_t>(b.candidate);  // -1 is last
  return a.threshold < b.threshold;
}

/// Contribution of a node to the score of a test that all nodes of a level share: its score times its samples (thesis
/// eq. 4.14), in units of 2^-24. A whole number, so that sums over nodes do not depend on their order. Scores are below
/// 2^6 and a tree has fewer than 2^32 samples, so sums stay below 2^62.
FW_HD std::uint64_t shared_score(float score, std::uint32_t num_samples) {
  // 0 up to the minimum useful score; a select instead of a branch, so that loops vectorise.
  const float useful = score > kMinUsefulScore ? score : 0.0f;
  return static_cast<std::uint64_t>(static_cast<std::int32_t>(useful * 16777216.0f)) * num_samples;
}

/// The best test found so far that all nodes of a level share.
struct SharedSplit {
  std::uint64_t score = 0;      ///< Sum of shared_score(); 0: no test is useful for any node.
  std::int32_t candidate = -1;  ///< As in BestSplit.
  std::int32_t threshold = 0;

  /// The split of one node; its score is a constant and is not compared further.
  FW_HD BestSplit of_node() const { return score > 0 ? BestSplit{1.0f, candidate, threshold} : BestSplit{}; }

  /// Same order as is_better(): score, candidate, threshold.
  FW_HD bool is_better_than(const SharedSplit& other) const {
    return score != other.score ? score > other.score : is_better(of_node(), other.of_node());
  }
};

}  // namespace fernwood::train
