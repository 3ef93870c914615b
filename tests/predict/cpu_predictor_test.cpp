// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cpu_predictor.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dataset/test_files.h"
#include "forest/noise.h"

namespace fernwood {
namespace {

constexpr PredictRequest kAll{.probabilities = true, .per_tree = true};

/// A prediction of one pixel after another with nothing but the formulas.
Prediction plain_prediction(const Forest& forest, const std::vector<Tree>& trees, const Frame& frame) {
  const PreparedFrame prepared(frame, forest.preparation);
  const FrameView view = prepared.view();
  const std::size_t num_classes = forest.classes.size();
  std::vector<Array2<float>> tables;
  for (const Tree& tree : trees) tables.push_back(leaf_probabilities(forest, tree));
  Prediction out;
  out.labels = LabelImage(frame.rows(), frame.cols(), kVoid);
  out.probabilities.assign(num_classes, Array2<float>(frame.rows(), frame.cols()));
  for (std::size_t y = 0; y < frame.rows(); ++y)
    for (std::size_t x = 0; x < frame.cols(); ++x) {
      const PixelSite site = pixel_site(view, static_cast<int>(x), static_cast<int>(y), false);
      float highest = 0;
      for (std::size_t c = 0; c < num_classes; ++c) {
        float sum = 0;
        for (std::size_t k = 0; k < trees.size(); ++k)
          sum += tables[k](static_cast<std::size_t>(find_leaf(trees[k].nodes.data(), view, site)), c);
        out.probabilities[c](y, x) = sum / static_cast<float>(trees.size());
        if (sum > highest) {
          highest = sum;
          out.labels(y, x) = static_cast<std::uint16_t>(c);
        }
      }
    }
  return out;
}

void expect_same(const Prediction& got, const Prediction& wanted) {
  EXPECT_EQ(got.labels, wanted.labels);
  ASSERT_EQ(got.probabilities.size(), wanted.probabilities.size());
  for (std::size_t c = 0; c < got.probabilities.size(); ++c)
    EXPECT_EQ(got.probabilities[c], wanted.probabilities[c]) << "class " << c;
}

class CpuPredictorOf : public testing::TestWithParam<Isa> {
 protected:
  Prediction predict(const Forest& forest, const Frame& frame, PredictRequest request = kAll, int threads = 2) {
    return CpuPredictor(forest, threads, GetParam()).predict(frame, request);
  }
  void expect_plain(const Forest& forest, const Frame& frame) {
    const Prediction got = predict(forest, frame);
    expect_same(got, plain_prediction(forest, forest.trees, frame));
    ASSERT_EQ(got.trees.size(), forest.trees.size());
    for (std::size_t k = 0; k < forest.trees.size(); ++k)
      expect_same(got.trees[k], plain_prediction(forest, {forest.trees[k]}, frame));
  }
};
INSTANTIATE_TEST_SUITE_P(Each, CpuPredictorOf, testing::ValuesIn(available_isas()),
                         [](const auto& info) { return to_string(info.param); });

TEST_P(CpuPredictorOf, GivesTheSameBitsAsOnePixelAtATime) {
  const Forest forest = noise_forest(4, 3, {"lab", "depth"}, 1);
  for (const auto& [rows, cols] : std::vector<std::pair<int, int>>{{29, 37}, {1, 1}, {4, 8}, {5, 9}, {3, 7}, {1, 40}})
    expect_plain(forest, noise_frame(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols), 2));
}

TEST_P(CpuPredictorOf, GivesTheSameBitsWhenSomeClassesAreBiasedAway) {
  Forest forest = noise_forest(5, 2, {"lab", "depth"}, 3);
  forest.leaves = {true, 0.2f};
  expect_plain(forest, noise_frame(11, 13, 4));
  forest.leaves = {false, 0.0f};
  expect_plain(forest, noise_frame(11, 13, 4));
}

TEST_P(CpuPredictorOf, KnowsManyClasses) { expect_plain(noise_forest(200, 2, {"lab"}, 5), noise_frame(13, 17, 6)); }

TEST_P(CpuPredictorOf, KnowsOneClass) {
  Forest forest = noise_forest(1, 1, {"lab"}, 5);
  std::ranges::fill(forest.trees[0].leaf_counts, 1u);
  EXPECT_EQ(predict(forest, noise_frame(5, 5, 6)).labels, LabelImage(5, 5, 0));
}

TEST_P(CpuPredictorOf, FillsDepthAsTheModelSays) {
  Forest forest = noise_forest(4, 2, {"lab", "depth"}, 7);
  const Frame frame = noise_frame(20, 30, 8);
  const Prediction raw = predict(forest, frame);
  forest.preparation.depth_filling = DepthFilling::kSimple;
  expect_plain(forest, frame);
  EXPECT_NE(predict(forest, frame).labels, raw.labels);
}

TEST_P(CpuPredictorOf, ProbabilitiesAddUpToOne) {
  const Forest forest = noise_forest(7, 3, {"lab", "depth"}, 9);
  bool any_empty = false;
  for (const Tree& tree : forest.trees)
    for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf)
      any_empty |= std::count(tree.leaf_counts.row(leaf), tree.leaf_counts.row(leaf) + 7, 0u) == 7;
  ASSERT_FALSE(any_empty);
  const Prediction got = predict(forest, noise_frame(9, 9, 10));
  for (std::size_t i = 0; i < 81; ++i) {
    float sum = 0;
    for (const Array2<float>& plane : got.probabilities) sum += plane.data()[i];
    EXPECT_NEAR(sum, 1.0f, 1e-6f);
  }
}

