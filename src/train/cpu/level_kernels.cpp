// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. It must not include anything that emits functions
// shared with other files: only FW_HD formulas and plain data.
#include "train/cpu/level_kernels.h"

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
    if (counts_pairs(row.score))
      for (std::uint32_t s = row.nodes[n].begin; s < row.nodes[n].end; ++s)
        for_each_row(classes[s], true, [&](std::uint32_t c) { ++histograms[c * stride + bins[frame_order[s]]]; });
    else
      for (std::uint32_t s = row.nodes[n].begin; s < row.nodes[n].end; ++s)
        ++histograms[classes[s] * stride + bins[frame_order[s]]];
    histograms += row.nodes[n].num_classes * stride;
  }
}

constexpr int kMaxBins = 256;

/// Turns each class's counts per bin into counts at or below each threshold.
void sum_up(std::uint32_t* __restrict histogram, std::size_t num_classes, int num_thresholds, std::size_t stride) {
  for (std::size_t c = 0; c < num_classes; ++c) {
    std::uint32_t* counts = histogram + c * stride;
    std::uint32_t sum = 0;
    for (int t = 0; t < num_thresholds; ++t) counts[t] = sum += counts[t];
  }
}

/// Best threshold of one candidate at one node.
BestSplit best_threshold(const float* scores, int num_thresholds, std::int32_t candidate) {
  float highest = kMinUsefulScore;
  for (int t = 0; t < num_thresholds; ++t) highest = scores[t] > highest ? scores[t] : highest;
  BestSplit best;
  if (highest > kMinUsefulScore) {
    int t = 0;
    while (scores[t] != highest) ++t;
    best = {highest, candidate, t};
  }
  return best;
}

/// Passes the scores [T] of each of the nodes [begin, end) to `use`, and resets the histograms to 0.
template <typename Use>
void score_nodes(const CandidateRow& row, std::size_t begin, std::size_t end, std::uint32_t* histograms,
                 const Use& use) {
  const std::size_t stride = histogram_stride(row.num_thresholds);
  float scores[kMaxBins];
  for (std::size_t n = begin; n < end; ++n) {
    const NodeSamples& node = row.nodes[n];
    sum_up(histograms, node.num_classes, row.num_thresholds, stride);
    score_thresholds<kMaxBins>(
        row.score, node, row.class_counts, row.num_thresholds,
        [&](std::uint32_t c, int t) { return histograms[c * stride + static_cast<std::size_t>(t)]; }, scores);
    use(n, scores);
    const std::size_t used = node.num_classes * stride;
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
