// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cpu_predictor.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dataset/test_files.h"
#include "kernel_variants.h"
#include "predict/plain_prediction.h"
#include "sentences.h"
#include "test_folder.h"

namespace fernwood::predict {
namespace {

class CpuPredictorOf : public testing::TestWithParam<KernelVariant> {
 protected:
  Prediction predict(const forest::Forest& forest, const image::Frame& frame, PredictRequest request = kAll,
                     int threads = 2) {
    return CpuPredictor(forest, threads, GetParam()).predict(frame, request);
  }
  void expect_plain(const forest::Forest& forest, const image::Frame& frame) {
    expect_all_same(predict(forest, frame), plain_prediction(forest, frame));
  }
};
INSTANTIATE_TEST_SUITE_P(Each, CpuPredictorOf, testing::ValuesIn(kernel_variants()),
                         [](const auto& info) { return to_string(info.param); });

TEST_P(CpuPredictorOf, GivesTheSameBitsAsOnePixelAtATime) {
  const forest::Forest forest = forest::noise_forest(4, 3, {"lab", "depth"}, 1);
  for (const auto& [rows, cols] : std::vector<std::pair<int, int>>{{29, 37}, {1, 1}, {4, 8}, {5, 9}, {3, 7}, {1, 40}})
    expect_plain(forest, forest::noise_frame(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols), 2));
}

TEST_P(CpuPredictorOf, GivesTheSameBitsWithAndWithoutReweighting) {
  forest::Forest forest = forest::noise_forest(5, 2, {"lab", "depth"}, 3);
  forest.leaves = {true};
  expect_plain(forest, forest::noise_frame(11, 13, 4));
  forest.leaves = {false};
  expect_plain(forest, forest::noise_frame(11, 13, 4));
}

TEST_P(CpuPredictorOf, KnowsManyClasses) {
  expect_plain(forest::noise_forest(200, 2, {"lab"}, 5), forest::noise_frame(13, 17, 6));
}

TEST_P(CpuPredictorOf, KnowsOneClass) {
  forest::Forest forest = forest::noise_forest(1, 1, {"lab"}, 5);
  std::ranges::fill(forest.labelling_trees()[0].leaf_counts, 1u);
  EXPECT_EQ(predict(forest, forest::noise_frame(5, 5, 6)).labels, image::LabelImage(5, 5, 0));
}

TEST_P(CpuPredictorOf, ProbabilitiesAddUpToOne) {
  const forest::Forest forest = forest::noise_forest(7, 3, {"lab", "depth"}, 9);
  bool any_empty = false;
  for (const forest::Tree& tree : forest.labelling_trees())
    for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf)
      any_empty |= std::count(tree.leaf_counts.row(leaf), tree.leaf_counts.row(leaf) + 7, 0u) == 7;
  ASSERT_FALSE(any_empty);
  const Prediction got = predict(forest, forest::noise_frame(9, 9, 10));
  for (std::size_t i = 0; i < 81; ++i) {
    float sum = 0;
    for (const Array2<float>& plane : got.probabilities) sum += plane.data()[i];
    EXPECT_NEAR(sum, 1.0f, 1e-6f);
  }
}

TEST_P(CpuPredictorOf, PixelWithoutAnyProbabilityIsVoid) {
  const Prediction got = predict(one_leaf_forest({0, 0, 0, 0}), forest::noise_frame(3, 3, 1));
  EXPECT_EQ(got.labels, image::LabelImage(3, 3, image::kVoid));
  for (const Array2<float>& plane : got.probabilities) EXPECT_EQ(plane, Array2<float>(3, 3, 0.0f));
}

TEST_P(CpuPredictorOf, MeansRunOverAllTreesEvenThoseThatKnowNothing) {
  forest::Forest forest = one_leaf_forest({3, 1});
  forest.labelling_trees().push_back(one_leaf_forest({0, 0}).labelling_trees()[0]);
  const Prediction got = predict(forest, forest::noise_frame(1, 1, 1));
  EXPECT_EQ(got.probabilities[0](0, 0), 0.375f);  // (3/4 + 0) / 2
  EXPECT_EQ(got.probabilities[1](0, 0), 0.125f);
  EXPECT_EQ(got.trees[0].probabilities[0](0, 0), 0.75f);
  EXPECT_EQ(got.trees[1].labels(0, 0), image::kVoid);
}

TEST_P(CpuPredictorOf, AnyNumberOfThreadsGivesTheSame) {
  const forest::Forest forest = forest::noise_forest(4, 3, {"lab", "depth"}, 11);
  const image::Frame frame = forest::noise_frame(61, 47, 12);
  const Prediction one = predict(forest, frame, kAll, 1);
  expect_same(predict(forest, frame, kAll, 2), one);
  expect_same(predict(forest, frame, kAll, 5), one);
}

TEST(MakePredictor, OutlivesItsForest) {
  const image::Frame frame = forest::noise_frame(9, 9, 1);
  const forest::Forest forest = forest::noise_forest(3, 2, {"lab", "depth"}, 1);
  std::unique_ptr<Predictor> predictor;
  {
    const forest::Forest copy = forest;
    predictor = make_predictor(copy, {.threads = 1});
  }
  EXPECT_EQ(predictor->predict(frame).labels, plain_prediction(forest, forest.labelling_trees(), frame).labels);
}

TEST(MakePredictor, ForestWithoutTreesIsAModelError) {
  testdata::expect_refused(ErrorKind::kModel, [] { make_predictor(forest::noise_forest(3, 0, {"lab"}, 1)); });
}

TEST(MakePredictor, UnknownDeviceIsAUsageErrorAndMissingDeviceADeviceError) {
  const auto make = [](const char* device) {
    make_predictor(forest::noise_forest(3, 1, {"lab"}, 1), {.device = device});
  };
  EXPECT_EQ(testdata::error_of([&] { make("abacus:0"); }).value().kind(), ErrorKind::kUsage);
  EXPECT_EQ(testdata::error_of([&] { make("cuda:4711"); }).value().kind(), ErrorKind::kDevice);
}

TEST(MakePredictor, SaysWhichLayoutItTook) {
  const forest::Forest forest = forest::noise_forest(3, 1, {"lab"}, 1);
  EXPECT_EQ(make_predictor(forest, {.device = "cpu", .layout = "baseline"})->layout(), "baseline");
  EXPECT_EQ(make_predictor(forest, {.device = "cpu"})->layout(), to_string(available_isas().back()));
}

TEST(Predict, FrameWithoutAChannelsSourceIsADataError) {
  const auto predict = [](image::Frame frame, std::vector<std::string> channels) {
    return make_predictor(forest::noise_forest(3, 1, channels, 1), {.threads = 1})->predict(frame);
  };
  const image::Frame whole = forest::noise_frame(6, 6, 1);
  testdata::expect_refused(ErrorKind::kData, [&] { predict({whole.color, {}}, {"lab", "depth"}); });
  testdata::expect_refused(ErrorKind::kData, [&] { predict({{}, whole.depth_mm}, {"lab", "depth"}); });
  testdata::expect_refused(ErrorKind::kData, [&] { predict({}, {"lab"}); });
  EXPECT_EQ(predict({whole.color, {}}, {"lab"}).labels.rows(), 6u);
  EXPECT_EQ(predict({{}, whole.depth_mm}, {"depth"}).labels.cols(), 6u);
}

}  // namespace
}  // namespace fernwood::predict
