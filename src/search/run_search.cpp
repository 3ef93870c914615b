// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json_text.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/search/search.h"
#include "search/journal.h"
#include "search/leaderboard.h"
#include "search/propose.h"
#include "search/race.h"

namespace fernwood::search {

namespace {

constexpr std::size_t kNumLeaders = 3;
/// Share of the time; the rest is for the survivors: after few folds, the winner would depend on luck.
constexpr double kShareOfRaces = 0.8;

/// All options that determine the measurements and eliminations, by their names; trials and minutes may increase from
/// run to run.
std::string options_json(const SearchOptions& options) {
  return json_text(
      nlohmann::ordered_json{{"seed", options.seed},
                             {"batch_size", options.batch_size},
                             {"test", options.test == RaceTest::kStudent ? "student" : "nadeau_bengio"},
                             {"proposals", options.proposals == Proposals::kRandom ? "random" : "around_survivors"},
                             {"alpha", options.alpha},
                             {"first_interim_test", options.first_interim_test},
                             {"min_survivors", options.min_survivors},
                             {"race_folds", options.race_folds},
                             {"most_survivors", options.most_survivors},
                             {"max_latency_ms", options.max_latency_ms},
                             {"train_seconds", options.train_seconds}});
}

class SearchRun {
 public:
  SearchRun(Problem& problem, const SearchOptions& options, const SearchHooks& hooks)
      : problem_(problem),
        options_(options),
        hooks_(hooks),
        journal_(options.folder, {problem.fingerprint(), options_json(options), problem.space()}, options.minutes,
                 hooks.clock),
        leaderboard_(problem, options) {}

  /// Runs a race for each batch; the survivors of all races continue with all folds.
  SearchReport run() {
    for (batch_ = 0; !by_clock_ && begin_batch(); ++batch_) {
      race(options_.min_survivors, options_.race_folds);
      leaderboard_.end_race(by_clock_);
    }
    const bool races_by_clock = std::exchange(by_clock_, false);
    clock_ = Clock::kAll;
    for (const std::size_t trial : leaderboard_.alive())
      variants_of_survivors_[trial] = leaderboard_.variants_alive(trial);
    race(0, 0);
    if (by_clock_) leaderboard_.end_race(true);
    SearchReport report = leaderboard_.report();
    report.ended_by_clock = races_by_clock || by_clock_;
    report.seconds = journal_.seconds_of_last_line();
    report.warnings = journal_.warnings();
    return report;
  }

 private:
  /// Whether another batch exists: from the journal, otherwise proposed now.
  bool begin_batch() {
    if (journal_.batch(batch_) == nullptr && !journal_.stopped(clock_) && time_is_over()) journal_.add_stop(clock_);
    if (journal_.batch(batch_) == nullptr && !journal_.stopped(clock_)) {
      const Batch proposed = propose();
      if (proposed.configurations.empty()) return false;
      journal_.add_batch(proposed.configurations, proposed.num_points);
    }
    by_clock_ = journal_.batch(batch_) == nullptr;
    if (by_clock_) return false;
    leaderboard_.join(*journal_.batch(batch_));
    return true;
  }

  Batch propose() const {
    const std::size_t num_points = batch_ > 0 ? journal_.batch(batch_ - 1)->num_points : 0;
    if (options_.propose) {
      const Batch batch{options_.propose(leaderboard_.trials()), num_points};
      for (const Configuration& configuration : batch.configurations) problem_.space().check(configuration);
      return batch;
    }
    const std::size_t used = leaderboard_.trials().size();
    const std::size_t left = options_.trials > 0 ? options_.trials - std::min(used, options_.trials) : SIZE_MAX;
    ProposalPast past{batch_, num_points, {}, {}};
    for (const Leader& leader : leaderboard_.ranking()) past.parents.push_back(leader.configuration);
    for (const TrialRow& trial : leaderboard_.trials()) past.tried.insert(trial.configuration);
    return propose_configurations(problem_, options_.proposals, options_.seed, std::min(left, options_.batch_size),
                                  past);
  }

  /// Evaluates fold after fold, until few trials are left. @param most_folds  0: all.
  void race(std::size_t min_survivors, std::size_t most_folds) {
    const std::size_t all = leaderboard_.fold_order().size();
    const std::size_t num_folds = most_folds > 0 ? std::min(most_folds, all) : all;
    for (round_ = 0; round_ < num_folds; ++round_) {
      if (!measure_fold()) return;
      leaderboard_.eliminate_worse(round_ + 1);
      if (round_ + 1 >= leaderboard_.first_interim_test() && leaderboard_.alive().size() <= min_survivors) return;
    }
  }

  /// Evaluates every trial in the race on the fold; false when time was over before.
  bool measure_fold() {
    for (;;) {
      const std::vector<std::size_t> missing = take_known();
      tell(missing.size());
      FW_CHECK(!hooks_.stop.stop_requested(), Interrupted, "the search was interrupted");
      if (missing.empty()) return true;
      if (!journal_.stopped(clock_) && time_is_over()) journal_.add_stop(clock_);
      by_clock_ = journal_.stopped(clock_);
      if (by_clock_) return false;
      journal_.add_evaluation(missing.front(), fold(), measure(missing.front()));
    }
  }

