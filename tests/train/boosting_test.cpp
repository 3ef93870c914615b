// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/boost/boosted_samples.h"

#include <gtest/gtest.h>

#include <cmath>

#include "forest/leaf.h"
#include "forest/noise.h"
#include "sentences.h"
#include "train/grow/level_formulas.h"
#include "train/samples.h"
#include "train/training_data.h"

namespace fernwood::train {
namespace {

/// counts[c] samples of each class c, from two frames.
SampleSet samples_of(const std::vector<std::size_t>& counts) {
  SampleSet samples{{3, 8}, {0}, {}, {}};
  for (std::size_t c = 0; c < counts.size(); ++c)
    for (std::size_t i = 0; i < counts[c]; ++i) samples.append({}, static_cast<std::uint16_t>(c));
  const auto size = static_cast<std::uint32_t>(samples.size());
  samples.frame_starts = {0, size / 3, size};
  return samples;
}

forest::Tree stump() {
  forest::Tree tree;
  tree.nodes.resize(1);
  tree.leaf_counts = Array2<std::uint32_t>(1, 1);
  return tree;
}

forest::Tree two_leaves() {
  forest::Tree tree;
  tree.nodes.resize(3);
  tree.nodes[0].child = 1;
  tree.nodes[1].child = ~0;
  tree.nodes[2].child = ~1;
  tree.leaf_counts = Array2<std::uint32_t>(2, 1);
  return tree;
}

TrainOptions boosted() {
  TrainOptions options = small_training();
  options.algorithm = forest::ForestKind::kBoosted;
  return options;
}

class BoostingAlone : public testing::Test {
 protected:
  /// @param leaves  [S] Leaf that each sample reaches, whatever the tree.
  Boosting boosting(const std::vector<std::size_t>& counts, const std::vector<std::uint32_t>& leaves = {},
                    const TrainOptions& options = boosted()) {
    return Boosting(make_boosted_samples(samples_of(counts),
                                         {counts.size(), options.seed, one_.ranks.first_places(samples_of(counts))},
                                         pool_, [leaves](const auto&, const auto&) { return leaves; }),
                    counts.size(), options, one_.ranks);
  }

