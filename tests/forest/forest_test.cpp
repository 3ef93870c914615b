// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fernwood/forest/forest.h"
#include "forest/leaf.h"

namespace fernwood::forest {
namespace {

using Rows = std::vector<std::vector<float>>;

/// Probabilities of a tree whose leaves have these class counts.
Rows probabilities(const std::vector<std::vector<std::uint32_t>>& leaves, const LeafOptions& options,
                   const std::vector<std::uint64_t>& class_pixels) {
  Forest forest;
  forest.leaves = options;
  forest.class_pixels = class_pixels;
  Tree tree;
  tree.leaf_counts = Array2<std::uint32_t>(leaves.size(), leaves.front().size());
  for (std::size_t i = 0; i < leaves.size(); ++i)
    std::copy(leaves[i].begin(), leaves[i].end(), tree.leaf_counts.row(i));
  const Array2<float> table = leaf_votes(forest, tree, 0);
  Rows rows;
  for (std::size_t i = 0; i < table.rows(); ++i) rows.emplace_back(table.row(i), table.row(i) + table.cols());
  return rows;
}

TEST(LeafProbabilities, AreRelativeFrequenciesWithoutReweighting) {
  EXPECT_EQ(probabilities({{3, 1}, {0, 5}}, {.reweight = false}, {1, 3}), (Rows{{0.75f, 0.25f}, {0, 1}}));
}

TEST(LeafProbabilities, UndoTheSamplingOfTheTreesOwnSamples) {
  // p(c | D) = (1/4, 3/4); Q = (4, 4), p(c | Q) = (1/2, 1/2); weights (1/2, 3/2).
  // (3, 1) -> (1.5, 1.5); (1, 3) -> (0.5, 4.5), divided by 5.
  EXPECT_EQ(probabilities({{3, 1}, {1, 3}}, {.reweight = true}, {10, 30}), (Rows{{0.5f, 0.5f}, {0.1f, 0.9f}}));
}

TEST(LeafProbabilities, DoNotChangeWhenSamplesAreAsFrequentAsPixels) {
  // Q = (6, 2) is a quarter of D = (24, 8).
  EXPECT_EQ(probabilities({{3, 1}, {3, 1}}, {.reweight = true}, {24, 8}), (Rows{{0.75f, 0.25f}, {0.75f, 0.25f}}));
}

TEST(LeafProbabilities, AreMultipliedByTheClassWeightsAfterAllElse) {
  // (3/4, 1/4) times (1, 3).
  EXPECT_EQ(probabilities({{3, 1}, {0, 5}}, {.reweight = false, .class_weights = {1, 3}}, {1, 3}),
            (Rows{{0.5f, 0.5f}, {0, 1}}));
  // Reweighted by (1/2, 3/2) as above, then by (9, 1): (3.375, 0.375) and (1.125, 1.125), each divided by its sum.
  EXPECT_EQ(probabilities({{3, 1}, {1, 3}}, {.reweight = true, .class_weights = {9, 1}}, {10, 30}),
            (Rows{{0.9f, 0.1f}, {0.5f, 0.5f}}));
}

TEST(LeafProbabilities, AreZeroForClassesWithoutSamplesOrPixels) {
  // Class 0 has no samples, class 2 no pixels; the probabilities of an empty leaf stay 0.
  EXPECT_EQ(probabilities({{0, 2, 2}, {0, 0, 4}, {0, 0, 0}}, {.reweight = true}, {5, 5, 0}),
            (Rows{{0, 1, 0}, {0, 0, 0}, {0, 0, 0}}));
}

TEST(LeafProbabilities, AreNotReweightedWhenNoPixelWasCounted) {
  EXPECT_EQ(probabilities({{3, 1}}, {.reweight = true}, {0, 0}), (Rows{{0.75f, 0.25f}}));
  EXPECT_EQ(probabilities({{0, 0}}, {.reweight = true}, {1, 1}), (Rows{{0, 0}}));
}

TEST(LeafProbabilities, SurviveTheLargestCounts) {
  const std::uint32_t most = 0xffffffff;
  const std::uint64_t pixels = std::uint64_t{1} << 47;
  EXPECT_EQ(probabilities({{most, most}, {most, most}}, {.reweight = true}, {pixels, pixels}),
            (Rows{{0.5f, 0.5f}, {0.5f, 0.5f}}));
}

TEST(LeafRow, AddsAndRoundsInTheOrderOfClasses) {
  // 2^24 + 1 rounds to 2^24, both times; 1 + 1 + 2^24 would be 2^24 + 2. Division by 2^24 is exact.
  const std::uint32_t counts[] = {1u << 24, 1, 1};
  const float weights[] = {1, 1, 1}, tiny = 1.0f / (1 << 24);
  float row[3];
  leaf_row(counts, weights, 3, row);
  EXPECT_EQ(row[0], 1.0f);
  EXPECT_EQ(row[1], tiny);
  EXPECT_EQ(row[2], tiny);
}

TEST(LeafProbabilities, EmptyLeavesAnswerWithTheirNearestAncestorThatHasSamples) {
  // Root 0: left, leaf (3, 1); right, node 2. Node 2: left, leaf (1, 3); right, node 4, which has two empty leaves.
  Forest forest;
  forest.leaves = {.reweight = false};
  Tree tree;
  tree.nodes = {{1, 0, {}, 0}, {~0, 0, {}, 0}, {3, 0, {}, 0}, {~1, 0, {}, 0},
                {5, 0, {}, 0}, {~2, 0, {}, 0}, {~3, 0, {}, 0}};
  tree.leaf_counts = Array2<std::uint32_t>(4, 2);
  tree.leaf_counts(0, 0) = 3, tree.leaf_counts(0, 1) = 1;
  tree.leaf_counts(1, 0) = 1, tree.leaf_counts(1, 1) = 3;
  const Array2<float> table = leaf_votes(forest, tree, 0);
  for (const std::size_t leaf : {1u, 2u, 3u}) {
    EXPECT_EQ(table(leaf, 0), 0.25f) << leaf;
    EXPECT_EQ(table(leaf, 1), 0.75f) << leaf;
  }
  EXPECT_EQ(table(0, 0), 0.75f);
}

/// Weights multiply probabilities, so their logarithms are added to scores, but only once.
TEST(BoostedVotes, HaveTheWeightsOfClassesInTheFirstTree) {
  Forest forest;
  forest.kind = ForestKind::kBoosted;
  forest.classes.classes.resize(3);
  forest.class_pixels = {600, 300, 100};
  forest.leaves.class_weights = {1, 2, 4};
  Tree tree;
  tree.leaf_counts = Array2<std::uint32_t>(1, 3);
  tree.leaf_scores = Array2<float>(1, 3);
  for (std::size_t c = 0; c < 3; ++c) tree.leaf_counts(0, c) = 50, tree.leaf_scores(0, c) = static_cast<float>(c) - 2;
  const Array2<float> first = leaf_votes(forest, tree, 0), second = leaf_votes(forest, tree, 1);
  const double in_data[] = {0.6, 0.3, 0.1};
  const auto wanted = [&](std::size_t c) {
    return static_cast<double>(c) + std::log(in_data[c] * 3 * forest.leaves.class_weights[c]);
  };
  const double least = std::min({wanted(0), wanted(1), wanted(2)});
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(first(0, c), wanted(c) - least + 1, 1e-5);
    EXPECT_EQ(second(0, c), static_cast<float>(c) + 1);
  }
}

TEST(WeighSums, MultipliesProbabilitiesAndLiftsScoresByLogarithms) {
  Forest forest;
  forest.classes.classes.resize(3);
  for (const ClassPriorCorrection& equal : correct_sums(forest)) EXPECT_EQ(equal.of(0.7f), 0.7f);
  forest.label_weights = {{0.5f, 2, 4}, {1, 1, 8}};
  EXPECT_EQ(correct_sums(forest)[1].of(0.75f), 1.5f);
  EXPECT_EQ(correct_probabilities(forest, false)[2].of(0.5f), 2.0f);
  EXPECT_EQ(correct_probabilities(forest, true)[2].of(0.5f), 4.0f);
  forest.kind = ForestKind::kBoosted;
  EXPECT_EQ(correct_sums(forest)[0].of(3.0f), 3.0f) << "the least weight lifts nothing, so that no sum falls below 0";
  EXPECT_NEAR(correct_sums(forest)[1].of(3.0f), 3 + std::log(4.0), 1e-6);
  EXPECT_NEAR(correct_sums(forest)[2].of(3.0f), 3 + std::log(8.0), 1e-6);
  EXPECT_EQ(correct_probabilities(forest, false)[2].of(0.5f), 2.0f);
}

TEST(SoftmaxNormalizer, OfScoresIsASoftmax) {
  const float sums[] = {3, 5.5f, -80, 5};
  const SoftmaxNormalizer scale = scale_of_row(ForestKind::kBoosted, sums, 4, 10);
  double total = 0;
  for (const float sum : sums) total += std::exp(static_cast<double>(sum));
  for (const float sum : sums) EXPECT_NEAR(scale.probability(sum), std::exp(static_cast<double>(sum)) / total, 1e-6);
  const SoftmaxNormalizer mean = scale_of_row(ForestKind::kForest, sums, 4, 10);
  EXPECT_EQ(mean.probability(5), 0.5f);
}

TEST(NodeCounts, AreThoseOfAllLeavesBelow) {
  Tree tree;
  tree.nodes = {{1, 0, {}, 0}, {3, 0, {}, 0}, {~1, 0, {}, 0}, {~2, 0, {}, 0}, {~0, 0, {}, 0}};
  tree.leaf_counts = Array2<std::uint32_t>(3, 1);
  for (std::size_t leaf = 0; leaf < 3; ++leaf) tree.leaf_counts(leaf, 0) = 1u << leaf;
  const Array2<std::uint64_t> counts = node_counts(tree);
  EXPECT_EQ(std::vector<std::uint64_t>(counts.begin(), counts.end()), (std::vector<std::uint64_t>{7, 5, 2, 4, 1}));
}

}  // namespace
}  // namespace fernwood::forest
