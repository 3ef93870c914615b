// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"

namespace fernwood::apps {
namespace {

using testing::HasSubstr;

class StreamTrain : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    generate("train.csv", {});
  }

  std::string file(const char* name) { return out(name).string(); }
  void generate(const char* name, const Words& more) {
    Words words = {"generate", "--records", "3000", "--attributes", "12", "--out", file(name)};
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(run(words).exit_code, 0);
  }
  Words train(const char* model, const Words& more = {}) {
    Words words = {"stream", "train", "--out", file(model)};
    if (std::ranges::count(more, "--data") == 0) words.insert(words.end(), {"--data", file("train.csv")});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string trained(const char* model, const Words& more = {}) {
    const Outcome told = run(train(model, more));
    EXPECT_EQ(told.exit_code, 0) << told.err;
    return told.out;
  }
};

TEST_F(StreamTrain, ItsModelIsEvaluatedAndUsed) {
  EXPECT_THAT(trained("tree"),
              testing::AllOf(HasSubstr("records      3,000\n"), HasSubstr("attributes   12\n"), HasSubstr("  update "),
                             HasSubstr("next         fernwood-tables evaluate")));
  generate("test.csv", {"--skip", "3000"});
  const Outcome evaluated =
      run({"stream", "evaluate", "--model", file("tree"), "--data", file("test.csv"), "--no-remember", "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_GT(nlohmann::json::parse(evaluated.out)["accuracy"], 0.75);
  const Outcome predicted = run({"stream", "predict", "--model", file("tree"), "--data", file("test.csv"), "--out",
                                 file("classes.csv"), "--no-remember"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  const std::string classes = text_of(out("classes.csv"));
  EXPECT_GE(std::ranges::count(classes, '\n'), 3000);
  EXPECT_THAT(run({"describe", file("tree")}).out, HasSubstr("schedule"));
}

TEST_F(StreamTrain, WorkersAndTheirDivisionChangeNothing) {
  for (const char* schedule : {"passes", "fresh", "hoeffding", "adaptive"}) {
    Words options = {"--schedule", schedule};
    if (schedule == std::string("fresh")) options.insert(options.end(), {"--samples-per-leaf", "100"});
    if (const std::string one = schedule; one == "hoeffding" || one == "adaptive")
      options.insert(options.end(), {"--batch", "500"});
    const auto with = [&](const char* workers, const char* parallel) {
      Words words = options;
      words.insert(words.end(), {"--workers", workers, "--parallel", parallel});
      return words;
    };
    trained("one", with("1", "sequential"));
    for (const char* parallel : {"node", "feature", "data", "data-feature"}) {
      trained("several", with("3", parallel));
      EXPECT_EQ(text_of(out("one")), text_of(out("several"))) << schedule << ", " << parallel;
    }
  }
}

TEST_F(StreamTrain, AFolderIsTheStreamOfItsFiles) {
  trained("one", {"--schedule", "hoeffding", "--batch", "400"});
  fs::create_directory(out("parts"));
  std::ifstream whole(out("train.csv"));
  std::string header, line;
  std::getline(whole, header);
  for (int part = 0; part < 3; ++part) {
    std::ofstream some(out("parts") / std::to_string(part));
    some << header << "\n";
    for (int i = 0; i < 1000 && std::getline(whole, line); ++i) some << line << "\n";
  }
  std::ofstream(out("parts") / "end");
  const Outcome told = run({"stream", "train", "--data", file("parts"), "--follow", "--out", file("two"), "--schedule",
                            "hoeffding", "--batch", "400"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_EQ(text_of(out("one")), text_of(out("two")));
}

TEST_F(StreamTrain, NothingIsWrittenAmongTheFilesOfAFolder) {
  fs::create_directory(out("parts"));
  fs::rename(out("train.csv"), out("parts/0.csv"));
  fs::create_directory_symlink("parts", out("link"));
  fs::create_symlink("parts/tree", out("tree"));
  const Words data = {"--data", file("parts"), "--max-depth", "2"};
  const auto refused = [&](const char* model, const std::string& option, const std::string& name, const Words& more) {
    Words words = data;
    words.insert(words.end(), more.begin(), more.end());
    const Outcome told = run(train(model, words));
    EXPECT_EQ(told.exit_code, kUsage) << told.err;
    EXPECT_THAT(told.err, HasSubstr(option + " names a file in the folder of --data, " + name +
                                    ", where each file is "
                                    "read as records"));
  };
  for (const char* model : {"parts/tree", "link/tree", "tree"}) refused(model, "--out", file(model), {});
  refused("x", "--checkpoint", file("parts/kept"), {"--checkpoint", file("parts/kept")});
  fs::create_directory(out("parts/within"));
  std::ofstream(out("parts/of_another_run.lock")) << "process 1\n";
  trained("parts/within/tree", data);
}

TEST_F(StreamTrain, TellsProgramsWhatItDid) {
  const auto json = nlohmann::json::parse(trained("tree", {"--json", "--max-depth", "3", "--prune"}));
  EXPECT_EQ(json["records"], 3000);
  EXPECT_EQ(json["depth"], 3);
  EXPECT_LE(json["leaves"], json["leaves_before_pruning"]);
  EXPECT_EQ(json["options"]["prune"], true);
  EXPECT_EQ(json["updates"], 3 * 3000 * 12);
}

TEST_F(StreamTrain, TellsHowManyRecordsWereRightBeforeTheyWereLearnt) {
  EXPECT_TRUE(nlohmann::json::parse(trained("tree", {"--json"}))["prequential"].is_null());  // kPasses
  const auto json = nlohmann::json::parse(
      trained("tree", {"--json", "--schedule", "adaptive", "--batch", "250", "--accuracy-window", "600"}));
  EXPECT_EQ(json["prequential"]["records"], 2750);  // all but the first batch
  EXPECT_EQ(json["prequential"]["recent_records"], 750);
  EXPECT_GT(json["prequential"]["accuracy"], 0.6);
  EXPECT_LE(json["prequential"]["recent_accuracy"], 1);
  EXPECT_EQ(json["drift"].size(), 3u);
  EXPECT_EQ(json["options"]["leaf_prediction"], "naive-bayes-adaptive");
  EXPECT_THAT(trained("tree", {"--schedule", "hoeffding", "--batch", "500"}),
              HasSubstr(" % of 2,500 records right before they were learnt, "));
  const Outcome evaluated =
      run({"stream", "evaluate", "--model", file("tree"), "--data", file("train.csv"), "--no-remember"});
  EXPECT_EQ(evaluated.exit_code, 0) << evaluated.err;
}

TEST_F(StreamTrain, WrongInputIsNamed) {
  const auto refused = [&](const Words& more, int code, const std::string& words) {
    const Outcome told = run(train("x", more));
    EXPECT_EQ(told.exit_code, code) << words;
    EXPECT_THAT(told.err, testing::AllOf(testing::StartsWith("error: "), HasSubstr(words)));
    EXPECT_FALSE(fs::exists(out("x")));
  };
  refused({"--sketch", "exact"}, kUsage, "--sketch");
  refused({"--schedule", "adaptive", "--max-leaves", "8"}, kUsage,
          "--max-leaves is 8; --schedule adaptive has no limit");
  refused({"--leaf-prediction", "naive-bayes-adaptive"}, kUsage, "only --schedule adaptive has it; give majority");
  refused({"--resume"}, kUsage, "--resume needs the file to go on from; give --checkpoint FILE, too");
  refused({"--follow"}, kUsage, "is not a folder, and only a folder can be followed");
  refused({"--checkpoint", file("none/c")}, kRuntime, "does not exist");
  trained("tree");
  refused({"--resume", "--checkpoint", file("tree")}, kModel,
          "holds a forest over the attributes of records, which fernwood-tables predict and evaluate read");
  std::ofstream(out("unlabelled.csv")) << "a,b,class\n1,2,x\n3,4,\n";
  refused({"--data", file("unlabelled.csv")}, kData, "has no class");
}

}  // namespace
}  // namespace fernwood::apps
