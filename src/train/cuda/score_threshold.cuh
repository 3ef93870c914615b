// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "train/cuda/level_args.h"

namespace fernwood::train {

/// Score of one threshold of one feature at a node.
/// @param left  Of the node's first class: an element of LevelArgs::left_counts.
__device__ inline float score_threshold(const LevelArgs& a, const NodeSamples& node, const std::uint32_t* left) {
  const std::size_t class_stride = static_cast<std::size_t>(a.num_thresholds) * a.features.cols;
  std::uint32_t left_total = 0;
  for (std::uint32_t c = 0; c < node.num_classes; ++c) left_total += left[c * class_stride];
  const float num_left = static_cast<float>(static_cast<std::int32_t>(left_total));
  const float num_right = static_cast<float>(static_cast<std::int32_t>(node.end - node.begin)) - num_left;
  const float inv_left = 1.0f / (num_left > 0.0f ? num_left : 1.0f);
  const float inv_right = 1.0f / (num_right > 0.0f ? num_right : 1.0f);
  float entropy_left = 0.0f, entropy_right = 0.0f;
  for (std::uint32_t c = 0; c < node.num_classes; ++c) {
    const auto count = static_cast<std::int32_t>(left[c * class_stride]);
    const auto in_class = static_cast<std::int32_t>(a.class_counts[node.class_offset + c]);
    entropy_left += entropy_term(static_cast<float>(count), inv_left);
    entropy_right += entropy_term(static_cast<float>(in_class - count), inv_right);
  }
  return split_score(a.score, node.entropy, entropy_left, entropy_right, num_left, num_right);
}

}  // namespace fernwood::train