/// One tree of one leaf with these counts, no re-weighting.
Forest one_leaf_forest(const std::vector<std::uint32_t>& counts) {
  Forest forest = noise_forest(counts.size(), 0, {"lab"}, 1);
  forest.leaves.reweight = false;
  Node leaf;
  leaf.child = ~0;
  forest.trees = {{{leaf}, Array2<std::uint32_t>(1, counts.size())}};
  std::ranges::copy(counts, forest.trees[0].leaf_counts.begin());
  return forest;
}

TEST_P(CpuPredictorOf, LowestClassWinsATie) {
  EXPECT_EQ(predict(one_leaf_forest({1, 3, 3, 3}), noise_frame(2, 2, 1)).labels, LabelImage(2, 2, 1));
}

TEST_P(CpuPredictorOf, PixelWithoutAnyProbabilityIsVoid) {
  Forest forest = one_leaf_forest({1, 1, 1, 1});
  forest.leaves.histogram_bias = 0.25f;  // 1/4 - 1/4 leaves nothing
  const Prediction got = predict(forest, noise_frame(3, 3, 1));
  EXPECT_EQ(got.labels, LabelImage(3, 3, kVoid));
  for (const Array2<float>& plane : got.probabilities) EXPECT_EQ(plane, Array2<float>(3, 3, 0.0f));
}

TEST_P(CpuPredictorOf, MeansRunOverAllTreesEvenThoseThatKnowNothing) {
  Forest forest = one_leaf_forest({3, 1});
  forest.trees.push_back(one_leaf_forest({0, 0}).trees[0]);
  const Prediction got = predict(forest, noise_frame(1, 1, 1));
  EXPECT_EQ(got.probabilities[0](0, 0), 0.375f);  // (3/4 + 0) / 2
  EXPECT_EQ(got.probabilities[1](0, 0), 0.125f);
  EXPECT_EQ(got.trees[0].probabilities[0](0, 0), 0.75f);
  EXPECT_EQ(got.trees[1].labels(0, 0), kVoid);
}

