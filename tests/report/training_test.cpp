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
using testing::HasSubstr;
using testing::Not;

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
  // 6e9 responses / 10 s / 2 threads
  EXPECT_EQ(training_table(cpu_report(), two_trees()),
            "tree        nodes     leaves   depth    seconds\n"
            "1               1          1       0       1.00\n"
            "2               3          2       1       7.00\n"
            "\n"
            "frames  500 (400 kept in memory, 3.0 MiB)\n"
            "samples 2000\n"
            "time    11.8 s: loading 1.50, sampling 0.25, growing 10.0\n"
            "speed   300 million responses a second and thread, 2 threads, avx2\n");
}

TEST(TrainingTable, SaysWhyItIsOnTheCpu) {
  TrainReport report = cpu_report();
  EXPECT_THAT(training_table(report, two_trees()), Not(HasSubstr("device")));
  report.device_note = "no NVIDIA driver was found; install it, or give --device cpu";
  EXPECT_THAT(training_table(report, two_trees()),
              HasSubstr("\ndevice  on the CPU: no NVIDIA driver was found; install it, or give --device cpu\n"));
}

TEST(TrainingTable, SaysWhichCameraAndFromWhere) {
  TrainReport report = cpu_report();
  EXPECT_THAT(training_table(report, two_trees()), Not(HasSubstr("camera")));
  report.cameras = "varies from frame to frame, fx 30 to 60, from rooms/frame_cameras.txt";
  EXPECT_THAT(training_table(report, two_trees()), HasSubstr("\ncamera  " + report.cameras + "\n"));
}

TEST(TrainingTable, OnAGpuSpeedIsTheGpusWithItsCacheAndLoad) {
  // 30 of 40 visits hit; stages 2 + 2 + 3.5 of 10 s; 6e9 responses / 10 s
  EXPECT_THAT(training_table(gpu_report(), two_trees()),
              HasSubstr("\ndevice  cuda:0, NVIDIA H200; 5.0 GiB of its memory taken\n"
                        "cache   300 of 500 frames held on the GPU, 75.0 % found there, 2.0 MiB brought to it\n"
                        "speed   0.6 G responses a second, GPU busy for 75 % of growing\n"));
}

TEST(TrainingTable, ACacheWithRoomForMoreHoldsAllFrames) {
  TrainReport report = gpu_report();
  report.gpu.frame_slots = 900;
  EXPECT_THAT(training_table(report, two_trees()), HasSubstr("cache   500 of 500 frames held"));
}

/// A report on two trees of at most `most`, with out-of-bag accuracies.
TrainReport report_out_of_bag(forest::Forest& forest, int most) {
  forest.options_json = R"({"early_stopping_rounds":3,"trees":)" + std::to_string(most) + "}";
  TrainReport report = cpu_report();
  report.seconds_out_of_bag = 0.5;
  report.out_of_bag = {{0, {0.5, 0.25}, 400}, {1, {0.6714, 0.6278}, 97000, 0.125}};
  return report;
}

TEST(TrainingTable, TellsAccuracyOutOfBagAndItsTime) {
  forest::Forest forest = two_trees();
  const std::string text = training_table(report_out_of_bag(forest, 2), forest);
  EXPECT_THAT(text, HasSubstr("time    12.2 s: loading 1.50, sampling 0.25, growing 10.0, out of bag 0.50\n"));
  EXPECT_THAT(text, testing::EndsWith("avx2\nout of bag  67.1 % pixel, 62.8 % class accuracy over 97000 pixels that "
                                      "trees had not seen\n"));
}

TEST(TrainingTable, SaysThatNoMoreTreesWereWorthWhile) {
  forest::Forest forest = two_trees();
  EXPECT_THAT(
      training_table(report_out_of_bag(forest, 40), forest),
      testing::EndsWith("not seen\nstopped     after 2 of at most 40 trees: the last 3 raised that by less than "
                        "0.1 points\n"));
}

