// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <memory>

#include "fernwood/forest/forest.h"
#include "fernwood/train/options.h"
#include "train/boost/boosted_samples.h"
#include "train/distributed/ranks.h"

namespace fernwood::train {

/// Boosted trees: each is grown on the predictions of the trees before it for the same samples, and its leaf scores are
/// added to theirs (gradient boosting of the multinomial loss, Friedman 2001; one tree for all classes, with a vector
/// in each leaf).
///
/// Splits are found by counting, as in a forest. Before each tree, every sample draws a class from the probabilities
/// that the trees so far predict. If this is its own class, the sample carries no information and is left out;
/// otherwise it counts positively for its class and negatively for the drawn class. In expectation over the draws, the
/// number of samples of a class minus the number of samples that drew it is the sum of the gradients of the loss, and
/// the number of samples that count is the sum of its curvatures. So the usual gain follows from whole numbers (see
/// gain_term()), and the better the fit, the fewer samples are evaluated. Leaf scores are computed from all samples and
/// the exact probabilities.
class Boosting {
 public:
  /// @param samples  Shared by all trees of the forest, as far as held here. @param ranks  Must outlive the object.
  Boosting(std::unique_ptr<BoostedSamples> samples, std::size_t num_classes, const TrainOptions& options, Ranks& ranks);

  /// Samples whose drawn class is wrong, labelled by pair_label(). Depends only on seed, tree number and samples.
  SampleSet misclassified(std::uint32_t tree) { return samples_->misclassified(tree); }
  /// Sets the leaf scores of the forest's next tree and the counts of all samples in its leaves, and adds the scores to
  /// the samples.
  void finish(forest::Tree& tree);
  /// Adds the scores of a tree that already has them to the samples.
  void add(const forest::Tree& tree);

 private:
  std::unique_ptr<BoostedSamples> samples_;
  std::size_t num_classes_;
  float learning_rate_;
  Ranks& ranks_;
};

}  // namespace fernwood::train