TEST_P(CpuPredictorOf, AnyNumberOfThreadsGivesTheSame) {
  const Forest forest = noise_forest(4, 3, {"lab", "depth"}, 11);
  const Frame frame = noise_frame(61, 47, 12);
  const Prediction one = predict(forest, frame, kAll, 1);
  expect_same(predict(forest, frame, kAll, 2), one);
  expect_same(predict(forest, frame, kAll, 5), one);
}

TEST_P(CpuPredictorOf, OnePredictorLabelsFramesOfDifferentSizes) {
  const Forest forest = noise_forest(4, 2, {"lab", "depth"}, 13);
  CpuPredictor predictor(forest, 2, GetParam());
  for (const std::size_t size : {30u, 5u, 17u}) {
    const Frame frame = noise_frame(size, 2 * size, 14);
    EXPECT_EQ(predictor.predict(frame, {}).labels, plain_prediction(forest, forest.trees, frame).labels);
  }
}

TEST_P(CpuPredictorOf, GivesOnlyWhatIsAskedFor) {
  const Forest forest = noise_forest(3, 2, {"lab"}, 1);
  const Prediction labels = predict(forest, noise_frame(4, 4, 1), {});
  EXPECT_TRUE(labels.probabilities.empty());
  EXPECT_TRUE(labels.trees.empty());
  const Prediction trees = predict(forest, noise_frame(4, 4, 1), {.per_tree = true});
  EXPECT_TRUE(trees.probabilities.empty());
  ASSERT_EQ(trees.trees.size(), 2u);
  EXPECT_TRUE(trees.trees[0].probabilities.empty());
}

TEST(MakePredictor, LabelsLikeTheFastestInstructionSet) {
  const Forest forest = noise_forest(3, 2, {"lab", "depth"}, 1);
  const Frame frame = noise_frame(9, 9, 1);
  const Prediction wanted = plain_prediction(forest, forest.trees, frame);
  for (const char* device : {"auto", "cpu"})
    EXPECT_EQ(make_predictor(forest, {.device = device})->predict(frame).labels, wanted.labels);
}

TEST(MakePredictor, OutlivesItsForest) {
  const Frame frame = noise_frame(9, 9, 1);
  const Forest forest = noise_forest(3, 2, {"lab", "depth"}, 1);
  std::unique_ptr<Predictor> predictor;
  {
    const Forest copy = forest;
    predictor = make_predictor(copy, {.threads = 1});
  }
  EXPECT_EQ(predictor->predict(frame).labels, plain_prediction(forest, forest.trees, frame).labels);
}

TEST(MakePredictor, ForestWithoutTreesIsAModelError) {
  expect_error([] { make_predictor(noise_forest(3, 0, {"lab"}, 1)); }, ErrorKind::kModel, {"no tree"});
}

TEST(MakePredictor, UnknownDeviceIsADeviceError) {
  expect_error([] { make_predictor(noise_forest(3, 1, {"lab"}, 1), {.device = "abacus:0"}); }, ErrorKind::kDevice,
               {"abacus:0"});
}

TEST(Predict, FrameWithoutAChannelsSourceIsADataError) {
  const auto predict = [](Frame frame, std::vector<std::string> channels) {
    return make_predictor(noise_forest(3, 1, channels, 1), {.threads = 1})->predict(frame);
  };
  const Frame whole = noise_frame(6, 6, 1);
  expect_error([&] { predict({whole.color, {}}, {"lab", "depth"}); }, ErrorKind::kData, {"depth"});
  expect_error([&] { predict({{}, whole.depth_mm}, {"lab", "depth"}); }, ErrorKind::kData, {"colour"});
  expect_error([&] { predict({}, {"lab"}); }, ErrorKind::kData, {});
  EXPECT_EQ(predict({whole.color, {}}, {"lab"}).labels.rows(), 6u);
  EXPECT_EQ(predict({{}, whole.depth_mm}, {"depth"}).labels.cols(), 6u);
}

}  // namespace
}  // namespace fernwood
