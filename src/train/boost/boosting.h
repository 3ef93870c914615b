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

/// Boosted trees: each is grown on what those before it say of the same samples, and its leaves answer with scores that
/// are added to theirs (gradient boosting of the multinomial loss, Friedman 2001; one tree with a vector in each leaf
/// for all classes).
///
/// Splits are found by counting, as in a forest. Before each tree every sample is taken for a class drawn from the
/// probabilities that the trees so far give it. Taken for its own class it has nothing to tell and stays out; else it
/// counts for its class and against the one that it was taken for. In the mean over the draws, the samples of a class
/// less those taken for it are the sum of the loss' gradients, and the samples that count the sum of its curvatures, so
/// that the usual gain follows from whole numbers (see gain_term()), and the further the fit the fewer samples are
/// looked at. What leaves answer comes from all samples and the probabilities themselves.
class Boosting {
 public:
  /// @param samples  That all trees of the forest learn from, those held here. @param ranks  Stay the caller's.
  Boosting(std::unique_ptr<BoostedSamples> samples, std::size_t num_classes, const TrainOptions& options, Ranks& ranks);

  /// Samples that were taken for another class, with labels as of pair_label(). A function of seed, tree and samples.
  SampleSet misclassified(std::uint32_t tree) { return samples_->misclassified(tree); }
  /// Gives a tree what its leaves answer, and the counts of all samples in them; it is the forest's next.
  void finish(forest::Tree& tree);
  /// The same for a tree that has its answers.
  void add(const forest::Tree& tree);

 private:
  std::unique_ptr<BoostedSamples> samples_;
  std::size_t num_classes_;
  float learning_rate_;
  Ranks& ranks_;
};

}  // namespace fernwood::train
