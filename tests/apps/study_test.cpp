// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "dataset/test_files.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

class StudyCommand : public CommandLine {
 protected:
  /// A study with the options of small_training().
  static Words study(const fs::path& train, const fs::path& test, const Words& more = {}) {
    Words words = small_training(train, "unused", {"--test", test.string()});
    words.erase(words.begin() + 3, words.begin() + 5);  // --out
    words[0] = "study";
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Json result(const Words& more) const {
    Words words = study(rooms(), rooms(), more);
    words.emplace_back("--json");
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    return Json::parse(outcome.out);
  }
  static Json find(const Json& study, const std::string& name) {
    for (const Json& variant : study.at("variants"))
      if (variant.at("name") == name) return variant;
    ADD_FAILURE() << name << " is not a variant of " << study.dump(2);
    return {};
  }
  /// Expects the results of the commands train and evaluate.
  void expect_as_by_hand(const Json& variant, const Words& train, const Words& evaluate = {}) const {
    ASSERT_EQ(run(small_training(rooms(), folder_ / "by_hand", train)).exit_code, 0);
    Words words = {"evaluate", "--model", folder_ / "by_hand", "--data", rooms(), "--json"};
    words.insert(words.end(), evaluate.begin(), evaluate.end());
    const Json report = Json::parse(run(words).out);
    EXPECT_EQ(variant.at("pixel_accuracy"), report.at("pixel_accuracy")) << variant;
    EXPECT_EQ(variant.at("class_accuracy"), report.at("class_accuracy")) << variant;
    EXPECT_GT(variant.at("latency_ms"), 0);
    EXPECT_GT(variant.at("train_seconds"), 0);
  }
};

TEST_F(StudyCommand, VariantsAreWhatTrainAndEvaluateGive) {
  const Json json = result({"--only", "channels,smoothing,weights,samples,absolute"});
  EXPECT_EQ(json.at("train").at("frames"), 4);
  EXPECT_EQ(json.at("test").at("frames"), 2);
  EXPECT_EQ(json.at("base").at("options").at("channels"), (Json{"lab", "depth"}));
  expect_as_by_hand(json.at("base"), {});
  expect_as_by_hand(find(json, "depth only = without lab = depth alone"), {"--channels", "depth"});
  expect_as_by_hand(find(json, "colour only = without depth = lab alone"), {"--channels", "lab"});
  expect_as_by_hand(find(json, "smoothing 40 px"), {}, {"--smooth", "40"});
  expect_as_by_hand(find(json, "class weights sqrt"), {"--class-weights", "sqrt"});
  expect_as_by_hand(find(json, "no absolute responses"), {"--unary-feature-fraction", "0"});
  EXPECT_EQ(json.at("variants").size(), 10u);
}

TEST_F(StudyCommand, SmallForestsAreTheFirstTreesOfALargeOne) {
  const Json json = result({"--only", "trees"});
  ASSERT_EQ(json.at("variants").size(), 9u) << "one tree is the base";
  EXPECT_EQ(find(json, "2 trees").at("options"), (Json{{"trees", 2}}));
  Words two = small_training(rooms(), folder_ / "two");
  two[6] = "2";  // --trees
  ASSERT_EQ(two[5], "--trees");
  ASSERT_EQ(run(two).exit_code, 0);
  const Json report = Json::parse(run({"evaluate", "--model", folder_ / "two", "--data", rooms(), "--json"}).out);
  EXPECT_EQ(find(json, "2 trees").at("pixel_accuracy"), report.at("pixel_accuracy"));
  EXPECT_LT(find(json, "2 trees").at("train_seconds"), find(json, "10 trees").at("train_seconds"));
}

TEST_F(StudyCommand, StagesAndTurnedFramesChangeWhatIsSeen) {
  const Json json = result({"--only", "rotation,stages"});
  EXPECT_EQ(json.at("variants")[0].at("name"), "2 stages") << "in the order of the groups";
  expect_as_by_hand(find(json, "2 stages"), {"--cascade", "2"});
  EXPECT_EQ(find(json, "turned by 15°").at("turned_degrees"), 15);
  EXPECT_NE(find(json, "turned by 15°").at("pixel_accuracy"), json.at("base").at("pixel_accuracy"));
}

TEST_F(StudyCommand, PrintsATableAndWritesAPage) {
  const Outcome outcome = run(study(rooms(), rooms(), {"--only", "absolute", "--out", out("study.html")}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(text_of(out("study.html")), HasSubstr("<title>no absolute responses: "));
}

TEST_F(StudyCommand, AVariantThatContradictsTellsWhyAndTheOthersGoOn) {
  const Json json = result({"--only", "weights,rotation", "--sampling", "classes", "--no-reweight"});
  testdata::expect_sentence(find(json, "class weights sqrt").at("problem"));
  EXPECT_TRUE(find(json, "turned by 30°").contains("pixel_accuracy"));
}

TEST_F(StudyCommand, RefusesWhatCannotBeStudiedBeforeTraining) {
  expect_each_refused({{"study", "--data", rooms()},
                       study(rooms(), rooms(), {"--only", "trees, channels", "--only", "tree"}),
                       study(rooms(), rooms(), {"--smooth", "-1"})});
  expect_refused(study(rooms(), rooms(), {"--out", folder_ / "nowhere/study.html"}), kRuntime);
  const fs::path data = copy_of_rooms();
  dataset::write_png(data / "scene0002_ground_truth.png", Array2<image::Rgb>(48, 64, image::Rgb{1, 2, 3}));
  expect_refused(study(rooms(), data), kData);
  for (int i = 0; i < 4; ++i) fs::remove(data / ("scene000" + std::to_string(i) + "_depth.png"));
  expect_refused(study(rooms(), data), kData);
}

TEST_F(StudyCommand, EndsWhenInterruptedAndWritesNoPage) {
  Words words = study(rooms(), rooms(), {"--out", out("study.html"), "--features", "20000"});
  words.erase(std::find(words.begin(), words.end(), "--features"),
              std::find(words.begin(), words.end(), "--thresholds"));
  RunningCommand running(folder_.path(), words);
  running.signal(SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, kInterrupted);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(written(), IsEmpty());
}

}  // namespace
}  // namespace fernwood::apps