  ThreadPool pool_{2};
  OneRank one_;
};

TEST_F(BoostingAlone, BeforeTheFirstTreeASampleIsTakenForAnyClass) {
  Boosting boosting = this->boosting({4000, 4000, 4000});
  const SampleSet misclassified = boosting.misclassified(0);
  EXPECT_NEAR(static_cast<double>(misclassified.size()), 8000, 200);  // five standard deviations
  EXPECT_EQ(misclassified.frames, (std::vector<std::uint32_t>{3, 8}));
  std::vector<std::size_t> counts(6, 0);
  for (const std::uint16_t label : misclassified.labels) {
    EXPECT_NE((label & 255) / 2, (label >> 8) / 2);
    for_each_row(label, true, [&](std::uint32_t row) { ++counts[row]; });
  }
  for (const std::size_t count : counts) EXPECT_NEAR(static_cast<double>(count), 8000 / 3.0, 200);
  EXPECT_NE(boosting.misclassified(1).labels, misclassified.labels);
  EXPECT_EQ(boosting.misclassified(0).labels, misclassified.labels);
}

/// At probabilities of 1/4 the gradient of class c is n_c - n / 4, and the curvature 3 n / 16.
TEST_F(BoostingAlone, ALeafAnswersWithANewtonStep) {
  TrainOptions options = boosted();
  options.learning_rate = 0.5f;
  forest::Tree tree = stump();
  boosting({100, 60, 40, 0}, std::vector<std::uint32_t>(200, 0), options).finish(tree);
  const std::vector<double> counts = {100, 60, 40, 0};
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_EQ(tree.leaf_counts(0, c), counts[c]);
    EXPECT_NEAR(tree.leaf_scores(0, c), 0.5 * (counts[c] - 50) / (37.5 + 1), 1e-5);
  }
}

TEST_F(BoostingAlone, TreesComeToTheSharesOfTheirLeaves) {
  TrainOptions options = boosted();
  options.learning_rate = 0.3f;
  std::vector<std::uint32_t> leaves(9000, 0);
  for (std::size_t s = 0; s < 1500; ++s) leaves[s] = 1;     // class 0
  for (std::size_t s = 6000; s < 8500; ++s) leaves[s] = 1;  // class 1
  Boosting boosting = this->boosting({6000, 3000}, leaves, options);
  forest::Forest forest = forest::noise_forest(2, 0, {"lab"}, 1);
  forest.kind = forest::ForestKind::kBoosted;
  forest.leaves.reweight = false;
  std::vector<std::vector<float>> sums(2, std::vector<float>(2, 0.0f));
  for (std::size_t k = 0; k < 40; ++k) {
    forest::Tree tree = two_leaves();
    boosting.finish(tree);
    const Array2<float> votes = forest::leaf_votes(forest, tree, k);
    for (std::size_t leaf = 0; leaf < 2; ++leaf)
      for (std::size_t c = 0; c < 2; ++c) sums[leaf][c] += votes(leaf, c);
  }
  const double shares[] = {4500.0 / 5000, 1500.0 / 4000};  // of class 0, by leaf
  for (std::size_t leaf = 0; leaf < 2; ++leaf) {
    const auto scale = forest::scale_of_row(forest::ForestKind::kBoosted, sums[leaf].data(), 2, 40);
    EXPECT_NEAR(scale.probability(sums[leaf][0]), shares[leaf], 0.005);
    EXPECT_NEAR(scale.probability(sums[leaf][0]) + scale.probability(sums[leaf][1]), 1, 1e-6);
  }
  // Samples whose class is nearly certain are seldom drawn as misclassified.
  EXPECT_NEAR(static_cast<double>(boosting.misclassified(40).size()), 2 * (5000 * 0.9 * 0.1 + 4000 * 0.375 * 0.625),
              200);
}

TEST_F(BoostingAlone, TreesThatWereReadBackCountAsTheyDidWhenGrown) {
  const std::vector<std::uint32_t> leaves(300, 0);
  Boosting grown = boosting({200, 100}, leaves), read_back = boosting({200, 100}, leaves);
  forest::Tree tree = stump();
  grown.finish(tree);
  read_back.add(tree);
  EXPECT_EQ(grown.misclassified(1).labels, read_back.misclassified(1).labels);
}

TEST_F(BoostingAlone, KnowsAsManyClassesAsALabelHasRowsFor) {
  Boosting most = boosting(std::vector<std::size_t>(127, 3));
  for (const std::uint16_t label : most.misclassified(0).labels) EXPECT_LT(label >> 8, 254);
  testdata::expect_refused(ErrorKind::kUsage, [&] { boosting(std::vector<std::size_t>(128, 3)); });
}

/// Reference for the gain of a split: its definition, in double precision.
double plain_gain(const std::vector<std::array<double, 4>>& classes) {
  double left = 0, right = 0, all = 0, num_left = 0, num_right = 0;
  for (const auto& [of_left, for_left, of_right, for_right] : classes) {
    left += std::pow(of_left - for_left, 2);
    right += std::pow(of_right - for_right, 2);
    all += std::pow(of_left + of_right - for_left - for_right, 2);
    num_left += of_left;
    num_right += of_right;
  }
  return left / (num_left + 4) + right / (num_right + 4) - all / (num_left + num_right + 4);
}

TEST(ScorePairs, IsTheDecreaseOfTheLoss) {
  const std::vector<std::array<double, 4>> classes = {{30, 5, 10, 20}, {5, 25, 12, 3}, {8, 13, 11, 10}};
  std::vector<std::uint32_t> all, left;
  std::uint32_t total = 0;
  float terms = 0;
  for (const auto& [of_left, for_left, of_right, for_right] : classes) {
    all.insert(all.end(),
               {static_cast<std::uint32_t>(of_left + of_right), static_cast<std::uint32_t>(for_left + for_right)});
    left.insert(left.end(), {static_cast<std::uint32_t>(of_left), static_cast<std::uint32_t>(for_left)});
    total += static_cast<std::uint32_t>(of_left + of_right);
    terms += gain_term(static_cast<std::int32_t>(of_left + of_right), static_cast<std::int32_t>(for_left + for_right));
  }
  const NodeSamples node{7, 7 + total, 0, 6, side_gain(terms, static_cast<float>(total))};
  float scores[2];
  score_thresholds<2>(
      ScoreKind::kLossReduction, node, all.data(), 2,
      [&](std::uint32_t row, int t) { return t == 0 ? left[row] : all[row]; }, scores);
  EXPECT_NEAR(scores[0], plain_gain(classes), 1e-4);
  EXPECT_EQ(scores[1], -1);  // no samples on the right
}

TEST_F(BoostingAlone, ManyTreesLearnMoreThanOne) {
  TrainingData data;
  add_scenes(data, 4);
  TrainOptions options = boosted();
  options.learning_rate = 0.3f;
  options.max_depth = 3;
  const auto loss_of = [&](int trees) {
    options.trees = trees;
    const forest::Forest forest = train_forest(data.dataset(), options);
    EXPECT_EQ(forest.labelling_trees().size(), static_cast<std::size_t>(trees));
    return forest;
  };
  const forest::Forest many = loss_of(20);
  EXPECT_EQ(many.labelling_trees().front(), loss_of(1).labelling_trees().front());  // independent of `trees`
  const auto moves = [](const forest::Tree& tree) {
    double sum = 0;
    for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf)
      for (std::size_t c = 0; c < tree.leaf_counts.cols(); ++c)
        sum += tree.leaf_counts(leaf, c) * std::abs(tree.leaf_scores(leaf, c));
    return sum;
  };
  EXPECT_LT(moves(many.labelling_trees().back()), 0.3 * moves(many.labelling_trees().front()));
}

}  // namespace
}  // namespace fernwood::train
