// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <sys/stat.h>

#include <map>
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "wait_for.h"

namespace fernwood::apps {
namespace {

/// Points labelled by the nearest corner of a square; every `false_step`-th label is wrong.
std::string corner_points(int count, int false_step = 7) {
  std::string text = "x,y,nothing,class\n";
  for (int i = 0; i < count; ++i) {
    const int x = i * 13 % 101, y = i * 57 % 103;
    const char* const names[] = {"low", "right", "up", "far"};
    const int corner = (x > 50) + 2 * (y > 40);
    text += std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(i * 37 % 11) + "," +
            names[i % false_step == 0 ? 3 - corner : corner] + "\n";
  }
  return text;
}

class RecordsSearch : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    write("points.csv", corner_points(300));
    write("test.csv", corner_points(80, 1000));
    write("space.toml", "[trees]\nlow = 4\nhigh = 16\n");
  }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  /// @param more  Options with their values; they replace the defaults here.
  Words search(const std::string& out, const Words& more = {}) const {
    std::map<std::string, std::string> options = {{"--data", folder_ / "points.csv"},
                                                  {"--out", folder_ / out},
                                                  {"--space", folder_ / "space.toml"},
                                                  {"--trials", "9"},
                                                  {"--batch-size", "5"},
                                                  {"--folds", "4"},
                                                  {"--seed", "3"}};
    for (std::size_t i = 0; i + 1 < more.size(); i += 2) options[more[i]] = more[i + 1];
    Words words = {"search"};
    for (const auto& [name, value] : options) words.insert(words.end(), {name, value});
    return words;
  }
  std::string result(const std::string& out, const std::string& name) const { return text_of(folder_ / out / name); }
};

