// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "fernwood/core/model_format.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

class StreamExperiments : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    ::setenv("FERNWOOD_PROGRAM", FERNWOOD_LAB_PROGRAM, 1);
  }
  void TearDown() override { ::unsetenv("FERNWOOD_PROGRAM"); }

  /// Records labelled by whether the sum of their two attributes exceeds 20, which no tree of depth 1 represents.
  static std::string records(int count, int shift) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      const int a = (i * 7 + shift) % 23, b = (i * 5 + shift) % 19;
      text += std::string(a + b > 20 ? "1" : "0") + " 1:" + std::to_string(a) + " 2:" + std::to_string(b) + "\n";
    }
    return text;
  }
  /// A folder with a training and a test file.
  fs::path folder_of(const std::string& name, const std::string& train, const std::string& test) const {
    const fs::path folder = folder_ / "records";
    fs::create_directories(folder);
    std::ofstream(folder / (name + ".train.libsvm"), std::ios::binary) << train;
    std::ofstream(folder / (name + ".test.libsvm"), std::ios::binary) << test;
    return folder;
  }
  static Words bench(const std::string& what, const Words& more) {
    Words words = {what};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string text(const Words& words) const {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
};

TEST_F(StreamExperiments, AccuracyShowsTheThesisFiguresBesideOursAndNamesMissingSets) {
  folder_of("page-blocks", records(500, 0), records(200, 3));
  const fs::path folder = folder_of("svmguide1", records(500, 0), records(200, 3));
  const std::string printed = text(bench("stream-accuracy", {"--data", folder, "--repeats", "2", "--workers", "1"}));
  for (const char* part :
       {"no files of shuttle\nno files of letter\nno files of skin\nno files of eeg-eye-state\n", "\nTable 5.4: ",
        "\nTable 5.5: ", "\nTable 5.6: ", "\nTable 5.7: ", "\nFigures 5.1 and 5.2: ", "\nFigures 5.3, 5.4, 5.6: ",
        "\nFigure 5.5: ", "; 2 orders\n", "\npage-blocks        500     5   87.20        - ",
        "\nsvmguide1          500     4   94.62    69.17 ", "GSPDT, shuttle                     0.00    67.27"})
    EXPECT_THAT(printed, HasSubstr(part));
}

TEST_F(StreamExperiments, AccuracyOfTreesOfFewValuesIsThatOfExactOnes) {
  // Not more distinct values than bins, and all records at each level: the splits must be equal.
  const fs::path folder = folder_of("svmguide1", records(4000, 0), records(437, 3));
  const Words words = {"--data", folder, "--repeats", "1", "--json"};
  const Json json = Json::parse(text(bench("stream-accuracy", words)));
  EXPECT_EQ(json.at("benchmark"), "stream-accuracy");
  EXPECT_EQ(json.at("missing").size(), 5);
  const Json& set = json.at("sets").at(0);
  EXPECT_EQ(set.at("train_records"), 4000);
  EXPECT_EQ(set.at("used_records"), 3200) << "table 5.2";
  EXPECT_EQ(set.at("test_records"), 437);
  EXPECT_DOUBLE_EQ(set.at("majority"), 228.0 / 437) << "23 x 19 places, each once";
  for (const Json& row : set.at("accuracy")) {
    EXPECT_EQ(row.at("passes").at("mean"), row.at("exact").at("mean"));
    EXPECT_EQ(row.at("passes").at("deviation"), 0);
  }
  ASSERT_EQ(set.at("by_depth").size(), 14);
  for (const Json& point : set.at("by_depth")) EXPECT_EQ(point.at("passes"), point.at("exact")) << point;
  EXPECT_EQ(set.at("by_depth").at(13).at("passes"), 1) << "every place was seen";
  EXPECT_EQ(set.at("training").at("deep").at("accuracy"), 1);
  EXPECT_EQ(set.at("training").at("whole").at("records"), 4000);
  EXPECT_LE(set.at("training").at("whole").at("depth"), 5);
  ASSERT_EQ(set.at("by_workers").size(), 3);
  for (const Json& time : set.at("by_workers"))
    EXPECT_EQ(time.at("updates"), set.at("by_workers").at(0).at("updates")) << "as many values, whoever counts them";
  EXPECT_EQ(set.at("by_samples_per_leaf").size(), 4);
}

TEST_F(StreamExperiments, ScalingGrowsOneTreeByAllWays) {
  const fs::path folder = folder_of("ijcnn1", records(600, 0), records(200, 3));
  const Words few = {"--data", folder, "--records", "400", "--repeats", "1"};
  const std::string printed = text(bench("stream-scaling", few));
  for (const char* part :
       {"\nijcnn1: 600 records of 2 attributes; ", " by all ways\n",
        "sequential              2.836   accuracy 64.2 %\n", "\n400 x 50: 400 records of 50 attributes; ",
        "\n  node               4 workers ", "\n  data-feature       4 ranks ", "\nBy records, ", "\nBy attributes, "})
    EXPECT_THAT(printed, HasSubstr(part));
  Words as_json = bench("stream-scaling", few);
  as_json.push_back("--json");
  const Json json = Json::parse(text(as_json));
  EXPECT_EQ(json.at("benchmark"), "stream-scaling");
  ASSERT_EQ(json.at("sets").size(), 2);
  const Json& set = json.at("sets").at(0);
  EXPECT_EQ(set.at("tree").get<std::string>().size(), 16);
  EXPECT_EQ(set.at("ways").size(), 1 + 4 * 3 + 2 * 2);
  EXPECT_GT(set.at("accuracy"), set.at("majority"));
  EXPECT_LE(set.at("leaves"), 64);
  EXPECT_LE(set.at("depth"), 9);
  EXPECT_EQ(json.at("sets").at(1).at("test_records"), 80);
  EXPECT_EQ(json.at("by_records").at(0).at("records"), 100);
  EXPECT_EQ(json.at("by_attributes").at(2).at("attributes"), 200);
  EXPECT_THAT(printed, HasSubstr("\ntree " + set.at("tree").get<std::string>() + " by all ways\n"));
}

TEST_F(StreamExperiments, ScalingHashIsThatOfTheModelFileOfTheSameTraining) {
  const fs::path folder = folder_of("ijcnn1", records(600, 0), records(200, 3)), model = folder_ / "tree.fernwood";
  const Json json =
      Json::parse(text(bench("stream-scaling", {"--data", folder, "--records", "100", "--repeats", "1", "--json"})));
  ::unsetenv("FERNWOOD_PROGRAM");
  ASSERT_EQ(run_program(tables_program(), {"stream", "train", "--data", folder / "ijcnn1.train.libsvm", "--out", model,
                                           "--criterion", "entropy", "--max-leaves", "64", "--max-depth", "9",
                                           "--min-samples", "32", "--bins", "64", "--min-gain", "0.001"})
                .exit_code,
            0);
  EXPECT_EQ(json.at("sets").at(0).at("tree"), model_checksum(model));
}

TEST_F(StreamExperiments, SketchesAreComparedOnEveryDistribution) {
  const Outcome shown = run({"sketches", "--values", "2000"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, testing::StartsWith("2000 values of each distribution"));
  for (const char* row :
       {"\nuniform [0, 1)", "\nnormal  ", "\nlog-normal, sigma 2", "\nbimodal", "\nintegers 0 to 20", "\nfar from zero",
        "\ndepth differences  ", "\nnormal, ascending", "\ndepth differences, ascending", "Ben-Haim, 50 bins",
        "Ben-Haim, 256 bins", "log-linear, 3 bits", "log-linear, 4 bits", "log-linear, 4 bits, centred", "\n  exact"})
    EXPECT_THAT(shown.out, HasSubstr(row));

  const Outcome told = run({"sketches", "--values", "2000", "--json"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  const auto study = Json::parse(told.out);
  EXPECT_EQ(study["values"], 2000);
  ASSERT_EQ(study["costs"].size(), 9u * 12);
  for (const auto& cost : study["costs"]) {
    const double most = cost["most_rank_error"], mean = cost["mean_rank_error"];
    EXPECT_LE(mean, most) << cost;
    EXPECT_LT(most, cost["sketch"] == "exact" ? 1e-12 : 1) << cost;
    EXPECT_GT(cost["size_bytes"], 0) << cost;
    EXPECT_GT(cost["update_ns"], 0) << cost;
  }
}

TEST_F(StreamExperiments, GrowsTreesWithEachSketch) {
  const fs::path data = folder_of("a", records(600, 0), records(200, 3)) / "a.train.libsvm";
  const auto tree = [&](const std::string& sketch, const std::string& bins) {
    return Json::parse(text(bench("stream", {"--data", data, "--out", out(sketch), "--sketch", sketch, "--bins", bins,
                                             "--schedule", "passes", "--json"})));
  };
  const Json exact = tree("exact", "4"), even = tree("log-linear", "255"), guessed = tree("ben-haim", "4");
  EXPECT_EQ(exact.at("sketch"), "exact");
  EXPECT_EQ(exact.at("leaves"), even.at("leaves")) << "as many different values as bins at most";
  EXPECT_NE(guessed.at("leaves"), exact.at("leaves"));
  ::unsetenv("FERNWOOD_PROGRAM");
  EXPECT_THAT(run_program(tables_program(), {"evaluate", "--model", out("exact"), "--data", data}).out,
              HasSubstr("100"));
}

TEST_F(StreamExperiments, WrongInputIsNamed) {
  const fs::path empty = folder_ / "empty";
  fs::create_directories(empty);
  expect_refused(bench("sketches", {"--values", "999"}), kUsage,
                 {"--values is 999; use a number from 1000 to 1000000000"});
  expect_refused(bench("sketches", {"--values", "many"}), kUsage, {"--values is \"many\"; pass an integer"});
  expect_refused(bench("stream", {"--data", "x", "--out", out("y").string(), "--sketch", "kll"}), kUsage,
                 {"--sketch is \"kll\"; use log-linear, exact or ben-haim"});
  expect_refused(bench("stream-accuracy", {}), kUsage, {"--data is required"});
  for (const char* what : {"stream-accuracy", "stream-scaling"}) {
    expect_refused(bench(what, {"--data", "nowhere"}), kRuntime, {"nowhere is not a folder; use one with files NAME."});
    expect_refused(bench(what, {"--data", empty, "--repeats", "0"}), kUsage, {"--repeats is 0; use at least 1"});
    expect_refused(bench(what, {"--data", empty, "--seed", "-1"}), kUsage, {"--seed is -1; use 0 or more"});
    expect_refused(bench(what, {"--data", empty, "--device", "gpu"}), kUsage, {"there is no device \"gpu\""});
  }
  expect_refused(bench("stream-accuracy", {"--data", empty}), kData,
                 {"empty has none of the sets; put files there such as shuttle.train.libsvm"});
  expect_refused(bench("stream-scaling", {"--data", empty}), kData,
                 {"empty has no ijcnn1.train.libsvm and ijcnn1.test.libsvm"});
  expect_refused(bench("stream-scaling", {"--records", "99"}), kUsage, {"--records is 99; use a number from 100 to"});
  expect_refused(bench("stream-accuracy", {"--data", folder_of("letter", "1 1:2\n2 1:3\n", "3 1:2\n")}), kData,
                 {"letter.test.libsvm:1: the class is \"3\""});
  expect_refused(bench("stream-scaling", {"--data", folder_of("ijcnn1", "1 1:2\n2 1:3\n", "")}), kData,
                 {"ijcnn1.test.libsvm has no records"});
}

}  // namespace
}  // namespace fernwood::apps