  /// The trials in the race that the journal has no result for on this fold.
  std::vector<std::size_t> take_known() {
    std::vector<std::size_t> missing;
    for (const std::size_t trial : leaderboard_.alive()) {
      if (leaderboard_.knows(trial, round_)) continue;
      const JournalEvaluation* evaluation = journal_.evaluation(trial, fold());
      if (evaluation != nullptr && !(clock_ == Clock::kRaces && evaluation->after_races))
        leaderboard_.take(trial, round_, *evaluation);
      else
        missing.push_back(trial);
    }
    return missing;
  }

  /// Evaluates the variants in the race. After the races, all that survived them: a variant that is eliminated from
  /// then on may survive when the journal is continued with more time or trials.
  JournalEvaluation measure(std::size_t trial) {
    const TrialRow& row = leaderboard_.trials()[trial];
    const auto survivor = variants_of_survivors_.find(trial);
    JournalEvaluation evaluation;
    evaluation.variants =
        survivor == variants_of_survivors_.end() ? leaderboard_.variants_alive(trial) : survivor->second;
    std::vector<Configuration> wanted;
    for (const std::size_t variant : evaluation.variants) wanted.push_back(row.variants[variant].configuration);
    try {
      evaluation.result = problem_.measure(row.configuration, wanted, fold(), round_ == 0);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kResource) throw;
      evaluation.problem = error.what();
    }
    return evaluation;
  }

  /// The hand-made defaults are evaluated once, whatever the time.
  bool time_is_over() const {
    const bool any = journal_.evaluation(0, leaderboard_.fold_order().front()) != nullptr;
    const bool folds_are_left = options_.race_folds > 0 && options_.race_folds < problem_.num_folds();
    const double share = clock_ == Clock::kRaces && folds_are_left ? kShareOfRaces : 1;
    return any && options_.minutes > 0 && journal_.seconds() >= 60 * options_.minutes * share;
  }

  std::size_t fold() const { return leaderboard_.fold_order()[round_]; }

  void tell(std::size_t num_missing) {
    if (!hooks_.progress) return;
    std::vector<Leader> leaders = leaderboard_.ranking();
    leaders.resize(std::min(leaders.size(), kNumLeaders));
    if (!leaders.empty()) leaders_ = std::move(leaders);  // otherwise new trials lack the first fold
    SearchProgress now;
    now.batch = batch_;
    now.fold = round_;
    now.num_folds = leaderboard_.fold_order().size();
    now.trials = leaderboard_.trials().size();
    now.trials_alive = leaderboard_.alive().size();
    now.leaders = leaders_;
    const double measured = 1 - static_cast<double>(num_missing) / std::max(1.0, static_cast<double>(now.trials_alive));
    const double of_race = (static_cast<double>(round_) + measured) / static_cast<double>(now.num_folds);
    estimate(of_race, now);
    hooks_.progress(now);
  }

  /// Assumes that batches take equal times, and that the first folds, which all trials see, take as long as the others
  /// together.
  void estimate(double of_race, SearchProgress& now) const {
    const double seconds = journal_.seconds();
    const double of_clock = options_.minutes > 0 ? seconds / (60 * options_.minutes) : 0;
    double of_trials = 0;
    if (const Batch* batch = journal_.batch(batch_); options_.trials > 0 && batch != nullptr) {
      const auto size = static_cast<double>(batch->configurations.size());
      const double before = static_cast<double>(now.trials) - size;
      of_trials = (before + std::sqrt(of_race) * size) / static_cast<double>(std::max(options_.trials, now.trials));
    } else if (options_.trials > 0) {
      of_trials = 1;
    }
    now.done = std::clamp(std::max(of_clock, of_trials), 0.0, 1.0);
    now.seconds_left = now.done > 0 ? seconds * (1 - now.done) / now.done : std::numeric_limits<double>::quiet_NaN();
  }

  Problem& problem_;
  const SearchOptions& options_;
  const SearchHooks& hooks_;
  Journal journal_;
  Leaderboard leaderboard_;
  std::vector<Leader> leaders_;
  std::size_t batch_ = 0, round_ = 0;
  std::map<std::size_t, std::vector<std::size_t>> variants_of_survivors_;  // by trial, at the end of the races
  Clock clock_ = Clock::kRaces;                                            // the clock that may end the current phase
  bool by_clock_ = false;                                                  // the clock has ended it
};

}  // namespace

void SearchOptions::check() const {
  require_together(trials > 0 || minutes > 0 || propose, "the search has neither {} nor {}; use one of them",
                   {{"trials"}, {"minutes"}});
}

SearchReport run_search(Problem& problem, const SearchOptions& options, const SearchHooks& hooks) {
  const DefaultFloats floats;
  options.check();
  FW_CHECK(problem.num_folds() >= 2, Data,
           "a race needs at least 2 folds, not " << problem.num_folds() << "; pass data with more groups");
  const bool any_free = !std::ranges::all_of(problem.space().parameters(), &Parameter::is_fixed);
  FW_CHECK(any_free, Usage, "the space has nothing to choose; leave a parameter its range or choices");
  SearchOptions effective = options;
  if (!options.prunes) {
    effective.first_interim_test = kMaxFoldsBeforeTest;
    effective.race_folds = 0;
  }
  return SearchRun(problem, effective, hooks).run();
}

}  // namespace fernwood::search