TEST_F(RecordsSearch, FindsOptionsThatTrainTheSameForest) {
  const Outcome outcome = run(search("found", {"--test", folder_ / "test.csv"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  ASSERT_EQ(run({"train", "--config", folder_ / "found" / "best.toml", "--data", folder_ / "points.csv", "--out",
                 folder_ / "again"})
                .exit_code,
            0);
  EXPECT_TRUE(text_of(folder_ / "again") == result("found", "best.fernwood"));
  const auto json = nlohmann::json::parse(result("found", "search.json"));
  EXPECT_EQ(json.at("objective"), "accuracy");
  EXPECT_EQ(json.at("records"), (nlohmann::json{{"race", 240}, {"held_out", 60}, {"folds", 4}}));
  EXPECT_EQ(json.at("trials").size(), 9u);
  const Outcome evaluated =
      run({"evaluate", "--model", folder_ / "found" / "best.fernwood", "--data", folder_ / "test.csv", "--json"});
  EXPECT_EQ(nlohmann::json::parse(evaluated.out).at("accuracy"), json.at("test").at("winner").at("accuracy"));
  EXPECT_TRUE(fs::exists(folder_ / "found" / "search.html"));
}

TEST_F(RecordsSearch, GoesOnToTheSameEndAfterAKill) {
  ASSERT_EQ(run(search("whole")).exit_code, 0);
  {
    RunningCommand killed(folder_.path(), search("killed"));
    EXPECT_TRUE(wait_for([&] { return killed.has_ended() || result("killed", "journal.jsonl").size() >= 3000; },
                         std::chrono::milliseconds(1)));
  }
  const Outcome resumed = run(search("killed"));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  for (const char* name : {"best.fernwood", "best.toml"})
    EXPECT_TRUE(result("killed", name) == result("whole", name)) << name;
}

TEST_F(RecordsSearch, AnotherProgramProposesAndIsToldWhatCameOfIt) {
  ASSERT_EQ(run(search("first", {"--trials", "1"})).exit_code, 0);
  const auto standard = nlohmann::json::parse(result("first", "search.json")).at("trials").at(0).at("configuration");
  const auto proposal = [&](const char* criterion) {
    nlohmann::json configuration = standard;
    configuration["criterion"] = criterion;
    return nlohmann::json{{"configuration", configuration}}.dump() + "\n";
  };
  const std::string gini = proposal("gini"), entropy = proposal("entropy");
  Words words = search("asked", {"--external-sampler", "-"});
  words.push_back("--no-pruning");
  const auto ask = [&](const std::string& lines) {
    return RunningCommand(folder_.path(), words, {}, program(), write("lines", lines)).wait();
  };
  const Outcome outcome = ask(gini + "\n" + entropy + gini);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::istringstream answers(outcome.out);
  for (const std::size_t trial : {0, 1, 0}) {  // a known trial is reported again
    std::string line;
    std::getline(answers, line);
    const auto told = nlohmann::json::parse(line);
    EXPECT_EQ(told, nlohmann::json::parse(result("asked", "search.json")).at("trials").at(trial)) << line;
    EXPECT_EQ(told.at("trainings"), 4);
  }
  const std::string journal = result("asked", "journal.jsonl");
  const Outcome again = ask("");
  EXPECT_EQ(again.out.substr(0, again.out.find("data  ")), outcome.out.substr(0, outcome.out.find("{\"trial\":0", 1)));
  EXPECT_EQ(result("asked", "journal.jsonl"), journal);
}

TEST_F(RecordsSearch, WhileItWaitsForProposalsItCanBeInterrupted) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  RunningCommand running(folder_.path(), search("stopped", {"--external-sampler", "-"}), {}, program(),
                         folder_ / "pipe");
  EXPECT_TRUE(wait_for([&] { return !result("stopped", "journal.jsonl").empty(); }));
  running.signal(SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, kInterrupted);
}

TEST_F(RecordsSearch, WrongInputIsASentence) {
  const auto refused = [&](const Words& more, int exit_code) { expect_refused(search("a", more), exit_code); };
  refused({"--data", write("few.csv", corner_points(16))}, kData);
  refused({"--data", write("none.csv", "x,class\n1,a\n2,\n")}, kData);
  refused({"--data", "-"}, kUsage);
  refused({"--data", folder_ / "nowhere.csv"}, kRuntime);
  refused({"--test", write("other.csv", "x,y,nothing,class\n1,2,3,below\n")}, kData);
  refused({"--held-out", "0"}, kUsage);
  refused({"--external-sampler", "-"}, kUsage);
  refused({"--objective", "pixel"}, kUsage);
  refused({"--space", write("bad.toml", "[trees]\nlow = 9\nhigh = 2\n")}, kUsage);
  refused({"--space", write("bad.toml", "[features]\nvalue = 2\n")}, kUsage);
}

TEST_F(RecordsSearch, NoInputAndNoFileOfAnotherOriginIsReplaced) {
  ASSERT_EQ(run(search("found", {"--trials", "1"})).exit_code, 0);
  const auto keeps = [&](const std::string& name, const std::string& option, const std::string& text) {
    const fs::path file = write("found/" + name, text);
    expect_refused(search("found", {option, file}), kUsage);
    EXPECT_EQ(text_of(file), text);
  };
  keeps("best.toml", "--space", text_of(folder_ / "space.toml"));
  keeps("search.html", "--data", corner_points(300));
  keeps("search.json", "--test", corner_points(80, 1000));
  fs::create_directory(folder_ / "mine");
  for (const std::string name : {"best.fernwood", "best.toml", "search.html", "search.json"}) {
    write("mine/" + name, "of value");
    expect_refused(search("mine"), kUsage);
    EXPECT_EQ(text_of(folder_ / "mine" / name), "of value");
  }
  EXPECT_FALSE(fs::exists(folder_ / "mine" / "journal.jsonl"));
}

TEST_F(RecordsSearch, APlaceThatCannotBeWrittenIsToldBeforeTheRace) {
  fs::create_directories(folder_ / "found" / "best.toml");
  expect_refused(search("found"), kRuntime);
  fs::remove(folder_ / "found" / "best.toml");
  ASSERT_EQ(::mkfifo((folder_ / "found" / "search.json").c_str(), 0600), 0);
  expect_refused(search("found"), kRuntime);
  EXPECT_FALSE(fs::exists(folder_ / "found" / "journal.jsonl"));
}

}  // namespace
}  // namespace fernwood::apps
