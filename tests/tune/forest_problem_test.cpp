// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "tune/forest_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "devices.h"
#include "search/option_space.h"
#include "train/out_of_bag.h"
#include "train/training_data.h"

namespace fernwood::tune {

namespace {

using namespace search;
using testing::Contains;
using testing::Each;
using testing::Key;

train::TrainOptions small_base() {
  train::TrainOptions base = train::small_training();
  base.trees = 3;
  base.channels = {"lab", "depth", "height"};
  return base;
}

/// Forests of a small search space on six small scenes.
class ForestProblemOn : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    train::add_scenes(data_, 6);
    options_.train = small_base();
    options_.resources.device = to_string(GetParam());
    train::TrainOptions common = options_.train;
    common.cascade = 2;
    trainer_.emplace(data_.dataset(), common, options_.resources, hooks_);
    train::TrainReport unwanted;
    trainer_->load_frames(unwanted);
    problem_.emplace(*trainer_, forest_space(options_.train, data_.dataset()), folds_, options_);
  }

  /// Accuracy by a separate training and labels of whole frames, at the pixels of the fold's evaluation.
  Accuracy accuracy_of_trial(const Configuration& configuration, std::size_t fold) {
    train::TrainReport report;
    const auto predictor = predict::make_predictor(
        trainer_->finished(train::grow_forest(*trainer_, search::apply_configuration(configuration, options_.train),
                                              folds_.race_frames(static_cast<int>(fold)), hooks_, report)),
        {.device = options_.resources.device});
    train::TrainOptions drawn = options_.train;
    drawn.samples_per_frame = 500;
    drawn.sampling = train::Sampling::kPixels;
    drawn.mirror_augmentation = false;
    const train::SampleSet pixels = trainer_->device().draw_samples(drawn, folds_.folds[fold], train::kNoTree);
    std::vector<std::uint64_t> right(trainer_->model().classes.size(), 0), all = right;
    for (std::size_t f = 0; f < pixels.frames.size(); ++f) {
      const image::LabelImage labels = predictor->predict(data_.dataset().read_frame(pixels.frames[f])).labels;
      for (std::uint32_t p = pixels.frame_starts[f]; p < pixels.frame_starts[f + 1]; ++p) {
        const auto y = static_cast<std::size_t>(pixels.sites[p].y()), x = static_cast<std::size_t>(pixels.sites[p].x());
        ++all[pixels.labels[p]];
        right[pixels.labels[p]] += labels(y, x) == pixels.labels[p];
      }
    }
    return fernwood::accuracy_of(right, all);
  }

  train::TrainingData data_;
  ForestSearchOptions options_;
  train::TrainHooks hooks_;
  const ForestFolds folds_ = {{5}, {{0, 1}, {2, 3}, {4}}};
  std::optional<train::Trainer> trainer_;
  std::optional<ForestProblem> problem_;
};
INSTANTIATE_TEST_SUITE_P(EveryDevice, ForestProblemOn, testing::ValuesIn(cpu_and_gpus()), name_of_device);

TEST_P(ForestProblemOn, EveryVariantIsEvaluatedAsATrainingOfItsOwnWouldBe) {
  Configuration trial = problem_->space().standard();
  const std::vector<Configuration> variants = problem_->variants(trial);
  ASSERT_GT(variants.size(), 10u);
  const EvaluationResult result = problem_->measure(trial, variants, 1, false);
  ASSERT_EQ(result.results.size(), variants.size());
  EXPECT_TRUE(result.latency_ms.empty());
  for (std::size_t v = 0; v < variants.size(); v += 3) {
    const Accuracy expected = accuracy_of_trial(variants[v], 1);
    EXPECT_EQ(result.results[v].accuracy, expected.pixel) << to_config(variants[v]);
    EXPECT_EQ(result.results[v].class_accuracy, expected.class_average);
    EXPECT_EQ(result.results[v].loss, 1 - (expected.pixel + expected.class_average) / 2);
  }
}

TEST_P(ForestProblemOn, StagesSeeTheContextThatTheyWouldSeeInNewFrames) {
  Configuration trial = problem_->space().standard();
  trial["cascade"] = "2";
  trial["trees"] = "2";
  options_.train.folds = 2;
  problem_.emplace(*trainer_, forest_space(options_.train, data_.dataset()), folds_, options_);
  const std::vector<Configuration> variants = problem_->variants(trial);
  ASSERT_EQ(variants.size(), 1u) << "nothing is free where one stage reads another";
  const EvaluationResult result = problem_->measure(trial, variants, 0, false);
  EXPECT_EQ(result.results[0].accuracy, accuracy_of_trial(trial, 0).pixel);
}

