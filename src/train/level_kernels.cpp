// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. Includes nothing that leaves functions behind which
// other files might share: only FW_HD formulas and plain data.
#include "train/level_kernels.h"

namespace fernwood::train::FW_ISA {

namespace {

void bin(const float* responses, std::size_t count, const float* thresholds, int num_thresholds, std::uint8_t* bins) {
  constexpr std::size_t kBlock = 32;
  std::size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    std::int32_t above[kBlock] = {};
    for (int t = 0; t < num_thresholds; ++t)
      for (std::size_t k = 0; k < kBlock; ++k) above[k] += side(responses[i + k], thresholds[t]);
    for (std::size_t k = 0; k < kBlock; ++k) bins[i + k] = static_cast<std::uint8_t>(above[k]);
  }
  for (; i < count; ++i) {
    int above = 0;
    for (int t = 0; t < num_thresholds; ++t) above += side(responses[i], thresholds[t]);
    bins[i] = static_cast<std::uint8_t>(above);
  }
}

void aggregate(const CandidateRow& row, std::size_t begin, std::size_t end, std::uint32_t* __restrict histograms) {
  const std::size_t stride = histogram_stride(row.num_thresholds);
  const std::uint8_t* bins = row.bins;
  const std::uint32_t* frame_order = row.frame_order;
  const std::uint16_t* classes = row.node_classes;
  for (std::size_t n = begin; n < end; ++n) {
    for (std::uint32_t s = row.nodes[n].begin; s < row.nodes[n].end; ++s)
      ++histograms[classes[s] * stride + bins[frame_order[s]]];
    histograms += row.nodes[n].num_classes * stride;
  }
}

constexpr int kMostBins = 256;

/// Sums over the thresholds of one candidate at one node; lanes of a vector are thresholds.
struct Lanes {
  float num_left[kMostBins], inv_left[kMostBins], inv_right[kMostBins];
  float entropy_left[kMostBins], entropy_right[kMostBins];
};

/// Turns each class's counts per bin into counts at or below each threshold, and adds these up over the classes.
void accumulate(std::uint32_t* __restrict histogram, std::size_t num_classes, int num_thresholds, std::size_t stride,
                float total, Lanes& lanes) {
  std::int32_t left[kMostBins];
  for (int t = 0; t < num_thresholds; ++t) left[t] = 0;
  for (std::size_t c = 0; c < num_classes; ++c) {
    std::uint32_t* counts = histogram + c * stride;
    std::uint32_t sum = 0;
    for (int t = 0; t < num_thresholds; ++t) counts[t] = sum += counts[t];
    for (int t = 0; t < num_thresholds; ++t) left[t] += static_cast<std::int32_t>(counts[t]);
  }
  for (int t = 0; t < num_thresholds; ++t) {
    lanes.num_left[t] = static_cast<float>(left[t]);
    const float num_right = total - lanes.num_left[t];
    lanes.inv_left[t] = 1.0f / (lanes.num_left[t] > 0.0f ? lanes.num_left[t] : 1.0f);
    lanes.inv_right[t] = 1.0f / (num_right > 0.0f ? num_right : 1.0f);
    lanes.entropy_left[t] = lanes.entropy_right[t] = 0.0f;
  }
}

/// Entropies of both sides at every threshold.
void add_entropies(const std::uint32_t* __restrict histogram, const std::uint32_t* class_counts,
                   std::size_t num_classes, int num_thresholds, std::size_t stride, Lanes& __restrict lanes) {
  for (std::size_t c = 0; c < num_classes; ++c) {
    const std::uint32_t* left = histogram + c * stride;
    const auto in_class = static_cast<std::int32_t>(class_counts[c]);
    for (int t = 0; t < num_thresholds; ++t) {
      const auto count = static_cast<std::int32_t>(left[t]);
      lanes.entropy_left[t] += entropy_term(static_cast<float>(count), lanes.inv_left[t]);
      lanes.entropy_right[t] += entropy_term(static_cast<float>(in_class - count), lanes.inv_right[t]);
    }
  }
}

/// Scores of one candidate's thresholds at one node.
void score_thresholds(const CandidateRow& row, const NodeSamples& node, std::uint32_t* __restrict histogram,
                      float* __restrict scores) {
  Lanes lanes;
  const int num_thresholds = row.num_thresholds;
  const std::size_t stride = histogram_stride(num_thresholds);
  const float total = static_cast<float>(static_cast<std::int32_t>(node.end - node.begin));
  accumulate(histogram, node.num_classes, num_thresholds, stride, total, lanes);
  add_entropies(histogram, row.class_counts + node.class_offset, node.num_classes, num_thresholds, stride, lanes);
  const ScoreKind kind = row.score;
  for (int t = 0; t < num_thresholds; ++t)
    scores[t] = split_score(kind, node.entropy, lanes.entropy_left[t], lanes.entropy_right[t], lanes.num_left[t],
                            total - lanes.num_left[t]);
}

/// Best threshold of one candidate at one node.
BestSplit best_threshold(const float* scores, int num_thresholds, std::int32_t candidate) {
  float highest = kLeastUsefulScore;
  for (int t = 0; t < num_thresholds; ++t) highest = scores[t] > highest ? scores[t] : highest;
  BestSplit best;
  if (highest > kLeastUsefulScore) {
    int t = 0;
    while (scores[t] != highest) ++t;
    best = {highest, candidate, t};
  }
  return best;
}

/// Hands the scores [T] of each of the nodes [begin, end) to `use`, and leaves the histograms all 0.
template <typename Use>
void score_nodes(const CandidateRow& row, std::size_t begin, std::size_t end, std::uint32_t* histograms,
                 const Use& use) {
  const std::size_t stride = histogram_stride(row.num_thresholds);
  float scores[kMostBins];
  for (std::size_t n = begin; n < end; ++n) {
    score_thresholds(row, row.nodes[n], histograms, scores);
    use(n, scores);
    const std::size_t used = row.nodes[n].num_classes * stride;
    for (std::size_t i = 0; i < used; ++i) histograms[i] = 0;
    histograms += used;
  }
}

void score(const CandidateRow& row, std::size_t begin, std::size_t end, std::uint32_t* histograms, BestSplit* best) {
  score_nodes(row, begin, end, histograms, [&](std::size_t n, const float* scores) {
    const BestSplit found = best_threshold(scores, row.num_thresholds, row.candidate);
    if (is_better(found, best[n])) best[n] = found;
  });
}

void add_shared_scores(const CandidateRow& row, std::size_t begin, std::size_t end, std::uint32_t* histograms,
                       std::uint64_t* __restrict sums) {
  score_nodes(row, begin, end, histograms, [&](std::size_t n, const float* scores) {
    const std::uint32_t num_samples = row.nodes[n].end - row.nodes[n].begin;
    for (int t = 0; t < row.num_thresholds; ++t) sums[t] += shared_score(scores[t], num_samples);
  });
}

}  // namespace

extern const LevelKernels level_kernels_table;
const LevelKernels level_kernels_table = {bin, aggregate, score, add_shared_scores};

}  // namespace fernwood::train::FW_ISA
