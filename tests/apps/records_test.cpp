// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"

namespace fernwood {
namespace {

constexpr int kRuntime = 1, kUsage = 2, kData = 3, kModel = 5, kResource = 6;

/// Points of a square whose corners are four classes: x and y from 0 to 19, and one attribute that tells nothing.
std::string points(const std::string& header = "x,y,nothing,class\n") {
  std::string text = header;
  for (int i = 0; i < 400; ++i) {
    const int x = i % 20, y = i / 20;
    const char* const names[] = {"low,left", "right", "up", "far"};
    text += std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(i * 37 % 11) + ",\"" +
            names[(x > 9) + 2 * (y > 9)] + "\"\n";
  }
  return text;
}

class Records : public CommandLine {
 protected:
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  Outcome train(const fs::path& data, const Words& more = {}) const {
    Words words = {"records", "train", "--data", data, "--out", out("m.records"), "--trees", "10"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  void expect_train_refused(const std::string& text, int exit_code, const std::string& part,
                            const Words& more = {}) const {
    Words words = {"records", "train", "--data", write("bad.csv", text), "--out", out("m.records")};
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(words, exit_code, {part});
  }
};

TEST_F(Records, TrainEvaluateAndPredictAgree) {
  const fs::path data = write("points.csv", points());
  const Outcome trained = train(data, {"--json"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const auto facts = nlohmann::json::parse(trained.out);
  EXPECT_EQ(facts["records"], 400);
  EXPECT_EQ(facts["attributes"], 3);
  EXPECT_EQ(facts["classes"], nlohmann::json({"far", "low,left", "right", "up"}));
  EXPECT_GT(facts["out_of_bag_accuracy"], 0.95);

  const Outcome evaluated = run({"records", "evaluate", "--model", out("m.records"), "--data", data, "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  const auto result = nlohmann::json::parse(evaluated.out);
  EXPECT_EQ(result["accuracy"], 1.0);
  EXPECT_EQ(result["confusion"], nlohmann::json({{100, 0, 0, 0}, {0, 100, 0, 0}, {0, 0, 100, 0}, {0, 0, 0, 100}}));
  EXPECT_THAT(run({"records", "evaluate", "--model", out("m.records"), "--data", data}).out,
              testing::HasSubstr("accuracy     100.00 %"));

  const fs::path fresh = write("fresh.csv", "nothing,y,x\n0,15,3\n0,2,1\n");
  const Outcome shown = run({"records", "predict", "--model", out("m.records"), "--data", fresh, "--out", "-"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(shown.out, "class\nup\n\"low,left\"\n");
  const Outcome written = run({"records", "predict", "--model", out("m.records"), "--data", fresh, "--out",
                               out("classes.csv"), "--probabilities", "--block", "1"});
  EXPECT_EQ(written.exit_code, 0) << written.err;
  EXPECT_THAT(written.out, testing::HasSubstr("2 records labelled"));
  EXPECT_THAT(text_of(out("classes.csv")), testing::StartsWith("class,far,\"low,left\",right,up\nup,"));
}

TEST_F(Records, OneSeedGivesOneFileForAnyNumberOfThreads) {
  const fs::path data = write("points.csv", points());
  ASSERT_EQ(train(data, {"--threads", "1"}).exit_code, 0);
  const std::string first = text_of(out("m.records"));
  ASSERT_EQ(train(data, {"--threads", "3"}).exit_code, 0);
  EXPECT_EQ(text_of(out("m.records")), first);
  ASSERT_EQ(train(data, {"--seed", "8"}).exit_code, 0);
  EXPECT_NE(text_of(out("m.records")), first);
}

TEST_F(Records, BadDataIsNamedWithItsLine) {
  expect_train_refused("", kData, "bad.csv: has no records");
  expect_train_refused("a,b,class\n1,2,x\n1,x\n", kData, "bad.csv:3: has 2 fields, the first line has 3");
  expect_train_refused("a,b,class\n1,2,x\n1,two,x\n", kData, "bad.csv:3: column \"b\" is \"two\", which is no number");
  expect_train_refused("a,b,class\n1,2,\n", kData, "bad.csv:2: has no class");
  expect_train_refused("a,b,class\n1,2,x\n", kData, "has no column \"kind\" for --label", {"--label", "kind"});
  expect_train_refused("1 0:1\n", kData, "bad.csv:1: has the index 0", {"--format", "libsvm"});
  expect_train_refused(points(), kResource, "bad.csv: reading its first 400 records takes", {"--memory-budget", "1KB"});
  expect_refused({"records", "train", "--data", "nowhere.csv", "--out", out("m")}, kRuntime,
                 {"nowhere.csv: cannot be read: No such file"});
}

TEST_F(Records, BadUsageNamesOptionAndRemedy) {
  expect_refused({"records"}, kUsage, {"fernwood records lacks a command: train, predict, evaluate"});
  expect_refused({"records", "train", "--out", out("m")}, kUsage, {"--data is required"});
  expect_train_refused(points(), kUsage, "--trees is 0; give a number from 1 to 10000", {"--trees", "0"});
  expect_train_refused(points(), kUsage, "--criterion is \"giny\"; give gini or entropy", {"--criterion", "giny"});
  expect_train_refused(points(), kUsage, "--format is \"xls\"; give auto, libsvm or csv", {"--format", "xls"});
  expect_train_refused(points(), kUsage, "--bootstrap and --no-bootstrap", {"--bootstrap", "--no-bootstrap"});
  expect_train_refused(points(), kUsage, "--separator is \"ab\"", {"--separator", "ab"});
}

TEST_F(Records, ModelAndDataMustFit) {
  ASSERT_EQ(train(write("points.csv", points())).exit_code, 0);
  fs::rename(out("m.records"), folder_ / "m.records");
  const Words evaluate = {"records", "evaluate", "--model", folder_ / "m.records", "--data"};
  const auto refused = [&](const std::string& text, const std::string& part) {
    Words words = evaluate;
    words.push_back(write("other.csv", text));
    expect_refused(words, kData, {part});
  };
  refused("x,z,nothing,class\n1,2,3,up\n", "other.csv:1: has no column \"y\", an attribute of the model");
  refused("x,y,nothing,class\n1,2,3,down\n", "the class is \"down\", which the model does not know; it knows far,");
  refused("1,2\n", "has 1 attributes, but the model has 3");
  refused("1,2,3\n", "no record has a class to compare with");
  expect_refused({"records", "evaluate", "--model", write("no.model", "text"), "--data", folder_ / "points.csv"},
                 kModel, {"no.model"});
  expect_refused({"records", "predict", "--model", folder_ / "m.records", "--data", write("late.csv", "1,2,3\n1,2\n"),
                  "--out", out("classes.csv")},
                 kData, {"late.csv:2: has 2 fields"});
}

}  // namespace
}  // namespace fernwood
