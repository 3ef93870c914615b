// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <map>

#include "apps/command_line.h"
#include "backbone/small_network.h"
#include "wait_for.h"

namespace fernwood::apps {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("best.fernwood"), HasSubstr("best.toml"), HasSubstr("defaults")));
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
  EXPECT_THAT(text_of(folder_ / "found" / "best.toml"), HasSubstr("backbone-reduction = 1\n"));
  const Outcome trained = run({"train", "--config", folder_ / "found" / "best.toml", "--data", scenes() / "train",
                               "--out", folder_ / "again", "--device", "cpu"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_THAT(trained.out, HasSubstr("maps    64 of small at full resolution, the scores of a linear head\n"));
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
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("interrupted"), HasSubstr("the same command continues")));
  EXPECT_FALSE(fs::exists(folder_ / "stopped" / "best.fernwood"));
}

TEST_F(SearchCommand, WrongInputIsASentence) {
  const auto expect = [&](const Words& words, int exit_code, const auto& matcher) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(matcher, Not(HasSubstr("unexpected"))));
    EXPECT_THAT(outcome.out, IsEmpty());
  };
  expect(search("a", {"--max-frames", "2"}), kData, HasSubstr("of 2 groups; a search needs 4 or more"));
  expect(search("a", {"--held-out", "0"}), kUsage, HasSubstr("--held-out is 0"));
  expect(search("a", {"--folds", "2"}), kUsage, HasSubstr("--folds"));
  expect(search("a", {"--max-latency-ms", "0.000001"}), kUsage, HasSubstr("frame"));
  expect(search("a", {"--preset", "fats"}), kUsage, HasSubstr("fast"));
  std::ofstream(folder_ / "space.toml") << "[trees]\nlow = 9\nhigh = 2\n";
  expect(search("b"), kUsage, AllOf(HasSubstr("space.toml"), HasSubstr("trees")));
  std::ofstream(folder_ / "space.toml") << "[treees]\nvalue = 2\n";
  expect(search("b"), kUsage, AllOf(HasSubstr("space.toml"), HasSubstr("trees")));
  std::ofstream(folder_ / "file") << "";
  expect(search("file"), kRuntime, HasSubstr("file"));
}

TEST_F(SearchCommand, AJournalOfOtherDataIsRefused) {
  ASSERT_EQ(run(search("found", {"--trials", "1"})).exit_code, 0);
  fs::remove(scenes() / "train" / "scene0003_colors.png");
  fs::remove(scenes() / "train" / "scene0003_depth.png");
  fs::remove(scenes() / "train" / "scene0003_ground_truth.png");
  const Outcome outcome = run(search("found", {"--trials", "1"}));
  EXPECT_EQ(outcome.exit_code, kData);
  EXPECT_THAT(outcome.err, HasSubstr("journal.jsonl"));
}

}  // namespace
}  // namespace fernwood::apps
