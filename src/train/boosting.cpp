// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/boosting.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "core/draw.h"
#include "fernwood/core/error.h"
#include "forest/leaf.h"
#include "train/level_formulas.h"

namespace fernwood::train {

namespace {

constexpr std::size_t kSamplesAtOnce = 4096;
/// Probabilities are summed as whole numbers, so that no order matters.
constexpr std::int64_t kOne = 1 << 20;
/// Samples that a leaf seems to have besides its own, each as uncertain as can be between two classes.
constexpr double kLeafDamping = 4;
/// Of a leaf's answer before the learning rate, against leaves of samples that are all but certain.
constexpr double kMostAnswer = 4;

/// What the trees so far think of a sample. @param sums  [class] @param probabilities  [class], written.
void think(const float* sums, std::span<float> probabilities) {
  const forest::SumScale scale = forest::scale_of_row(forest::ForestKind::kBoosted, sums, probabilities.size(), 1);
  for (std::size_t c = 0; c < probabilities.size(); ++c) probabilities[c] = scale.probability(sums[c]);
}

/// The class that a sample is taken for. @param place  In [0, 1).
std::uint32_t taken_for(std::span<const float> probabilities, float place) {
  float below = 0;
  for (std::uint32_t c = 0; c + 1 < probabilities.size(); ++c)
    if (place < (below += probabilities[c])) return c;
  return static_cast<std::uint32_t>(probabilities.size() - 1);
}

/// Whole numbers that are added up over the samples of a leaf, for each class: sums of gradients and of curvatures in
/// 1 / kOne, and the samples of the class.
enum LeafSum : std::size_t { kGradient, kCurvature, kSamples, kNumSums };

/// @param sums  [kNumSums]
float answer(const std::int64_t* sums, float learning_rate) {
  const double gradient = static_cast<double>(sums[kGradient]) / kOne;
  const double curvature = static_cast<double>(sums[kCurvature]) / kOne;
  const double step = gradient / (curvature + kLeafDamping / 4);
  return learning_rate * static_cast<float>(std::clamp(step, -kMostAnswer, kMostAnswer));
}

}  // namespace

Boosting::Boosting(SampleSet samples, std::size_t num_classes, const TrainOptions& options, ThreadPool& pool,
                   Ranks& ranks)
    : samples_(std::move(samples)),
      seed_(options.seed),
      learning_rate_(options.learning_rate),
      pool_(pool),
      ranks_(ranks),
      first_(static_cast<std::uint32_t>(ranks.samples_before(samples_.size()))),
      sums_(samples_.size(), num_classes) {
  FW_CHECK(num_classes <= kMostPairedClasses, Usage,
           "--kind boosted knows at most " << kMostPairedClasses << " classes, not " << num_classes
                                           << "; merge classes, or give --kind forest");
}

/// Calls body(begin, end, worker) for some samples at a time.
template <typename Body>
void Boosting::for_each_block(const Body& body) const {
  pool_.for_each((samples_.size() + kSamplesAtOnce - 1) / kSamplesAtOnce, [&](std::size_t i, int worker) {
    body(i * kSamplesAtOnce, std::min((i + 1) * kSamplesAtOnce, samples_.size()), static_cast<std::size_t>(worker));
  });
}

SampleSet Boosting::misjudged(std::uint32_t tree) const {
  constexpr std::uint16_t kRight = 0xffff;
  const std::vector<std::uint32_t>& starts = samples_.frame_starts;
  std::vector<std::uint16_t> labels(samples_.size());
  std::vector<std::uint32_t> picked_of_frame(samples_.frames.size(), 0);
  pool_.for_each(picked_of_frame.size(), [&](std::size_t f, int) {
    std::vector<float> probabilities(sums_.cols());
    for (std::uint32_t s = starts[f]; s < starts[f + 1]; ++s) {
      think(sums_.row(s), probabilities);
      const Draw random = draw(seed_, Purpose::kMisjudged, tree, 0, first_ + s);
      const std::uint32_t taken = taken_for(probabilities, random.unit(0)), is = samples_.labels[s];
      labels[s] = taken == is ? kRight : pair_label(is, taken);
      picked_of_frame[f] += taken == is ? 0 : 1;
    }
  });
  std::vector<std::uint32_t> places(picked_of_frame.size() + 1, 0);
  std::partial_sum(picked_of_frame.begin(), picked_of_frame.end(), places.begin() + 1);
  SampleSet picked;
  picked.sites.resize(places.back());
  picked.labels.resize(places.back());
  pool_.for_each(picked_of_frame.size(), [&](std::size_t f, int) {
    for (std::uint32_t s = starts[f], at = places[f]; s < starts[f + 1]; ++s) {
      if (labels[s] == kRight) continue;
      picked.sites[at] = samples_.sites[s];
      picked.labels[at++] = labels[s];
    }
  });
  picked.frame_starts.push_back(0);
  for (std::size_t f = 0; f < picked_of_frame.size(); ++f) {
    if (picked_of_frame[f] == 0) continue;
    picked.frames.push_back(samples_.frames[f]);
    picked.frame_starts.push_back(places[f + 1]);
  }
  return picked;
}

void Boosting::finish(forest::Tree& tree, const std::vector<std::uint32_t>& leaves) {
  const std::size_t num_classes = sums_.cols(), num_leaves = tree.num_leaves();
  std::vector<Array2<std::int64_t>> of_worker(static_cast<std::size_t>(pool_.num_threads()));
  for_each_block([&](std::size_t begin, std::size_t end, std::size_t worker) {
    Array2<std::int64_t>& leaf_sums = of_worker[worker];
    if (leaf_sums.rows() == 0) leaf_sums = Array2<std::int64_t>(num_leaves, num_classes * kNumSums);
    std::vector<float> probabilities(num_classes);
    for (std::size_t s = begin; s < end; ++s) {
      think(sums_.row(s), probabilities);
      std::int64_t* sums = leaf_sums.row(leaves[s]);
      for (std::size_t c = 0; c < num_classes; ++c, sums += kNumSums) {
        const auto p = static_cast<std::int64_t>(round_to_int(probabilities[c] * static_cast<float>(kOne)));
        const bool is = samples_.labels[s] == c;
        sums[kGradient] += (is ? kOne : 0) - p;
        sums[kCurvature] += p * (kOne - p) / kOne;
        sums[kSamples] += is ? 1 : 0;
      }
    }
  });
  Array2<std::int64_t> all(num_leaves, num_classes * kNumSums);
  for (const Array2<std::int64_t>& part : of_worker)
    std::transform(part.begin(), part.end(), all.begin(), all.begin(), std::plus<>());
  ranks_.sum_over_samples(std::span(all.data(), all.size()));
  tree.leaf_counts = Array2<std::uint32_t>(num_leaves, num_classes);
  tree.leaf_scores = Array2<float>(num_leaves, num_classes);
  for (std::size_t leaf = 0; leaf < num_leaves; ++leaf)
    for (std::size_t c = 0; c < num_classes; ++c) {
      const std::int64_t* sums = all.row(leaf) + c * kNumSums;
      tree.leaf_counts(leaf, c) = static_cast<std::uint32_t>(sums[kSamples]);
      tree.leaf_scores(leaf, c) = answer(sums, learning_rate_);
    }
  add(tree, leaves);
}

void Boosting::add(const forest::Tree& tree, const std::vector<std::uint32_t>& leaves) {
  for_each_block([&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t s = begin; s < end; ++s) {
      const float* scores = tree.leaf_scores.row(leaves[s]);
      for (std::size_t c = 0; c < sums_.cols(); ++c) sums_(s, c) += scores[c];
    }
  });
}

}  // namespace fernwood::train