TEST_P(ForestProblemOn, TheSameAgainAndTimedWhereAsked) {
  const Configuration trial = problem_->space().standard();
  const std::vector<Configuration> variants = problem_->variants(trial);
  const EvaluationResult once = problem_->measure(trial, variants, 2, true),
                         again = problem_->measure(trial, variants, 2, false);
  for (std::size_t v = 0; v < variants.size(); ++v) EXPECT_EQ(once.results[v].loss, again.results[v].loss);
  ASSERT_EQ(once.latency_ms.size(), variants.size());
  EXPECT_THAT(once.latency_ms, Each(testing::Gt(0.0)));
  for (std::size_t v = 0; v < variants.size(); ++v) EXPECT_LE(once.latency_ms[v], once.latency_ms[0]);
  EXPECT_GT(once.train_seconds, 0);
}

TEST_P(ForestProblemOn, TheFingerprintTellsDataFoldsAndObjective) {
  const std::string before = problem_->fingerprint();
  EXPECT_EQ(before.size(), 16u);
  options_.objective = Objective::kClass;
  EXPECT_NE(ForestProblem(*trainer_, problem_->space(), folds_, options_).fingerprint(), before);
  options_.objective = Objective::kMean;
  EXPECT_EQ(ForestProblem(*trainer_, problem_->space(), folds_, options_).fingerprint(), before);
  EXPECT_NE(ForestProblem(*trainer_, problem_->space(), {{5}, {{0, 1, 2}, {3}, {4}}}, options_).fingerprint(), before);
}

TEST(ForestSpace, OfBoostedTreesHasTheirRangesAndLearningRate) {
  train::TrainingData data;
  train::add_scenes(data, 1);
  const train::TrainOptions base = train::defaults_of(forest::ForestKind::kBoosted);
  const Space space = forest_space(base, data.dataset());
  Configuration configuration = space.standard();
  EXPECT_EQ(configuration.at("learning_rate"), "0.2");
  configuration["learning_rate"] = "0.25";
  configuration["trees"] = "100";
  configuration["max_depth"] = "4";
  space.check(configuration);
  const train::TrainOptions read = search::apply_configuration(configuration, base);
  EXPECT_EQ(read.learning_rate, 0.25f);
  EXPECT_EQ(read.max_depth, 4);
  std::vector<std::string> trees;
  for (const Configuration& variant : free_variants(configuration, space, base)) trees.push_back(variant.at("trees"));
  EXPECT_THAT(trees, testing::IsSupersetOf({"100", "50"}));
  const train::TrainOptions of_forests = train::defaults_of(forest::ForestKind::kForest);
  EXPECT_EQ(forest_space(of_forests, data.dataset()).standard().count("learning_rate"), 0u);
}

TEST(ForestSpace, HasTheDefaultsAndReadsThemBack) {
  train::TrainingData data;
  train::add_scenes(data, 1);
  const train::TrainOptions base;
  const Space space = forest_space(base, data.dataset());
  const Configuration standard = space.standard();
  EXPECT_THAT(standard, Contains(Key("samples_per_frame")));
  train::TrainOptions read = search::apply_configuration(standard, base);
  EXPECT_EQ(read.channels,
            (std::vector<std::string>{"lab", "gradient", "depth", "height", "upright", "behind", "above"}));
  read.channels.clear();
  EXPECT_EQ(to_json(read), to_json(base));
  EXPECT_EQ(read.class_weights, base.class_weights);
}

TEST(ForestSpace, VariantsLieInTheSpaceAndNoneComesTwice) {
  train::TrainingData data;
  train::add_scenes(data, 1);
  const train::TrainOptions base = train::defaults_of(forest::ForestKind::kForest);
  const Space space =
      forest_space(base, data.dataset()).changed_by("[trees]\nvalue = 2\n[min_samples]\nlow = 10\nhigh = 700\n", "f");
  const std::vector<Configuration> variants = free_variants(space.standard(), space, base);
  EXPECT_EQ(variants.front(), space.standard());
  for (const Configuration& variant : variants) {
    space.check(variant);
    EXPECT_EQ(variant.at("trees"), "2");
  }
  EXPECT_EQ(std::set<Configuration>(variants.begin(), variants.end()).size(), variants.size());
}

TEST(ForestSpace, ASettingIsWrittenAsConfigurationReadsIt) {
  EXPECT_EQ(to_config({{"unary_feature_fraction", "0.25"}, {"channels", "lab,depth"}, {"samples_per_frame", "700"}}),
            "channels = \"lab,depth\"\nsamples-per-frame = 700\nunary-feature-fraction = 0.25\n");
}

}  // namespace
}  // namespace fernwood::tune
