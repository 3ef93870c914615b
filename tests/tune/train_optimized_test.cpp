// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/tune/train_optimized.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "devices.h"
#include "sentences.h"
#include "train/training_data.h"

namespace fernwood::tune {
namespace {

namespace fs = std::filesystem;

train::TrainOptions options_of(forest::ForestKind kind) {
  train::TrainOptions options = train::small_training();
  options.algorithm = kind;
  options.channels = {"lab", "depth"};
  if (kind == forest::ForestKind::kBoosted) options.trees = 4, options.max_depth = 3;
  return options;
}

class TrainOptimized : public testing::Test {
 protected:
  TrainOptimized() { train::add_scenes(data_, 8); }
  dataset::Bytes bytes(const train::TrainOptions& options, const train::TrainResources& resources = {},
                       const train::TrainHooks& hooks = {}) {
    return forest::model_bytes(train_optimized(data_.dataset(), options, Goal::kIou, resources, hooks));
  }

  train::TrainingData data_;
};

TEST_F(TrainOptimized, GrowsTheForestOfPlainTrainingAndAddsWeights) {
  for (const forest::ForestKind kind : forest::kForestKinds) {
    const train::TrainOptions options = options_of(kind);
    train::TrainReport report;
    OptimizeReport optimized;
    forest::Forest forest = train_optimized(data_.dataset(), options, Goal::kIou, {}, {}, &report, &optimized);
    EXPECT_EQ(optimized.frames, 8u);
    EXPECT_EQ(optimized.frames_left_out, 2u);
    EXPECT_EQ(report.frames, 8u);
    EXPECT_GE(optimized.plain.after.mean_iou, optimized.plain.before.mean_iou);
    EXPECT_GE(optimized.smoothed.after.mean_iou, optimized.smoothed.before.mean_iou);
    EXPECT_EQ(forest.label_weights.plain, optimized.plain.weights);
    EXPECT_EQ(forest.label_weights.smoothed, optimized.smoothed.weights);
    EXPECT_EQ(nlohmann::json::parse(forest.options_json).at("optimize"), "iou");
    const forest::Forest plain = train::train_forest(data_.dataset(), options);
    forest.label_weights = {};
    forest.options_json = plain.options_json;
    EXPECT_TRUE(forest == plain) << to_string(kind);
  }
}

TEST_F(TrainOptimized, RanksGetTheSameBytesWhateverTheyDivide) {
  for (const forest::ForestKind kind : {forest::ForestKind::kForest, forest::ForestKind::kBoosted}) {
    const train::TrainOptions options = options_of(kind);
    const dataset::Bytes expected = bytes(options);
    for (const std::string split : {"trees", "features", "data"}) {
      if (split == "trees" && kind == forest::ForestKind::kBoosted) continue;
      run_as_ranks(2, [&](Communicator& ranks) {
        const train::TrainResources resources{.threads = 1, .parallel = split};
        EXPECT_EQ(forest::model_bytes(
                      train_optimized(data_.dataset(), options, Goal::kIou, resources, {}, nullptr, nullptr, &ranks)),
                  expected)
            << to_string(kind) << ", " << split << ", rank " << ranks.rank();
      });
    }
  }
}

TEST_F(TrainOptimized, GivesTheSameBytesOnAnyNumberOfThreadsAndWithStages) {
  train::TrainOptions options = options_of(forest::ForestKind::kForest);
  options.cascade = 2;
  options.folds = 2;
  EXPECT_EQ(bytes(options, {.device = "cpu", .threads = 1}), bytes(options, {.device = "cpu", .threads = 3}));
}

TEST_F(TrainOptimized, InterruptedAnywhereTheModelIsTheSame) {
  for (const forest::ForestKind kind : {forest::ForestKind::kForest, forest::ForestKind::kBoosted}) {
    const train::TrainOptions options = options_of(kind);
    const dataset::Bytes whole = bytes(options);
    train::TrainHooks hooks;
    hooks.checkpoint = data_.folder() / "checkpoint";
    hooks.checkpoint_every_s = 0;
    hooks.resume = true;
    int interruptions = 0;
    for (bool done = false; !done; ++interruptions) {
      ASSERT_LT(interruptions, 60);
      std::stop_source stop;
      hooks.stop = stop.get_token();
      hooks.level_done = [&, levels = 0](const train::LevelReport&) mutable {
        if (++levels == 4) stop.request_stop();
      };
      try {
        EXPECT_EQ(bytes(options, {}, hooks), whole);
        done = true;
      } catch (const Error& error) {
        ASSERT_EQ(error.kind(), ErrorKind::kInterrupted) << error.what();
      }
    }
    EXPECT_GE(interruptions, 4) << to_string(kind);
    EXPECT_TRUE(fs::exists(left_out_checkpoint(hooks.checkpoint)));
    fs::remove(hooks.checkpoint);
    fs::remove(left_out_checkpoint(hooks.checkpoint));
  }
}

TEST_F(TrainOptimized, LeavesOutWholeGroups) {
  std::string groups;
  for (int i = 0; i < 8; ++i) groups += "scene" + std::to_string(i) + (i < 5 ? " kitchen\n" : " bath\n");
  data_.folder().write("groups.txt", groups);
  OptimizeReport optimized;
  train_optimized(data_.dataset(), options_of(forest::ForestKind::kForest), Goal::kClasses, {}, {}, nullptr,
                  &optimized);
  EXPECT_EQ(optimized.frames_left_out, 3u);
}

TEST(TrainOptimizedWarnings, LeaveOutTheAdviceToGiveTheOptionThatRuns) {
  train::TrainingData data;
  train::add_screws_on_ground(data, 8);
  std::vector<std::string> told;
  train::TrainHooks hooks;
  hooks.warn = [&](const Warning& warning) { told.push_back(warning.id); };
  train::TrainOptions options = train::small_training();
  train::train_forest(data.dataset(), options, {}, hooks);
  EXPECT_THAT(told, testing::ElementsAre("class-imbalance"));
  told.clear();
  train::TrainReport report;
  train_optimized(data.dataset(), options, Goal::kIou, {}, hooks, &report);
  EXPECT_THAT(told, testing::IsEmpty());
  EXPECT_THAT(texts_of(report.warnings), testing::IsEmpty());
}

TEST_F(TrainOptimized, OneGroupIsRefusedBeforeAnythingGrows) {
  std::string groups;
  for (int i = 0; i < 8; ++i) groups += "scene" + std::to_string(i) + " kitchen\n";
  data_.folder().write("groups.txt", groups);
  testdata::expect_refused(ErrorKind::kData, [&] { bytes(options_of(forest::ForestKind::kForest)); });
}

class TrainOptimizedOn : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Each, TrainOptimizedOn, testing::ValuesIn(cpu_and_gpus()), name_of_device);

TEST_P(TrainOptimizedOn, GivesTheSameBytesOnEveryDevice) {
  train::TrainingData data;
  train::add_scenes(data, 6);
  const train::TrainOptions options = options_of(forest::ForestKind::kBoosted);
  EXPECT_EQ(
      forest::model_bytes(train_optimized(data.dataset(), options, Goal::kIou, {.device = to_string(GetParam())})),
      forest::model_bytes(train_optimized(data.dataset(), options, Goal::kIou, {.device = "cpu"})));
}

}  // namespace
}  // namespace fernwood::tune