TEST(TrainingTable, SaysNothingOfPixelsThatNoTreeVotedOn) {
  forest::Forest forest = two_trees();
  TrainReport report = report_out_of_bag(forest, 2);
  report.out_of_bag = {{0, fernwood::accuracy_of({}, {}), 0}};
  EXPECT_THAT(training_table(report, forest), testing::EndsWith("avx2\n"));
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
  EXPECT_THAT(training_table(report, forest), testing::StartsWith("tree        nodes     leaves   depth    seconds\n"
                                                                  "1.1             3          2       1       12.0\n"
                                                                  "2.1             1          1       0       16.0\n"
                                                                  "4 forests for cross-fitting: 4 trees, 3.00 s\n"
                                                                  "\n"));
}

TEST(ReadTrainingJson, GivesTheFoldOfLevels) {
  TrainReport report = cpu_report();
  report.levels[0].fold = 3;
  const dataset::TestFolder folder;
  const TrainReport again = read_training_json(folder.write("a.json", training_json(report, two_trees())), two_trees());
  EXPECT_EQ(again.levels[0].fold, 3);
  EXPECT_EQ(again.levels[1].fold, std::nullopt);
}

TEST(ReadTrainingJson, GivesTheRanksWhereThereWereSeveral) {
  TrainReport report = cpu_report();
  const dataset::TestFolder folder;
  EXPECT_TRUE(
      read_training_json(folder.write("a.json", training_json(report, two_trees())), two_trees()).ranks.empty());
  report.parallel = "frames";
  report.ranks = {{10, 2.5, 123}, {10, 5, 456}};
  const TrainReport again = read_training_json(folder.write("b.json", training_json(report, two_trees())), two_trees());
  EXPECT_EQ(again.parallel, "frames");
  ASSERT_EQ(again.ranks.size(), 2u);
  EXPECT_EQ(again.ranks[1].waiting_share(), 0.5);
  EXPECT_EQ(again.ranks[1].bytes_sent, 456u);
}

TEST(TrainingTable, TellsHowCountsCameFromGpuToGpu) {
  TrainReport report = gpu_report();
  report.parallel = "frames";
  report.ranks = {{10, 2.5, 123}, {10, 5, 456}};
  EXPECT_TRUE(Json::parse(training_json(report, two_trees())).at("gpu_links").is_null()) << "they divided no frames";
  report.gpu_links.by = "NCCL 2.28.9";
  EXPECT_THAT(training_table(report, two_trees()),
              testing::HasSubstr("579 B in all; GPUs added up their counts by NCCL 2.28.9\n"));
  report.gpu_links = {"", "ranks 0 and 1 share a GPU"};
  EXPECT_THAT(training_table(report, two_trees()),
              testing::HasSubstr("through memory of the machines (ranks 0 and 1 share a GPU)\n"));
  const Json links = Json::parse(training_json(report, two_trees())).at("gpu_links");
  EXPECT_TRUE(links.at("by").is_null());
  EXPECT_EQ(links.at("problem"), "ranks 0 and 1 share a GPU");
}

TEST(StageTable, OnTheCpuStagesAreDividedByThreads) {
  EXPECT_EQ(stage_table(cpu_report()),
            "level     nodes    samples  seconds  respond      bin  aggreg.    score    split  M/s/core\n"
            "    0         2       2000     4.00     1.00     0.25     0.50     0.00     0.25     500.0\n"
            "    1         2       1000     4.00     1.00     0.00     0.00     0.50     0.25     250.0\n"
            "  all         4       3000     8.00     2.00     0.25     0.50     0.50     0.50     375.0\n");
}

