// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <map>

#include "apps/command_line.h"
#include "backbone/small_network.h"
#include "wait_for.h"

namespace fernwood::apps {
namespace {

class SearchCommand : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    ASSERT_EQ(run({"dataset", "generate", "--out", scenes(), "--frames", "8", "--test-frames", "1", "--size", "64x48"})
                  .exit_code,
              0);
    std::ofstream(folder_ / "space.toml") << "[trees]\nlow = 1\nhigh = 2\n[samples_per_frame]\nlow = 50\nhigh = 200\n"
                                             "[features]\nlow = 10\nhigh = 40\n[max_depth]\nlow = 3\nhigh = 8\n";
  }
  fs::path scenes() const { return folder_ / "scenes"; }
  /// @param more  Options with their values; they replace the defaults here.
  Words search(const std::string& out, const Words& more = {}) const {
    std::map<std::string, std::string> options = {{"--data", scenes() / "train"},
                                                  {"--out", folder_ / out},
                                                  {"--space", folder_ / "space.toml"},
                                                  {"--trials", "5"},
                                                  {"--batch-size", "3"},
                                                  {"--folds", "4"},
                                                  {"--device", "cpu"},
                                                  {"--backbone", "none"},
                                                  {"--seed", "3"}};
    for (std::size_t i = 0; i + 1 < more.size(); i += 2) options[more[i]] = more[i + 1];
    Words words = {"search"};
    for (const auto& [name, value] : options) words.insert(words.end(), {name, value});
    return words;
  }
  std::string model(const std::string& out) const { return text_of(folder_ / out / "best.fernwood"); }
};

TEST_F(SearchCommand, FindsOptionsThatTrainTheSameForest) {
  const Outcome outcome = run(search("found", {"--preset", "fast"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* file : {"best.fernwood", "best.toml", "search.html", "search.json", "journal.jsonl"})
    EXPECT_TRUE(fs::exists(folder_ / "found" / file)) << file;
  ASSERT_EQ(run({"train", "--config", folder_ / "found" / "best.toml", "--data", scenes() / "train", "--out",
                 folder_ / "again", "--device", "cpu"})
                .exit_code,
            0);
  EXPECT_TRUE(text_of(folder_ / "again") == model("found"));
}

TEST_F(SearchCommand, FollowsNoLinkInAForeignFolder) {
  std::ofstream(folder_ / "victim") << "of value";
  fs::create_directories(folder_ / "found");
  for (const char* file : {"best.fernwood", "best.toml", "search.html", "search.json"})
    fs::create_symlink(folder_ / "victim", folder_ / "found" / file);
  EXPECT_EQ(run(search("found")).exit_code, 0);
  EXPECT_EQ(text_of(folder_ / "victim"), "of value");
  EXPECT_FALSE(fs::is_symlink(folder_ / "found" / "best.toml"));
}

TEST_F(SearchCommand, ABackboneIsThatOfAllConfigurations) {
  const std::string backbone = backbone::write_backbone(1, folder_.path());
  const Outcome outcome =
      run(search("found", {"--backbone", backbone, "--backbone-reduction", "1", "--trials", "2", "--batch-size", "2"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Outcome trained = run({"train", "--config", folder_ / "found" / "best.toml", "--data", scenes() / "train",
                               "--out", folder_ / "again", "--device", "cpu"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_TRUE(text_of(folder_ / "again") == model("found"));
}

TEST_F(SearchCommand, GoesOnToTheSameEndAfterAKill) {
  ASSERT_EQ(run(search("whole")).exit_code, 0);
  {
    RunningCommand killed(folder_.path(), search("killed"));
    const fs::path journal = folder_ / "killed" / "journal.jsonl";
    EXPECT_TRUE(wait_for([&] { return killed.has_ended() || text_of(journal).size() >= 2000; }));
  }
  const Outcome resumed = run(search("killed"));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_TRUE(model("killed") == model("whole"));
  EXPECT_EQ(text_of(folder_ / "killed" / "best.toml"), text_of(folder_ / "whole" / "best.toml"));
}

TEST_F(SearchCommand, AnInterruptKeepsTheJournal) {
  RunningCommand running(folder_.path(), search("stopped", {"--trials", "500"}));
  EXPECT_TRUE(wait_for([&] { return !text_of(folder_ / "stopped" / "journal.jsonl").empty(); }));
  running.signal(SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, kInterrupted);
  testdata::expect_sentence(outcome.err);
  EXPECT_FALSE(fs::exists(folder_ / "stopped" / "best.fernwood"));
}

TEST_F(SearchCommand, RefusesWrongInput) {
  const auto expect = [&](const Words& words, int exit_code) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    testdata::expect_sentence(outcome.err);
    EXPECT_EQ(outcome.out, "");
  };
  expect(search("a", {"--max-frames", "2"}), kData);
  expect(search("a", {"--held-out", "0"}), kUsage);
  expect(search("a", {"--folds", "2"}), kUsage);
  expect(search("a", {"--preset", "fats"}), kUsage);
  for (const char* space : {"[trees]\nlow = 9\nhigh = 2\n", "[treees]\nvalue = 2\n"}) {
    std::ofstream(folder_ / "space.toml") << space;
    expect(search("b"), kUsage);
  }
  EXPECT_EQ(run(search("a", {"--max-latency-ms", "0.000001"})).exit_code, kUsage) << "no forest is as fast";
  std::ofstream(folder_ / "file") << "";
  expect(search("file"), kRuntime);
}

TEST_F(SearchCommand, AJournalOfOtherDataIsRefused) {
  ASSERT_EQ(run(search("found", {"--trials", "1"})).exit_code, 0);
  fs::remove(scenes() / "train" / "scene0003_colors.png");
  fs::remove(scenes() / "train" / "scene0003_depth.png");
  fs::remove(scenes() / "train" / "scene0003_instances.png");
  fs::remove(scenes() / "train" / "scene0003_ground_truth.png");
  const Outcome outcome = run(search("found", {"--trials", "1"}));
  EXPECT_EQ(outcome.exit_code, kData);
  testdata::expect_sentence(outcome.err);
}

}  // namespace
}  // namespace fernwood::apps
