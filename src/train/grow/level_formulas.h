// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Formulas of stages 2 and 3 of growing a level, identical on every device.

#include "fernwood/forest/region_feature.h"
#include "train/grow/score.h"

namespace fernwood::train {

/// Whether samples are counted in pairs of rows. A sample counts for its class; in boosting it counts in two rows of a
/// node: the positive row of its own class and the negative row of its drawn class. Its label then holds both rows.
FW_HD constexpr bool counts_pairs(ScoreKind kind) { return kind == ScoreKind::kLossReduction; }
constexpr std::uint32_t kMaxPairedClasses = 127;  ///< A label has a byte for each row.

FW_HD constexpr std::uint16_t signed_pair(std::uint32_t of_class_row, std::uint32_t negative_row) {
  return static_cast<std::uint16_t>(of_class_row | negative_row << 8);
}
/// Rows in the counts of all nodes, before they are renumbered within a node.
FW_HD constexpr std::uint16_t pair_label(std::uint32_t of_class, std::uint32_t negative_class) {
  return signed_pair(2 * of_class, 2 * negative_class + 1);
}
/// Calls use(row) for each row in which a sample counts.
template <typename Use>
FW_HD void for_each_row(std::uint16_t label, bool pairs, const Use& use) {
  if (!pairs) return use(static_cast<std::uint32_t>(label));
  use(label & 0xffu);
  use(static_cast<std::uint32_t>(label) >> 8);
}
/// Converts the rows in a label to numbers within a node. @param number  number(row)
template <typename Number>
FW_HD std::uint16_t label_in_node(std::uint16_t label, bool pairs, const Number& number) {
  return pairs ? signed_pair(number(label & 0xffu), number(static_cast<std::uint32_t>(label) >> 8))
               : static_cast<std::uint16_t>(number(label));
}

/// Samples of one open node, and the classes among them. Classes are numbered within the node, so that the cost of a
/// node depends on the classes present in it and not on those of the data set.
struct NodeSamples {
  std::uint32_t begin, end;    ///< In node order.
  std::uint32_t class_offset;  ///< Offset of its class counts among those of all nodes.
  std::uint32_t num_classes;   ///< In boosting number of rows, which is even: positive, then negative row of each
                               ///< class.
  float entropy;               ///< Entropy of the node in bits (thesis eq. 3.3); in boosting the gain of its samples
                               ///< before a split.
};

/// Bin of a response: the number of thresholds below it, of 2^kSteps - 1 ascending ones; fewer thresholds are padded
/// with infinities. NaN gets the last bin.
/// @param thresholds  One every `stride` floats.
template <int kSteps>
FW_HD std::int32_t bin_of(float response, const float* thresholds, std::int32_t stride) {
  std::int32_t bin = 0;
  for (std::int32_t step = 1 << (kSteps - 1); step > 0; step /= 2)
    if (side(response, thresholds[(bin + step - 1) * stride]) == 1) bin += step;
  return bin;
}

/// Stage 3 of boosting, as score_thresholds(): the decrease of the loss by a split beyond that of its node.
template <int kMost, typename Left>
FW_HD void score_pairs(const NodeSamples& node, const std::uint32_t* class_counts, int num_thresholds, const Left& left,
                       float* scores) {
  const auto total = static_cast<std::int32_t>(node.end - node.begin);
  std::int32_t left_total[kMost];
  float terms_left[kMost], terms_right[kMost];
  for (int t = 0; t < num_thresholds; ++t) left_total[t] = 0, terms_left[t] = terms_right[t] = 0.0f;
  for (std::uint32_t row = 0; row < node.num_classes; row += 2) {
    const std::uint32_t* counts = class_counts + node.class_offset + row;
    const auto of_class = static_cast<std::int32_t>(counts[0]), negative_class = static_cast<std::int32_t>(counts[1]);
    for (int t = 0; t < num_thresholds; ++t) {
      const auto of_left = static_cast<std::int32_t>(left(row, t)),
                 for_left = static_cast<std::int32_t>(left(row + 1, t));
      left_total[t] += of_left;
      terms_left[t] += gain_term(of_left, for_left);
      terms_right[t] += gain_term(of_class - of_left, negative_class - for_left);
    }
  }
  for (int t = 0; t < num_thresholds; ++t) {
    const auto num_left = static_cast<float>(left_total[t]), num_right = static_cast<float>(total - left_total[t]);
    const float gain = side_gain(terms_left[t], num_left) + side_gain(terms_right[t], num_right) - node.entropy;
    scores[t] = ((num_left > 0.0f) & (num_right > 0.0f)) ? gain : -1.0f;
  }
}

/// Stage 3: scores of splitting a node's samples at each of T thresholds.
/// @tparam kMost        Upper limit of T. Loops over thresholds are innermost, to vectorise on a CPU; on a GPU a thread
///                      evaluates one threshold, and the loops vanish.
/// @param class_counts  Number of samples of each class, of all nodes.
/// @param left          left(c, t): number of samples of class c of this node at or below threshold t.
/// @param scores        [T] output; see split_score().
template <int kMost, typename Left>
FW_HD void score_thresholds(ScoreKind kind, const NodeSamples& node, const std::uint32_t* class_counts,
                            int num_thresholds, const Left& left, float* scores) {
  if (counts_pairs(kind)) return score_pairs<kMost>(node, class_counts, num_thresholds, left, scores);
  const auto total = static_cast<float>(static_cast<std::int32_t>(node.end - node.begin));
  std::int32_t left_total[kMost];
  float num_left[kMost], inv_left[kMost], inv_right[kMost], entropy_left[kMost], entropy_right[kMost];
  for (int t = 0; t < num_thresholds; ++t) left_total[t] = 0;
  for (std::uint32_t c = 0; c < node.num_classes; ++c)
    for (int t = 0; t < num_thresholds; ++t) left_total[t] += static_cast<std::int32_t>(left(c, t));
  for (int t = 0; t < num_thresholds; ++t) {
    num_left[t] = static_cast<float>(left_total[t]);
    const float num_right = total - num_left[t];
    inv_left[t] = 1.0f / (num_left[t] > 0.0f ? num_left[t] : 1.0f);
    inv_right[t] = 1.0f / (num_right > 0.0f ? num_right : 1.0f);
    entropy_left[t] = entropy_right[t] = 0.0f;
  }
  for (std::uint32_t c = 0; c < node.num_classes; ++c) {
    const auto in_class = static_cast<std::int32_t>(class_counts[node.class_offset + c]);
    for (int t = 0; t < num_thresholds; ++t) {
      const auto count = static_cast<std::int32_t>(left(c, t));
      entropy_left[t] += entropy_term(static_cast<float>(count), inv_left[t]);
      entropy_right[t] += entropy_term(static_cast<float>(in_class - count), inv_right[t]);
    }
  }
  for (int t = 0; t < num_thresholds; ++t)
    scores[t] = split_score(kind, node.entropy, entropy_left[t], entropy_right[t], num_left[t], total - num_left[t]);
}

/// Encodes a split as a number that increases with its rank by is_better(); 0: no split. Candidates must be below 2^24,
/// thresholds below 2^8.
FW_HD std::uint64_t split_key(float score, std::int32_t candidate, std::int32_t threshold) {
  if (!(score > kMinUsefulScore)) return 0;
  // The bits of positive floats are in the order of their values.
  return static_cast<std::uint64_t>(bits_of(score)) << 32 | static_cast<std::uint64_t>(0xffffff - candidate) << 8 |
         static_cast<std::uint64_t>(0xff - threshold);
}

FW_HD BestSplit split_of_key(std::uint64_t key) {
  if (key == 0) return {};
  return {float_of(static_cast<std::int32_t>(key >> 32)), static_cast<std::int32_t>(0xffffff - (key >> 8 & 0xffffff)),
          static_cast<std::int32_t>(0xff - (key & 0xff))};
}

}  // namespace fernwood::train