TEST(StageTable, OnAGpuStagesAreKernelTimeAsItIs) {
  TrainReport report = gpu_report();
  report.levels[0].stages.bin = 0;  // as on a GPU, where this is part of the aggregation
  EXPECT_EQ(stage_table(report),
            "level     nodes    samples  seconds  respond  aggreg.    score    split   busy      G/s\n"
            "    0         2       2000    4.000    2.000    1.000    0.000    0.500   88 %      1.0\n"
            "    1         2       1000    4.000    2.000    0.000    1.000    0.500   88 %      0.5\n"
            "  all         4       3000    8.000    4.000    1.000    1.000    1.000   88 %      0.8\n");
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

/// The error of reading `text` as the report of `forest`, or an empty string.
std::string complaint(const std::string& text, const forest::Forest& forest = two_trees()) {
  const dataset::TestFolder folder;
  const std::optional<Error> error =
      dataset::error_of([&] { read_training_json(folder.write("a.json", text), forest); });
  if (!error) return "";
  EXPECT_EQ(error->kind(), ErrorKind::kData);
  EXPECT_THAT(error->what(), HasSubstr("a.json: "));
  EXPECT_THAT(error->what(), HasSubstr("; train again, or remove it"));
  return error->what();
}

TEST(ReadTrainingJson, GivesWhatThePageOfAnEvaluationShows) {
  const dataset::TestFolder folder;
  for (const TrainReport& report : {cpu_report(), gpu_report(), TrainReport{}}) {
    const TrainReport again =
        read_training_json(folder.write("a.json", training_json(report, two_trees())), two_trees());
    const auto page = [](const TrainReport& shown) { return evaluation_page({}, {shown, ""}); };
    EXPECT_EQ(page(again), page(report));
    EXPECT_EQ(again.levels.size(), report.levels.size());
  }
  EXPECT_EQ(training_json_path("b/rooms.fernwood"), "b/rooms.fernwood.report.json");
}

TEST(ReadTrainingJson, DamageIsNamed) {
  const std::string whole = training_json(cpu_report(), two_trees());
  EXPECT_EQ(complaint(whole), "");
  testdata::expect_sentence(complaint(""));
  testdata::expect_sentence(complaint("[]"));
  for (std::size_t size = 0; size + 2 < whole.size(); size += 101) EXPECT_NE(complaint(whole.substr(0, size)), "");
  const auto with = [&](const char* place, const Json& value) {
    Json json = Json::parse(whole);
    json[Json::json_pointer(place)] = value;
    return json.dump();
  };
  testdata::expect_sentence(complaint(with("/levels/1/seconds", "1")));
  testdata::expect_sentence(complaint(with("/levels", nullptr)));
  testdata::expect_sentence(complaint(with("/levels/0/stage_seconds", 1)));
  testdata::expect_sentence(complaint(with("/levels/2/level", 65)));
  testdata::expect_sentence(complaint(with("/levels/2/level", 4294967297)));
  testdata::expect_sentence(complaint(with("/levels/2/seconds", -1)));
  testdata::expect_sentence(complaint(with("/seconds_growing", -0.5)));
  testdata::expect_sentence(complaint(with("/threads", 1e300)));
}

TEST(ReadTrainingJson, AReportOfAnotherTrainingIsRefused) {
  const std::string text = training_json(cpu_report(), two_trees());
  forest::Forest other = two_trees();
  other.options_json = R"({"seed":2})";
  testdata::expect_sentence(complaint(text, other));
  other = two_trees();
  other.provenance_json = R"({"frames":2})";
  testdata::expect_sentence(complaint(text, other));
}

TEST(ReadTrainingJson, AMissingFileIsARuntimeError) {
  testdata::expect_refused(ErrorKind::kRuntime, [] { read_training_json("nowhere/a.json", two_trees()); });
}

TEST(RooflineText, ReadsAsSharesOfTheLimits) {
  EXPECT_EQ(roofline_text({.responses_per_second = 120e9,
                           .response_limit = 1000e9,
                           .random_limit = 240e9,
                           .respond_bytes_per_second = 0.5e12,
                           .aggregate_bytes_per_second = 3e12,
                           .copy_bytes_per_second = 4e12}),
            "feature response       120.0 G a second: 50 % of the 240 for which this GPU's\n"
            "                       shared memory can be read at random (1000 without bank conflicts);\n"
            "                       writes 0.50 TB/s, 12 % of the 4.00 TB/s that a copy moves\n"
            "histogram aggregation  reads 3.00 TB/s, 75 % of the 4.00 TB/s that a copy moves\n");
}

}  // namespace
}  // namespace fernwood::report
