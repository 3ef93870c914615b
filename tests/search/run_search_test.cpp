// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/search/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "fernwood/core/file.h"
#include "search/toy_problem.h"
#include "sentences.h"

namespace fernwood::search {
namespace {

namespace fs = std::filesystem;

class RunSearch : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("fernwood_search_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    options_.trials = 60;
    options_.batch_size = 15;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path journal() const { return folder_ / "journal.jsonl"; }
  std::vector<std::string> journal_lines() const {
    std::istringstream text(read_text(journal()));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  void write_journal(const std::vector<std::string>& lines, const std::string& rest = "") const {
    std::ofstream file(journal(), std::ios::trunc);
    for (const std::string& line : lines) file << line << '\n';
    file << rest;
  }

  void refuses(ToyProblem& problem, ErrorKind kind) const {
    fernwood::testdata::expect_refused(kind, [&] { run_search(problem, options_); });
  }

  fs::path folder_;
  SearchOptions options_;
};

/// All fields of a report except times, as text.
std::string text_of(const SearchReport& report) {
  std::ostringstream text;
  text.precision(17);
  for (const TrialRow& trial : report.trials) {
    text << trial.batch << " " << trial.num_evaluations << " " << trial.train_seconds << "\n";
    for (const VariantRow& variant : trial.variants) {
      for (const auto& [name, value] : variant.configuration) text << name << "=" << value << " ";
      for (const double loss : variant.losses) text << loss << " ";
      text << to_string(variant.elimination) << " " << variant.elimination_batch << " " << variant.elimination_folds
           << " " << variant.p << " " << variant.why << "\n";
    }
  }
  text << report.winner_trial << " " << report.winner_variant << " " << report.loss << " " << report.loss_low << " "
       << report.loss_high << " " << report.num_evaluations << " " << report.evaluations_saved << " "
       << report.num_batches;
  return text.str();
}

TEST_F(RunSearch, FindsNearlyTheBestWithFarFewerUnitsThanAllTimesAll) {
  double excess = 0, standard_excess = 0, saved = 0;
  constexpr int kSeeds = 10;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    ToyProblem problem(static_cast<std::uint64_t>(seed));
    options_.seed = static_cast<std::uint64_t>(seed);
    const SearchReport report = run_search(problem, options_);
    excess += problem.true_loss(report.winner().configuration) - (0.3 + 0.02 / 3);
    standard_excess += problem.true_loss(problem.space().standard()) - (0.3 + 0.02 / 3);
    saved += static_cast<double>(report.evaluations_saved) / static_cast<double>(60 * problem.folds);
    EXPECT_EQ(report.num_evaluations, problem.num_measured);
    EXPECT_EQ(report.trials.size(), 60u);
  }
  EXPECT_LT(excess / kSeeds, 0.02);
  EXPECT_LT(excess, standard_excess);
  EXPECT_GT(saved / kSeeds, 0.5);
}

TEST_F(RunSearch, WithoutAFolderOrWithOneTheReportIsTheSame) {
  ToyProblem problem;
  const std::string expected = text_of(run_search(problem, options_));
  options_.folder = folder_;
  EXPECT_EQ(text_of(run_search(problem, options_)), expected);
  const std::size_t measured = problem.num_measured;
  EXPECT_EQ(text_of(run_search(problem, options_)), expected);  // only from the journal
  EXPECT_EQ(problem.num_measured, measured);
}

TEST_F(RunSearch, AFolderThatGoesAwayIsNotMadeAnew) {
  options_.folder = folder_ / "found";
  fs::create_directories(options_.folder);
  ToyProblem problem;
  problem.before_measuring = [&](const Configuration&, std::size_t) {
    if (problem.num_measured == 5) fs::rename(folder_ / "found", folder_ / "gone");
  };
  refuses(problem, ErrorKind::kRuntime);
  EXPECT_FALSE(fs::exists(folder_ / "found"));
}

TEST_F(RunSearch, AJournalThatIsRemovedOrReplacedEndsTheSearch) {
  for (const bool is_replaced : {false, true}) {
    options_.folder = folder_ / (is_replaced ? "replaced" : "removed");
    ToyProblem problem;
    problem.before_measuring = [&](const Configuration&, std::size_t) {
      if (problem.num_measured == 5) fs::remove(options_.folder / "journal.jsonl");
      if (problem.num_measured == 5 && is_replaced) std::ofstream(options_.folder / "journal.jsonl") << "mine";
    };
    refuses(problem, ErrorKind::kRuntime);
    if (is_replaced) {
      EXPECT_EQ(read_text(options_.folder / "journal.jsonl"), "mine");
    }
  }
}

TEST_F(RunSearch, ResumedAfterAnyNumberOfLinesItComesToTheSame) {
  options_.folder = folder_;
  options_.trials = 20;
  options_.batch_size = 8;
  ToyProblem problem;
  const std::string expected = text_of(run_search(problem, options_));
  const std::vector<std::string> lines = journal_lines();
  ASSERT_GT(lines.size(), 60u);
  for (std::size_t kept = 1; kept < lines.size(); kept += 7) {
    write_journal({lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(kept)});
    EXPECT_EQ(text_of(run_search(problem, options_)), expected) << kept << " lines";
    EXPECT_EQ(journal_lines().size(), lines.size());
  }
}

TEST_F(RunSearch, InterruptedAtAnyUnitItGoesOn) {
  options_.folder = folder_;
  options_.trials = 20;
  ToyProblem problem;
  std::stop_source stop;
  problem.before_measuring = [&](const Configuration&, std::size_t) {
    if (problem.num_measured % 10 == 0) stop.request_stop();
  };
  std::size_t interruptions = 0;
  for (;; ++interruptions) {
    stop = {};
    SearchHooks hooks;
    hooks.stop = stop.get_token();
    try {
      const std::string resumed = text_of(run_search(problem, options_, hooks));
      options_.folder.clear();
      problem.before_measuring = nullptr;
      EXPECT_EQ(resumed, text_of(run_search(problem, options_)));
      break;
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::kInterrupted);
    }
  }
  EXPECT_GT(interruptions, 5u);
}

TEST_F(RunSearch, ALineThatWasCutOffIsMeasuredAgain) {
  options_.folder = folder_;
  ToyProblem problem;
  const std::string expected = text_of(run_search(problem, options_));
  std::vector<std::string> lines = journal_lines();
  const std::string last = lines.back();
  lines.pop_back();
  write_journal(lines, last.substr(0, last.size() / 2));
  const SearchReport report = run_search(problem, options_);
  EXPECT_EQ(text_of(report), expected);
  ASSERT_EQ(report.warnings.size(), 1u);
  fernwood::testdata::expect_sentence(report.warnings.front().text.on_command_line());
  EXPECT_EQ(read_text(folder_ / "journal.jsonl.torn"), last.substr(0, last.size() / 2) + "\n");
}

TEST_F(RunSearch, MoreTrialsGoOnWhereFewerEnded) {
  ToyProblem problem;
  const std::string expected = text_of(run_search(problem, options_));
  options_.folder = folder_;
  options_.trials = 30;
  run_search(problem, options_);
  options_.trials = 60;
  EXPECT_EQ(text_of(run_search(problem, options_)), expected);
}

TEST_F(RunSearch, WhenTimeIsOverTheLeaderWinsAndMoreTimeGoesOn) {
  options_.folder = folder_;
  options_.trials = 0;
  options_.minutes = 10;
  ToyProblem problem;
  double now_s = 1000;
  problem.before_measuring = [&](const Configuration&, std::size_t) { now_s += 5; };
  SearchHooks hooks;
  hooks.clock = [&] { return now_s; };
  const SearchReport report = run_search(problem, options_, hooks);
  EXPECT_TRUE(report.ended_by_clock);
  EXPECT_EQ(report.seconds, 600);
  EXPECT_EQ(report.num_evaluations, 120u);  // of 5 s each
  EXPECT_LE(report.loss_low, report.loss);
  now_s += 12345;  // between two runs
  EXPECT_EQ(text_of(run_search(problem, options_, hooks)), text_of(report));
  options_.minutes = 15;
  EXPECT_GT(run_search(problem, options_, hooks).num_evaluations, report.num_evaluations);
  options_.minutes = 10;
  EXPECT_EQ(text_of(run_search(problem, options_, hooks)), text_of(report));
}

TEST_F(RunSearch, SomeTimeIsKeptForTheSurvivorsToSeeAllFolds) {
  options_.trials = 0;
  options_.minutes = 20;  // 16 of them for races
  ToyProblem problem;
  double now_s = 0;
  problem.before_measuring = [&](const Configuration&, std::size_t) {
    if (problem.num_measured == 100) now_s += 16.5 * 60;
  };
  SearchHooks hooks;
  hooks.clock = [&] { return now_s; };
  const SearchReport report = run_search(problem, options_, hooks);
  EXPECT_TRUE(report.ended_by_clock);
  EXPECT_EQ(report.winner().num_folds(), problem.folds);
}

TEST_F(RunSearch, ABudgetBelowOneTrainingMeasuresTheDefaultsOnce) {
  options_.minutes = 1e-9;
  ToyProblem problem;
  const SearchReport report = run_search(problem, options_);
  EXPECT_EQ(report.winner().configuration, problem.space().standard());
  EXPECT_EQ(report.num_evaluations, 1u);
  EXPECT_TRUE(report.ended_by_clock);
  EXPECT_EQ(report.loss_low, 0);
  EXPECT_EQ(report.loss_high, 1);
  EXPECT_EQ(report.trials[1].variants[0].elimination, EliminationReason::kNoTime);
}

TEST_F(RunSearch, VariantsBeyondTheLimitsAreEliminatedAtOnce) {
  options_.max_latency_ms = 0.25;
  options_.train_seconds = 2;
  ToyProblem problem;
  const SearchReport report = run_search(problem, options_);
  EXPECT_NE(report.winner().configuration.at("trees"), "3");
  for (const TrialRow& trial : report.trials)
    for (const VariantRow& variant : trial.variants) {
      if (trial.train_seconds > 2) {
        EXPECT_EQ(variant.elimination, EliminationReason::kTrainsTooLong);
      } else if (variant.configuration.at("trees") == "3") {
        EXPECT_EQ(variant.elimination, EliminationReason::kTooSlow);
        EXPECT_EQ(variant.elimination_folds, 1u);
      } else {
        EXPECT_NE(variant.elimination, EliminationReason::kTooSlow);
      }
    }
  options_.max_latency_ms = 0.05;
  refuses(problem, ErrorKind::kUsage);
}

TEST_F(RunSearch, ATrialThatCannotBeHadIsOutWithItsSentence) {
  options_.folder = folder_;
  ToyProblem problem;
  problem.before_measuring = [](const Configuration& trial, std::size_t) {
    FW_CHECK(trial.at("channels") != "depth", Resource, "memory ran out; \"try less\"");
    FW_CHECK(trial.at("depth") != "7", Usage, "\xff is not a name");  // not UTF-8
  };
  const SearchReport report = run_search(problem, options_);
  std::size_t out = 0;
  for (const TrialRow& trial : report.trials) {
    if (trial.configuration.at("channels") != "depth") continue;
    EXPECT_EQ(trial.variants.front().elimination, EliminationReason::kProblem);
    EXPECT_EQ(trial.variants.front().why, "memory ran out; \"try less\"");
    ++out;
  }
  EXPECT_GT(out, 0u);
  const std::size_t measured = problem.num_measured;
  EXPECT_EQ(text_of(run_search(problem, options_)), text_of(report));
  EXPECT_EQ(problem.num_measured, measured);
}

TEST_F(RunSearch, OtherErrorsEndTheSearchAndTheJournalStays) {
  options_.folder = folder_;
  ToyProblem problem;
  problem.before_measuring = [&](const Configuration&, std::size_t) {
    FW_CHECK(problem.num_measured < 20, Device, "the GPU has left");
  };
  refuses(problem, ErrorKind::kDevice);
  EXPECT_EQ(journal_lines().size(), 2 + 19u);
}

TEST_F(RunSearch, AJournalOfAnotherSearchIsRefused) {
  options_.folder = folder_;
  options_.trials = 15;
  ToyProblem problem;
  run_search(problem, options_);
  options_.alpha = 0.01;
  refuses(problem, ErrorKind::kData);
  problem.data = "other frames";
  refuses(problem, ErrorKind::kData);
}

TEST_F(RunSearch, ADamagedJournalIsRefusedByLineAndRule) {
  options_.folder = folder_;
  options_.trials = 15;
  ToyProblem problem;
  run_search(problem, options_);
  const std::vector<std::string> lines = journal_lines();
  for (const std::string line : {"", "[[[[[[[[[[1]]]]]]]]]]", "3", "{}", R"({"at":1})", R"({"at":1,"trial":99})",
                                 R"({"at":1,"trial":1,"fold":-1})", R"({"at":1,"trial":1,"fold":1,"problem":""})",
                                 R"({"at":1,"trial":1,"fold":1,"train_seconds":1,"variants":[0],"loss":[0.1,0.2]})",
                                 R"({"at":1,"batch":7,"configurations":[]})",
                                 R"({"at":1,"batch":1,"points":1,"configurations":[{"trees":"9"}]})"}) {
    std::vector<std::string> damaged = lines;
    damaged[4] = line;
    write_journal(damaged);
    refuses(problem, ErrorKind::kData);
  }
}

TEST_F(RunSearch, NumbersOfTheJournalReadBackBitByBitAndNanIsNull) {
  options_.folder = folder_;
  ToyProblem problem;
  problem.noise = std::numeric_limits<double>::quiet_NaN();
  refuses(problem, ErrorKind::kUsage);
  EXPECT_NE(journal_lines()[2].find("\"loss\":[null"), std::string::npos);
}

TEST_F(RunSearch, ConfigurationsOfAnotherSamplerAreRacedAsABatch) {
  options_.folder = folder_;
  options_.trials = 15;
  ToyProblem problem;
  const SearchReport first = run_search(problem, options_);
  fs::create_directories(folder_);
  const fs::path file = folder_ / "proposals.jsonl";
  std::ofstream(file)
      << "{\"configuration\":{\"samples\":\"1000\",\"depth\":\"9\",\"absolute\":\"0.55\",\"radius\":\"26\","
         "\"channels\":\"lab,depth\",\"trees\":\"3\"},\"by\":\"hand\"}\n\n";
  options_.propose = propose_once(read_proposals(file));
  const SearchReport report = run_search(problem, options_);
  ASSERT_EQ(report.trials.size(), 16u);
  EXPECT_EQ(report.trials.back().batch, 1u);
  EXPECT_EQ(report.winner_trial, 15u);
  EXPECT_EQ(text_of(run_search(problem, options_)), text_of(report));  // they are not raced again
  std::vector<Configuration> outside = read_proposals(file);
  outside.front()["depth"] = "21";
  options_.propose = propose_once(outside);
  refuses(problem, ErrorKind::kUsage);
}

TEST_F(RunSearch, ASamplerIsToldAllTrialsAndProposesTheNext) {
  options_.folder = folder_;
  options_.prunes = false;
  std::vector<std::size_t> told;
  options_.propose = [&](const std::vector<TrialRow>& trials) -> std::vector<Configuration> {
    told.push_back(trials.size());
    if (trials.size() == 9) return {};
    Configuration configuration = ToyProblem().space().standard();
    configuration["depth"] = std::to_string(5 + trials.size());
    return {configuration};
  };
  ToyProblem problem;
  const SearchReport report = run_search(problem, options_);
  EXPECT_EQ(told, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(report.num_evaluations, 9 * problem.folds);  // the worst trial, too, was evaluated on all folds
  EXPECT_EQ(report.evaluations_saved, 0u);
  for (const TrialRow& trial : report.trials)
    EXPECT_LE(report.winner().mean_loss(), trial.variants.front().mean_loss());
  told.clear();
  EXPECT_EQ(text_of(run_search(problem, options_)), text_of(report));
  EXPECT_EQ(told, (std::vector<std::size_t>{9}));
}

TEST_F(RunSearch, ProposalsThatAreNoneAreRefusedByLine) {
  fs::create_directories(folder_);
  const fs::path file = folder_ / "proposals.jsonl";
  for (const std::string text : {"\n", "\nx", R"({"configurations":{}})", R"({"configuration":{"depth":3}})"}) {
    std::ofstream(file, std::ios::trunc) << text;
    fernwood::testdata::expect_refused(ErrorKind::kData, [&] { read_proposals(file); });
  }
}

TEST_F(RunSearch, ItTellsHowFarItIs) {
  ToyProblem problem;
  std::vector<SearchProgress> told;
  SearchHooks hooks;
  hooks.progress = [&](const SearchProgress& now) { told.push_back(now); };
  const SearchReport report = run_search(problem, options_, hooks);
  ASSERT_GT(told.size(), report.num_evaluations);
  EXPECT_EQ(told.front().trials_alive, 15u);
  EXPECT_EQ(told.back().trials, 60u);
  EXPECT_EQ(told.back().leaders.front().trial, report.winner_trial);
  EXPECT_DOUBLE_EQ(told.back().done, 1);
}

TEST_F(RunSearch, TheMethodOfTheThesisDropsAgainstTheBestSoFar) {
  options_.batch_size = 1;
  options_.min_survivors = options_.race_folds = 0;
  options_.first_interim_test = 3;
  options_.most_survivors = 1;
  options_.test = RaceTest::kStudent;
  options_.alpha = 0.005;
  options_.proposals = Proposals::kRandom;
  ToyProblem problem;
  const SearchReport report = run_search(problem, options_);
  EXPECT_EQ(report.num_batches, 60u);
  EXPECT_GT(report.evaluations_saved, 60u);
  EXPECT_LT(report.winner().mean_loss(), report.trials.front().variants.front().mean_loss());
}

TEST_F(RunSearch, RefusesBadOptionsAndProblems) {
  ToyProblem problem;
  problem.folds = 1;
  refuses(problem, ErrorKind::kData);
  options_.trials = 0;
  refuses(problem, ErrorKind::kUsage);
}

}  // namespace
}  // namespace fernwood::search
