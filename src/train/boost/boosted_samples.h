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
#include "forest/leaf.h"
#include "train/data/sampler.h"
#include "train/grow/level_formulas.h"

namespace fernwood::train {

/// Probabilities are summed as whole numbers, so that no order matters: in 1 / kBoostingUnit.
inline constexpr std::int32_t kBoostingUnit = 1 << 20;

/// Whole numbers that are added up over the samples of a leaf, for each class.
enum LeafSum : std::size_t {
  kGradient,   ///< In 1 / kBoostingUnit.
  kCurvature,  ///< The same.
  kSamples,    ///< Of the class.
  kNumSums
};

/// What a sample adds to the first two. @param probability  That it is of a class. @param is  Whether it is.
struct LossTerm {
  std::int32_t gradient, curvature;
};
FW_HD LossTerm loss_term(float probability, bool is) {
  const std::int32_t p = round_to_int(probability * static_cast<float>(kBoostingUnit));
  return {(is ? kBoostingUnit : 0) - p,
          static_cast<std::int32_t>(static_cast<std::int64_t>(p) * (kBoostingUnit - p) / kBoostingUnit)};
}

/// Label of a sample that is taken for its own class.
inline constexpr std::uint16_t kCorrect = 0xffff;

/// Takes a sample for a class.
/// @param sum_of  sum_of(class) of what the trees so far say. @param is  Its class. @param place  In [0, 1).
/// @return  Its label as of pair_label(), or kCorrect.
template <typename SumOf>
FW_HD std::uint16_t judge(const SumOf& sum_of, std::int32_t num_classes, std::uint32_t is, float place) {
  const forest::SoftmaxNormalizer scale = forest::scale_of(forest::ForestKind::kBoosted, sum_of, num_classes, 1);
  std::int32_t taken = 0;
  for (float below = 0.0f; taken + 1 < num_classes; ++taken)
    if (place < (below += scale.probability(sum_of(taken)))) break;
  const auto negative_class = static_cast<std::uint32_t>(taken);
  return negative_class == is ? kCorrect : pair_label(is, negative_class);
}

/// What boosting draws and counts by.
struct BoostingSetting {
  std::size_t num_classes;
  std::uint64_t seed;
  std::vector<std::uint32_t> first_places;  ///< Of each frame's samples, see Ranks::first_places().
};

/// Samples that all trees of a boosted forest learn from, those held here, and the sums of what its trees so far say of
/// them: one kind per device. All give the same answers.
class BoostedSamples {
 public:
  virtual ~BoostedSamples() = default;
  /// Those that are taken for another class, see Boosting. @param tree  The next one's number.
  virtual SampleSet misclassified(std::uint32_t tree) = 0;
  /// Sends all down a tree: what follows is about the leaves that they end in.
  virtual void send_down(const std::vector<forest::Node>& nodes) = 0;
  /// [leaf][class * kNumSums + LeafSum]
  virtual Array2<std::int64_t> leaf_sums(std::size_t num_leaves) = 0;
  /// Adds what the tree says. @param leaf_scores  [leaf][class]
  virtual void add(const Array2<float>& leaf_scores) = 0;
};

/// Leaf that each of some samples ends in.
using FindLeaves =
    std::function<std::vector<std::uint32_t>(const SampleSet& samples, const std::vector<forest::Node>& nodes)>;

/// In the processor's memory. @param pool  Stays the caller's.
std::unique_ptr<BoostedSamples> make_boosted_samples(SampleSet samples, const BoostingSetting& setting,
                                                     ThreadPool& pool, FindLeaves find_leaves);

}  // namespace fernwood::train
