// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"

namespace fernwood::apps {
namespace {

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
  trained("tree");
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
  EXPECT_EQ(run({"describe", file("tree")}).exit_code, 0);
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
  const auto refused = [&](const char* model, const Words& more) {
    Words words = data;
    words.insert(words.end(), more.begin(), more.end());
    const Outcome told = run(train(model, words));
    EXPECT_EQ(told.exit_code, kUsage) << told.err;
    testdata::expect_sentence(told.err);
  };
  for (const char* model : {"parts/tree", "link/tree", "tree"}) refused(model, {});
  refused("x", {"--checkpoint", file("parts/kept")});
  fs::create_directory(out("parts/within"));
  std::ofstream(out("parts/of_another_run.lock")) << "process 1\n";
  trained("parts/within/tree", data);
}

TEST_F(StreamTrain, WrongInputIsNamed) {
  const auto refused = [&](const Words& more, int code) {
    const Outcome told = run(train("x", more));
    EXPECT_EQ(told.exit_code, code) << told.err;
    testdata::expect_sentence(told.err);
    EXPECT_FALSE(fs::exists(out("x")));
  };
  refused({"--sketch", "exact"}, kUsage);
  refused({"--leaf-prediction", "naive-bayes-adaptive"}, kUsage);
  refused({"--follow"}, kUsage);
  refused({"--checkpoint", file("none/c")}, kRuntime);
  trained("tree");
  refused({"--resume", "--checkpoint", file("tree")}, kModel);
  std::ofstream(out("unlabelled.csv")) << "a,b,class\n1,2,x\n3,4,\n";
  refused({"--data", file("unlabelled.csv")}, kData);
}

}  // namespace
}  // namespace fernwood::apps
