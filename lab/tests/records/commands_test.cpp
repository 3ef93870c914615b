// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

/// A LightGBM model of one tree with two tests on two attributes.
constexpr const char* kTree =
    "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=1\nobjective=binary sigmoid:1\n"
    "feature_names=size weight\ntree_sizes=1\n\nTree=0\nnum_leaves=3\nsplit_feature=0 1\nthreshold=2 5\n"
    "decision_type=2 2\nleft_child=-1 -2\nright_child=1 -3\nleaf_value=-1 1 -2\n\nend of trees\n";

class RecordExperiments : public CommandLine {
 protected:
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  fs::path tree() const {
    const fs::path model = folder_ / "tree.fernwood";
    EXPECT_EQ(run_program(tables_program(), {"import", "--from", write("tree.txt", kTree), "--out", model}).exit_code,
              0);
    return model;
  }
  fs::path table() const {
    std::string text = "size,weight,class\n";
    for (int i = 0; i < 30; ++i)
      text += std::to_string(i % 5) + "," + std::to_string(i) + "," + std::to_string(i % 5 > 2) + "\n";
    return write("table.csv", text);
  }
  static Words bench(const std::string& what, const Words& more) {
    Words words = {what};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  void expect_lab_refused(const Words& words, int exit_code, const Words& parts) const {
    expect_refusal(run_program(lab_program(), words), exit_code, parts);
  }
  std::string text(const Words& words) const {
    const Outcome outcome = run_program(lab_program(), words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
};

TEST_F(RecordExperiments, StrategiesOfAModelAreTimedOnItsOwnOrDrawnRecords) {
  const fs::path model = tree(), data = table();
  const Words drawn = {"--model", model, "--records", "1000", "--repeat", "2", "--device", "cpu", "--threads", "1"};
  const std::string printed = text(bench("strategies", drawn));
  EXPECT_THAT(printed, testing::StartsWith("1,000 records of 2 attributes, 1 tree of depth 2, cpu, "));
  EXPECT_THAT(printed, HasSubstr(", 1 thread\n"));
  EXPECT_THAT(printed, HasSubstr("\n  serial "));
  const Json json = Json::parse(text(bench("strategies", {"--model", model, "--data", data, "--records", "70",
                                                          "--repeat", "1", "--device", "cpu", "--json"})));
  EXPECT_EQ(json.at("benchmark"), "strategies");
  EXPECT_EQ(json.at("records"), 70);
  EXPECT_EQ(json.at("trees"), 1);
  const Json& serial = json.at("strategies").at(0);
  EXPECT_EQ(serial.at("strategy"), "serial");
  EXPECT_EQ(serial.at("values"), "float");
  EXPECT_GT(serial.at("records_per_second"), 0);
  EXPECT_LE(serial.at("times").at("least_us"), serial.at("times").at("mean_us"));
}

TEST_F(RecordExperiments, StrategiesTakeAForestGrownOnTheTableAndOnlyThoseNamed) {
  const Json json =
      Json::parse(text(bench("strategies", {"--data", table(), "--trees", "3", "--max-depth", "2", "--repeat", "1",
                                            "--device", "cpu", "--strategy", "serial", "--by-columns", "--json"})));
  EXPECT_EQ(json.at("records"), 30);
  EXPECT_EQ(json.at("trees"), 3);
  for (const Json& way : json.at("strategies")) EXPECT_EQ(way.at("strategy"), "serial");
}

TEST_F(RecordExperiments, OneTreeShowsThePapersRowsAndOnesOfThisMachine) {
  const Words few = {"--repeat", "2", "--device", "cpu"};
  const std::string printed = text(bench("one-tree", few));
  EXPECT_THAT(printed, testing::StartsWith("65,536 records of 19 attributes; a tree of 31 nodes, 16 leaves, depth "));
  EXPECT_THAT(printed, HasSubstr("EvalTree, host                         1914.2    1900.5    2343.7     43.5"));
  EXPECT_THAT(printed, HasSubstr("EvalTreeBySample, GPU                  3907.6"));
  EXPECT_THAT(printed, HasSubstr("EvalTreeByNode, GPU                    3785.3"));
  EXPECT_THAT(printed, HasSubstr("\n  serial "));
  EXPECT_THAT(printed, HasSubstr("\n  serial, by columns "));
  EXPECT_THAT(printed, HasSubstr("run this with --device cuda"));
  const Json json = Json::parse(
      text(bench("one-tree", {"--repeat", "1", "--leaves", "2", "--data", table(), "--device", "cpu", "--json"})));
  EXPECT_EQ(json.at("benchmark"), "one-tree");
  EXPECT_EQ(json.at("records"), 65536);
  EXPECT_EQ(json.at("attributes"), 2);
  EXPECT_EQ(json.at("nodes"), 3);
  EXPECT_EQ(json.at("depth"), 1);
  EXPECT_EQ(json.at("cases"), Json::array());
  for (const char* time : {"outer", "inner"}) EXPECT_GT(json.at("times").at(0).at(time).at("least_us"), 0);
}

TEST_F(RecordExperiments, StylesShowEveryDepthInputAndNumberOfTrees) {
  const Words few = {"--samples", "5000", "--depths", "2,3", "--trees", "1,2", "--repeat", "2", "--device", "cpu"};
  const std::string printed = text(bench("styles", few));
  EXPECT_THAT(printed, testing::StartsWith("5,000 records of one attribute, cpu, "));
  for (const char* head : {"\n1 tree, best input ", "\n1 tree, random input ", "\n2 trees, worst input "})
    EXPECT_THAT(printed, HasSubstr(head));
  EXPECT_THAT(printed, HasSubstr("Penha et al., no-IF"));
  EXPECT_THAT(printed, HasSubstr("     1.99\n"));  // a tree of depth 3 with worst-case input, in the last column
  EXPECT_THAT(printed, HasSubstr("\n  interval "));
  Words as_json = bench("styles", few);
  as_json.push_back("--json");
  const Json json = Json::parse(text(as_json));
  EXPECT_EQ(json.at("benchmark"), "styles");
  EXPECT_EQ(json.at("records"), 5000);
  EXPECT_EQ(json.at("copy_ms"), nullptr);
  const auto serial = [](const Json& time) { return time.at("strategy") == "serial"; };
  EXPECT_EQ(std::ranges::count_if(json.at("times"), serial), 2 * 2 * 3) << "depths, numbers of trees, inputs";
}

TEST_F(RecordExperiments, WrongOptionsAreNamedWithTheirRange) {
  const fs::path model = tree();
  expect_lab_refused({}, kUsage, {"fernwood-lab lacks a command: ", "strategies, one-tree, styles"});
  expect_lab_refused(bench("strategies", {}), kUsage, {"--model or --data is missing"});
  for (const char* what : {"strategies", "one-tree", "styles"})
    expect_lab_refused(bench(what, {"--repeat", "0"}), kUsage, {"--repeat is 0; use at least 1"});
  expect_lab_refused(bench("one-tree", {"--leaves", "1"}), kUsage, {"--leaves is 1; use at least 2"});
  expect_lab_refused(bench("styles", {"--depths", "99"}), kUsage, {"--depths has 99; use depths from 1 to 14"});
  expect_lab_refused(bench("styles", {"--trees", "0"}), kUsage, {"--trees has 0; use numbers from 1 to 1000"});
  expect_lab_refused(bench("styles", {"--samples", "-5"}), kUsage, {"--samples is -5; use 0 or more"});
  expect_lab_refused(bench("strategies", {"--model", model, "--records", "-5"}), kUsage,
                     {"--records is -5; use 0 or more"});
  expect_lab_refused(bench("strategies", {"--model", model, "--strategy", "seriel", "--device", "cpu"}), kUsage,
                     {"there is no strategy \"seriel\"; did you mean serial? (there are auto, serial, "});
  expect_lab_refused(
      bench("strategies", {"--model", model, "--strategy", "interval", "--device", "cpu"}), kUsage,
      {"strategy interval cannot evaluate this forest: it is for forests that ask one attribute, and this "
       "one asks 2"});
}

TEST_F(RecordExperiments, WrongFilesAreNamed) {
  const fs::path pixels = model(), data = table(), forest = tree();
  expect_lab_refused(bench("strategies", {"--model", pixels}), kModel,
                     {"holds a forest that labels pixels", "fernwood-tables train or import"});
  expect_lab_refused(bench("strategies", {"--model", "nowhere"}), kRuntime, {"nowhere cannot be read"});
  expect_lab_refused(bench("strategies", {"--data", "nowhere.csv"}), kRuntime, {"nowhere.csv cannot be read"});
  expect_lab_refused(bench("one-tree", {"--data", "nowhere.csv"}), kRuntime, {"nowhere.csv cannot be read"});
  const fs::path other = write("other.csv", "size,height,class\n1,2,0\n");
  expect_lab_refused(bench("strategies", {"--model", forest, "--data", other}), kData,
                     {"other.csv:1 has no column \"weight\", an attribute of the model"});
  expect_lab_refused(bench("one-tree", {"--data", data, other}), kData, {"other.csv:1 has no column \"weight\""});
}

}  // namespace
}  // namespace fernwood::apps
