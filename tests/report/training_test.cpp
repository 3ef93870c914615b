// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dataset/test_files.h"
#include "sentences.h"
#include "train/small_reports.h"
#include "train/training_data.h"

namespace fernwood::report {
namespace {

using namespace train;
using train::testdata::cpu_report, train::testdata::gpu_report, train::testdata::level;

using Json = nlohmann::json;

/// Two trees, of one and of three nodes.
forest::Forest two_trees() {
  forest::Forest forest;
  forest.options_json = "{}";
  forest.provenance_json = "{}";
  forest.labelling_trees().resize(2);
  forest.labelling_trees()[0].nodes.resize(1);
  forest.labelling_trees()[0].nodes[0].child = -1;
  forest.labelling_trees()[0].leaf_counts = Array2<std::uint32_t>(1, 2, 1);
  forest.labelling_trees()[1].nodes.resize(3);
  forest.labelling_trees()[1].nodes[0].child = 1;
  forest.labelling_trees()[1].nodes[1].child = -1;
  forest.labelling_trees()[1].nodes[2].child = -2;
  forest.labelling_trees()[1].leaf_counts = Array2<std::uint32_t>(2, 2, 1);
  return forest;
}

TEST(TrainingTable, OnTheCpuSpeedIsPerThread) {
  fernwood::testdata::expect_sentence(training_table(cpu_report(), two_trees()));  // 6e9 responses / 10 s / 2 threads
}

TEST(TrainingTable, SaysWhyItIsOnTheCpuAndWhichCameraThereIs) {
  TrainReport report = cpu_report();
  report.device_note = "no NVIDIA driver was found; install it, or use --device cpu";
  report.cameras = "varies from frame to frame, fx 30 to 60, from rooms/frame_cameras.txt";
  fernwood::testdata::expect_sentence(training_table(report, two_trees()));
}

TEST(TrainingTable, OnAGpuSpeedIsTheGpusWithItsCacheAndLoad) {
  // 30 of 40 visits hit; stages 2 + 2 + 3.5 of 10 s; 6e9 responses / 10 s
  fernwood::testdata::expect_sentence(training_table(gpu_report(), two_trees()));
}

TEST(TrainingTable, ACacheWithRoomForMoreHoldsAllFrames) {
  TrainReport report = gpu_report();
  report.gpu.frame_slots = 900;
  fernwood::testdata::expect_sentence(training_table(report, two_trees()));
}

/// A report on two trees of at most `most`, with out-of-bag accuracies.
TrainReport report_out_of_bag(forest::Forest& forest, int most) {
  forest.options_json = R"({"early_stopping_rounds":3,"trees":)" + std::to_string(most) + "}";
  TrainReport report = cpu_report();
  report.seconds_out_of_bag = 0.5;
  report.out_of_bag = {{0, {0.5, 0.25}, 400}, {1, {0.6714, 0.6278}, 97000, 0.125}};
  return report;
}

TEST(TrainingTable, TellsAccuracyOutOfBagAndWhyItStopped) {
  forest::Forest forest = two_trees();
  for (const int most : {2, 40}) {
    const TrainReport report = report_out_of_bag(forest, most);
    fernwood::testdata::expect_sentence(training_table(report, forest));
  }
}

TEST(TrainingTable, SaysNothingOfPixelsThatNoTreeVotedOn) {
  forest::Forest forest = two_trees();
  TrainReport report = report_out_of_bag(forest, 2);
  report.out_of_bag = {{0, fernwood::accuracy_of({}, {}), 0}};
  EXPECT_TRUE(training_table(report, forest).ends_with("avx2\n"));
  const Json after_tree = Json::parse(training_json(report, forest)).at("out_of_bag").at(0);
  EXPECT_EQ(after_tree.at("pixel_accuracy"), nullptr);
}

TEST(TrainingJson, HasAnEntryOutOfBagForEachTree) {
  forest::Forest forest = two_trees();
  const Json json = Json::parse(training_json(report_out_of_bag(forest, 2), forest));
  EXPECT_EQ(json.at("seconds_out_of_bag"), 0.5);
  EXPECT_EQ(
      json.at("out_of_bag"),
      (Json{
          {{"tree", 0}, {"pixel_accuracy", 0.5}, {"class_accuracy", 0.25}, {"pixels", 400}, {"rise", nullptr}},
          {{"tree", 1}, {"pixel_accuracy", 0.6714}, {"class_accuracy", 0.6278}, {"pixels", 97000}, {"rise", 0.125}}}));
  EXPECT_EQ(Json::parse(training_json(cpu_report(), forest)).at("out_of_bag"), Json::array());
}

/// Durations of the levels of each tree, in the order of training.
std::vector<double> seconds_in_order(const std::vector<LevelReport>& levels) {
  std::vector<double> seconds;
  for (const LevelReport& level : levels) {
    if (level.level == 0) seconds.push_back(0);
    seconds.back() += level.seconds;
  }
  return seconds;
}

TEST(TrainingJson, OfTwoStagesTellsTheSecondsOfTheTreesThatAreKept) {
  TrainingData data;
  add_scenes(data, 4);
  TrainOptions options = small_training();
  options.trees = 1;
  options.cascade = options.folds = 2;
  options.frames_per_tree = 2;
  TrainReport report;
  const forest::Forest forest = train_forest(data.dataset(), options, {}, {}, &report);
  const std::vector<double> seconds = seconds_in_order(report.levels);
  ASSERT_EQ(seconds.size(), 4u) << "two for cross-fitting, one of each stage";
  const Json json = Json::parse(training_json(report, forest));
  ASSERT_EQ(json.at("trees").size(), 2u);
  EXPECT_EQ(json.at("trees").at(0).at("stage"), 0);
  EXPECT_EQ(json.at("trees").at(0).at("seconds"), seconds[2]);
  EXPECT_EQ(json.at("trees").at(1).at("stage"), 1);
  EXPECT_EQ(json.at("trees").at(1).at("seconds"), seconds[3]);
  EXPECT_EQ(json.at("cross_fitting"), (Json{{"forests", 2}, {"trees", 2}, {"seconds", seconds[0] + seconds[1]}}));
  ASSERT_EQ(json.at("out_of_bag").size(), 1u);
  EXPECT_EQ(json.at("out_of_bag").at(0).at("tree"), 0) << "the only one of the stage that labels";
}

TEST(TrainingTable, OfTwoStagesHasARowForEachTreeThatIsKept) {
  forest::Forest forest = two_trees();
  forest.options_json = R"({"cascade":2,"folds":4,"trees":1})";
  const std::vector<forest::Tree> trees = forest.labelling_trees();
  forest.stages = {{trees[1]}, {trees[0]}};
  TrainReport report = cpu_report();
  report.levels = {level(0, 0, 1, {}), level(0, 1, 2, {}), level(0, 0, 4, {}), level(0, 1, 8, {}), level(0, 0, 16, {})};
  report.levels[0].fold = 0, report.levels[1].fold = 3;
  report.levels[4].stage = 1;
  fernwood::testdata::expect_sentence(training_table(report, forest));
}

TEST(TrainingTable, TellsHowCountsCameFromGpuToGpu) {
  TrainReport report = gpu_report();
  report.parallel = "frames";
  report.ranks = {{10, 2.5, 123}, {10, 5, 456}};
  EXPECT_TRUE(Json::parse(training_json(report, two_trees())).at("gpu_links").is_null()) << "they divided no frames";
  report.gpu_links.by = "NCCL 2.28.9";
  fernwood::testdata::expect_sentence(training_table(report, two_trees()));
  report.gpu_links = {"", "ranks 0 and 1 share a GPU"};
  fernwood::testdata::expect_sentence(training_table(report, two_trees()));
  const Json links = Json::parse(training_json(report, two_trees())).at("gpu_links");
  EXPECT_TRUE(links.at("by").is_null());
  EXPECT_EQ(links.at("problem"), "ranks 0 and 1 share a GPU");
}

TEST(StageTable, OnTheCpuStagesAreDividedByThreads) { fernwood::testdata::expect_sentence(stage_table(cpu_report())); }

TEST(StageTable, OnAGpuStagesAreKernelTimeAsItIs) {
  TrainReport report = gpu_report();
  report.levels[0].stages.bin = 0;  // as on a GPU, where this is part of the aggregation
  fernwood::testdata::expect_sentence(stage_table(report));
}

TEST(TrainingJson, NamesTheClockOfItsStages) {
  const Json cpu = Json::parse(training_json(cpu_report(), two_trees()));
  EXPECT_EQ(cpu.at("gpu"), nullptr);
  EXPECT_EQ(cpu.at("stage_clock"), "threads");
  EXPECT_EQ(cpu.at("stage_seconds").at("respond"), 4.0);
  EXPECT_EQ(cpu.at("responses_per_second"), 6e8);
  EXPECT_EQ(cpu.at("responses_per_second_and_thread"), 3e8);
  const Json gpu = Json::parse(training_json(gpu_report(), two_trees()));
  EXPECT_EQ(gpu.at("stage_clock"), "gpu");
  EXPECT_EQ(gpu.at("stage_seconds").at("respond"), 4.0);
  EXPECT_EQ(gpu.at("levels").at(2).at("stage_seconds").at("score"), 1.0);
  EXPECT_EQ(gpu.at("responses_per_second"), 6e8);
  EXPECT_EQ(gpu.at("responses_per_second_and_thread"), nullptr);
}

TEST(TrainingJson, TellsAllOfTheGpu) {
  const Json report = Json::parse(training_json(gpu_report(), two_trees()));
  EXPECT_EQ(report.at("device"), "cuda:0");
  EXPECT_EQ(report.at("gpu"), (Json{{"name", "NVIDIA H200"},
                                    {"frame_slots", 300},
                                    {"hits", 30},
                                    {"misses", 10},
                                    {"hit_rate", 0.75},
                                    {"uploaded_bytes", 2 << 20},
                                    {"memory_bytes", std::size_t{5} << 30},
                                    {"response_bytes", 48'000'000'000},
                                    {"busy_share", 0.75}}));
}

TEST(RooflineText, ReadsAsSharesOfTheLimits) {
  fernwood::testdata::expect_sentence(roofline_text({.responses_per_second = 120e9,
                                                     .response_limit = 1000e9,
                                                     .random_limit = 240e9,
                                                     .respond_bytes_per_second = 0.5e12,
                                                     .aggregate_bytes_per_second = 3e12,
                                                     .copy_bytes_per_second = 4e12}));
}

}  // namespace
}  // namespace fernwood::report
