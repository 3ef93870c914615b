// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/boost/boosted_samples.h"

#include <algorithm>
#include <span>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"

namespace fernwood::train {

namespace {

/// Virtual samples added to each leaf, each with the maximum uncertainty between two classes.
constexpr double kLeafDamping = 4;
/// Limit of a leaf's score before the learning rate is applied, for leaves whose samples are nearly certain.
constexpr double kMaxAnswer = 4;

/// Score of a leaf for one class. @param sums  [kNumSums]
float answer(const std::int64_t* sums, float learning_rate) {
  const double gradient = static_cast<double>(sums[kGradient]) / kBoostingUnit;
  const double curvature = static_cast<double>(sums[kCurvature]) / kBoostingUnit;
  const double step = gradient / (curvature + kLeafDamping / 4);
  return learning_rate * static_cast<float>(std::clamp(step, -kMaxAnswer, kMaxAnswer));
}

}  // namespace

Boosting::Boosting(std::unique_ptr<BoostedSamples> samples, std::size_t num_classes, const TrainOptions& options,
                   Ranks& ranks)
    : samples_(std::move(samples)), num_classes_(num_classes), learning_rate_(options.learning_rate), ranks_(ranks) {
  require_option(num_classes <= kMaxPairedClasses, "algorithm", "boosted",
                 OptionSentence{"these trees know at most " + std::to_string(kMaxPairedClasses) + " classes, not " +
                                    std::to_string(num_classes) + ": merge classes, or use {}",
                                {{"algorithm", "forest"}}});
}

void Boosting::finish(forest::Tree& tree) {
  const std::size_t num_leaves = tree.num_leaves();
  samples_->send_down(tree.nodes);
  Array2<std::int64_t> all = samples_->leaf_sums(num_leaves);
  ranks_.sum_over_samples(std::span(all.data(), all.size()));
  tree.leaf_counts = Array2<std::uint32_t>(num_leaves, num_classes_);
  tree.leaf_scores = Array2<float>(num_leaves, num_classes_);
  for (std::size_t leaf = 0; leaf < num_leaves; ++leaf)
    for (std::size_t c = 0; c < num_classes_; ++c) {
      const std::int64_t* sums = all.row(leaf) + c * kNumSums;
      tree.leaf_counts(leaf, c) = static_cast<std::uint32_t>(sums[kSamples]);
      tree.leaf_scores(leaf, c) = answer(sums, learning_rate_);
    }
  samples_->add(tree.leaf_scores);
}

void Boosting::add(const forest::Tree& tree) {
  samples_->send_down(tree.nodes);
  samples_->add(tree.leaf_scores);
}

}  // namespace fernwood::train
