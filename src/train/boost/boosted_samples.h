// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/core/parallel.h"
#include "fernwood/forest/forest.h"
#include "fernwood/train/options.h"
#include "forest/leaf.h"
#include "train/data/sampler.h"
#include "train/distributed/ranks.h"
#include "train/grow/level_formulas.h"

namespace fernwood::train {

/// Probabilities are summed as multiples of 1 / kBoostingUnit, so that sums do not depend on their order.
inline constexpr std::int32_t kBoostingUnit = 1 << 20;

/// Integer sums over the samples of a leaf, one set per class.
enum LeafSum : std::size_t {
  kGradient,   ///< In units of 1 / kBoostingUnit.
  kCurvature,  ///< In units of 1 / kBoostingUnit.
  kSamples,    ///< Number of samples of the class.
  kNumSums
};

/// A sample's terms of kGradient and kCurvature for a class. @param probability  Predicted. @param is  Whether it is
/// the sample's class.
struct LossTerm {
  std::int32_t gradient, curvature;
};
FW_HD LossTerm loss_term(float probability, bool is) {
  const std::int32_t p = round_to_int(probability * static_cast<float>(kBoostingUnit));
  return {(is ? kBoostingUnit : 0) - p,
          static_cast<std::int32_t>(static_cast<std::int64_t>(p) * (kBoostingUnit - p) / kBoostingUnit)};
}

/// Label of a sample whose drawn class is its own.
inline constexpr std::uint16_t kCorrect = 0xffff;

/// Draws a class for a sample from its predicted probabilities.
/// @param sum_of  sum_of(class): score summed over the trees so far. @param is  The true class.
/// @param place  Random number in [0, 1). @return  The label, see pair_label(), or kCorrect.
template <typename SumOf>
FW_HD std::uint16_t judge(const SumOf& sum_of, std::int32_t num_classes, std::uint32_t is, float place) {
  const forest::SoftmaxNormalizer scale = forest::scale_of(forest::ForestKind::kBoosted, sum_of, num_classes, 1);
  std::int32_t taken = 0;
  for (float below = 0.0f; taken + 1 < num_classes; ++taken)
    if (place < (below += scale.probability(sum_of(taken)))) break;
  const auto negative_class = static_cast<std::uint32_t>(taken);
  return negative_class == is ? kCorrect : pair_label(is, negative_class);
}

/// Parameters of drawing and counting in boosting.
struct BoostingSetting {
  std::size_t num_classes;
  std::uint64_t seed;
  std::vector<std::uint32_t> first_places;  ///< Position of each frame's first sample, see Ranks::first_places().
};

/// The samples that all trees of a boosted forest share, as far as they are held here, with the sums of their scores
/// over the trees so far. Each device has its own class; all give identical results.
class BoostedSamples {
 public:
  virtual ~BoostedSamples() = default;
  /// Samples whose drawn class is wrong, see Boosting. @param tree  Number of the next tree.
  virtual SampleSet misclassified(std::uint32_t tree) = 0;
  /// Sends all samples down a tree; leaf_sums() and add() then refer to its leaves.
  virtual void send_down(const std::vector<forest::Node>& nodes) = 0;
  /// [leaf][class * kNumSums + LeafSum]
  virtual Array2<std::int64_t> leaf_sums(std::size_t num_leaves) = 0;
  /// Adds the scores of the tree. @param leaf_scores  [leaf][class]
  virtual void add(const Array2<float>& leaf_scores) = 0;
};

/// Returns the leaf of each sample.
using FindLeaves =
    std::function<std::vector<std::uint32_t>(const SampleSet& samples, const std::vector<forest::Node>& nodes)>;

/// Creates samples in host memory. @param pool  Must outlive them.
std::unique_ptr<BoostedSamples> make_boosted_samples(SampleSet samples, const BoostingSetting& setting,
                                                     ThreadPool& pool, FindLeaves find_leaves);

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
