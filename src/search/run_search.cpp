// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
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

constexpr auto kPoll = std::chrono::milliseconds(50);
constexpr std::size_t kNumLeaders = 3;
/// Share of the time; the rest is for the survivors: after few folds, the winner would depend on luck.
constexpr double kShareOfRaces = 0.8;

/// All options that determine the measurements and eliminations; trials and minutes may increase from run to run.
std::string options_json(const SearchOptions& options) {
  return json_text(
      nlohmann::ordered_json{{"seed", options.seed},
                             {"generation", options.batch_size},
                             {"test", options.test == RaceTest::kStudent ? "student" : "nadeau_bengio"},
                             {"proposals", options.proposals == Proposals::kRandom ? "random" : "around_survivors"},
                             {"level", options.alpha},
                             {"first_look", options.first_interim_test},
                             {"min_survivors", options.min_survivors},
                             {"race_blocks", options.race_folds},
                             {"most_survivors", options.most_survivors},
                             {"frame_ms", options.max_latency_ms},
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
    for (generation_ = 0; !by_clock_ && begin_generation(); ++generation_) {
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
  bool begin_generation() {
    journal_.read_on();
    if (journal_.generation(generation_) == nullptr && time_is_over()) journal_.add_stop(clock_);
    if (journal_.generation(generation_) == nullptr && !journal_.stopped(clock_)) {
      const Generation proposed = options_.propose ? given_proposals() : own_proposals();
      if (proposed.settings.empty()) return false;
      journal_.add_generation(generation_, proposed.settings, proposed.num_points);
    }
    // In the meantime another process may have proposed one, or recorded that time is over.
    by_clock_ = journal_.generation(generation_) == nullptr;
    if (by_clock_) return false;
    leaderboard_.join(*journal_.generation(generation_));
    return true;
  }

  Generation own_proposals() const {
    const std::size_t used = leaderboard_.num_trials();
    const std::size_t left = options_.trials > 0 ? options_.trials - std::min(used, options_.trials) : SIZE_MAX;
    ProposalPast past{generation_, num_points(), {}, tried()};
    for (const Leader& leader : leaderboard_.ranking()) past.parents.push_back(leader.setting);
    return propose_settings(problem_, options_.proposals, options_.seed, std::min(left, options_.batch_size), past);
  }

  Generation given_proposals() const {
    const Generation generation{options_.propose(leaderboard_.trials()), num_points()};
    for (const Setting& setting : generation.settings) problem_.space().check(setting);
    return generation;
  }

  std::size_t num_points() const { return generation_ > 0 ? journal_.generation(generation_ - 1)->num_points : 0; }

  std::set<Setting> tried() const {
    std::set<Setting> settings;
    for (std::size_t i = 0; i < generation_; ++i)
      settings.insert(journal_.generation(i)->settings.begin(), journal_.generation(i)->settings.end());
    return settings;
  }

  /// Evaluates fold after fold, until few trials are left. @param most_folds  0: all.
  void race(std::size_t min_survivors, std::size_t most_folds) {
    const std::size_t all = leaderboard_.fold_order().size();
    const std::size_t num_folds = most_folds > 0 ? std::min(most_folds, all) : all;
    for (place_ = 0; place_ < num_folds; ++place_) {
      if (!measure_fold()) return;
      leaderboard_.eliminate_worse(place_ + 1);
      if (place_ + 1 >= leaderboard_.first_interim_test() && leaderboard_.alive().size() <= min_survivors) return;
    }
  }

  /// Waits until every trial in the race is evaluated on the fold, by any process; false when time was over before.
  bool measure_fold() {
    for (;;) {
      const std::vector<std::size_t> missing = take_known();
      tell(missing.size());
      FW_CHECK(!hooks_.stop.stop_requested(), Interrupted, "the search was interrupted");
      if (missing.empty()) return true;
      by_clock_ = journal_.stopped(clock_);
      if (by_clock_) return false;
      if (time_is_over()) {
        journal_.add_stop(clock_);
      } else if (!measure_one_of(missing)) {
        std::this_thread::sleep_for(kPoll);
        journal_.read_on();
      }
    }
  }

  /// The trials in the race that the journal has no result for on this fold.
  std::vector<std::size_t> take_known() {
    std::vector<std::size_t> missing;
    for (const std::size_t trial : leaderboard_.alive()) {
      if (leaderboard_.knows(trial, place_)) continue;
      const JournalEvaluation* unit = journal_.unit(trial, fold());
      if (unit != nullptr && !(clock_ == Clock::kRaces && unit->after_races))
        leaderboard_.take(trial, place_, *unit);
      else
        missing.push_back(trial);
    }
    return missing;
  }

  /// Evaluates the first trial that no other process works on; false when there is none.
  bool measure_one_of(const std::vector<std::size_t>& trials) {
    for (const std::size_t trial : trials) {
      const std::optional<Claim> claim = journal_.claim(trial, fold());
      if (!claim) continue;
      journal_.read_on();  // the previous holder of the claim may have finished
      if (journal_.unit(trial, fold()) == nullptr && !journal_.stopped(clock_))
        journal_.add_evaluation(trial, fold(), measure(trial));
      return true;
    }
    return false;
  }

  JournalEvaluation measure(std::size_t trial) {
    const Setting& setting = setting_of_trial(trial);
    const std::vector<Setting> all = problem_.variants(setting);
    JournalEvaluation unit;
    unit.variants = variants_to_judge(trial);
    std::vector<Setting> wanted;
    for (const std::size_t variant : unit.variants) wanted.push_back(all.at(variant));
    try {
      unit.result = problem_.measure(setting, wanted, fold(), place_ == 0);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kResource) throw;
      unit.problem = error.what();
    }
    return unit;
  }

  /// The variants in the race. After the races, all that survived them: a variant that is eliminated from then on may
  /// survive when the journal is continued with more time or trials.
  std::vector<std::size_t> variants_to_judge(std::size_t trial) const {
    const auto survivor = variants_of_survivors_.find(trial);
    return survivor == variants_of_survivors_.end() ? leaderboard_.variants_alive(trial) : survivor->second;
  }

  const Setting& setting_of_trial(std::size_t trial) const {
    std::size_t i = 0;
    while (journal_.generation(i)->first_trial + journal_.generation(i)->settings.size() <= trial) ++i;
    return journal_.generation(i)->settings[trial - journal_.generation(i)->first_trial];
  }

  /// The hand-made defaults are evaluated once, whatever the time.
  bool time_is_over() const {
    const bool any = journal_.unit(0, leaderboard_.fold_order().front()) != nullptr;
    const bool folds_are_left = options_.race_folds > 0 && options_.race_folds < problem_.num_folds();
    const double share = clock_ == Clock::kRaces && folds_are_left ? kShareOfRaces : 1;
    return any && options_.minutes > 0 && journal_.seconds() >= 60 * options_.minutes * share;
  }

  std::size_t fold() const { return leaderboard_.fold_order()[place_]; }

  void tell(std::size_t num_missing) {
    if (!hooks_.progress) return;
    std::vector<Leader> leaders = leaderboard_.ranking();
    leaders.resize(std::min(leaders.size(), kNumLeaders));
    if (!leaders.empty()) leaders_ = std::move(leaders);  // otherwise new trials lack the first fold
    SearchProgress now;
    now.generation = generation_;
    now.fold = place_;
    now.num_folds = leaderboard_.fold_order().size();
    now.trials = leaderboard_.num_trials();
    now.trials_alive = leaderboard_.alive().size();
    now.leaders = leaders_;
    const double measured = 1 - static_cast<double>(num_missing) / std::max(1.0, static_cast<double>(now.trials_alive));
    const double of_race = (static_cast<double>(place_) + measured) / static_cast<double>(now.num_folds);
    estimate(of_race, now);
    hooks_.progress(now);
  }

  /// Assumes that batches take equal times, and that the first folds, which all trials see, take as long as the others
  /// together.
  void estimate(double of_race, SearchProgress& now) const {
    const double seconds = journal_.seconds();
    const double of_clock = options_.minutes > 0 ? seconds / (60 * options_.minutes) : 0;
    double of_trials = 0;
    if (options_.trials > 0 && generation_ < journal_.num_generations()) {
      const auto size = static_cast<double>(journal_.generation(generation_)->settings.size());
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
  std::size_t generation_ = 0, place_ = 0;
  std::map<std::size_t, std::vector<std::size_t>> variants_of_survivors_;  // by trial, at the end of the races
  Clock clock_ = Clock::kRaces;                                            // the clock that may end the current phase
  bool by_clock_ = false;                                                  // the clock has ended it
};

}  // namespace

void SearchOptions::check() const {
  require_together(trials > 0 || minutes > 0 || propose, "the search has neither {} nor {}; give one of them",
                   {{"trials"}, {"minutes"}});
  check_options(table(), *this);
}

SearchReport run_search(Problem& problem, const SearchOptions& options, const SearchHooks& hooks) {
  const DefaultFloats floats;
  options.check();
  FW_CHECK(problem.num_folds() >= 2, Data,
           "a race needs at least 2 folds, not " << problem.num_folds() << "; give data with more groups");
  const bool any_free = !std::ranges::all_of(problem.space().parameters(), &Parameter::is_fixed);
  FW_CHECK(any_free, Usage, "the space has nothing to choose; leave a parameter its range or choices");
  SearchOptions effective = options;
  if (!options.prunes) {
    effective.first_interim_test = kMostFoldsBeforeTest;
    effective.race_folds = 0;
  }
  return SearchRun(problem, effective, hooks).run();
}

}  // namespace fernwood::search
