// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/leaderboard.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "search/propose.h"

namespace fernwood::search {

namespace {

constexpr double kConfidence = 0.95;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

bool variant_lives(const VariantRow& variant) { return variant.elimination == EliminationReason::kNone; }
bool trial_lives(const TrialRow& trial) { return std::ranges::any_of(trial.variants, variant_lives); }

}  // namespace

std::string Problem::time_text(double latency_ms) const { return format_text("a frame takes %.3g ms", latency_ms); }

std::string to_string(EliminationReason elimination) {
  static constexpr std::array kNames = {"survived",        "worse",   "outranked", "too_slow",
                                        "trains_too_long", "problem", "no_time"};
  return kNames.at(static_cast<std::size_t>(elimination));
}

std::size_t VariantRow::num_folds() const {
  return static_cast<std::size_t>(std::ranges::count_if(losses, [](double loss) { return !std::isnan(loss); }));
}

double VariantRow::mean_loss() const {
  double sum = 0;
  for (const double loss : losses) sum += std::isnan(loss) ? 0 : loss;
  return sum / static_cast<double>(num_folds());
}

Leaderboard::Leaderboard(const Problem& problem, const SearchOptions& options)
    : problem_(problem),
      options_(options),
      rules_{options.test, options.alpha, std::min(options.first_interim_test, problem.num_folds()),
             problem.num_folds(), 1.0 / static_cast<double>(problem.num_folds() - 1)} {
  report_.space = problem.space();
  report_.seed = options.seed;
  report_.alpha = options.alpha;
  report_.fold_order = shuffled(problem.num_folds(), options.seed);
}

void Leaderboard::join(const Batch& batch) {
  for (const Configuration& configuration : batch.configurations) {
    TrialRow& trial = report_.trials.emplace_back();
    trial.batch = report_.num_batches;
    trial.configuration = configuration;
    for (const Configuration& each : problem_.variants(configuration)) {
      VariantRow& variant = trial.variants.emplace_back();
      variant.configuration = each;
      variant.losses.assign(rules_.num_folds, kUnknown);
      variant.results.assign(rules_.num_folds, {kUnknown, kUnknown, kUnknown});
    }
  }
  ++report_.num_batches;
}

std::vector<std::size_t> Leaderboard::alive() const {
  std::vector<std::size_t> trials;
  for (std::size_t i = 0; i < report_.trials.size(); ++i)
    if (trial_lives(report_.trials[i])) trials.push_back(i);
  return trials;
}

std::vector<std::size_t> Leaderboard::variants_alive(std::size_t trial) const {
  std::vector<std::size_t> variants;
  for (std::size_t i = 0; i < report_.trials[trial].variants.size(); ++i)
    if (variant_lives(report_.trials[trial].variants[i])) variants.push_back(i);
  return variants;
}

bool Leaderboard::knows(std::size_t trial, std::size_t round) const {
  const VariantRow& variant = report_.trials[trial].variants[variants_alive(trial).front()];
  return !std::isnan(variant.losses[round]);
}

void Leaderboard::take(std::size_t index, std::size_t round, const JournalEvaluation& evaluation) {
  TrialRow& trial = report_.trials[index];
  if (!evaluation.problem.empty()) return elimination(trial, EliminationReason::kProblem, evaluation.problem);
  const std::vector<std::size_t> wanted = variants_alive(index);
  const auto before = static_cast<double>(trial.num_evaluations++);
  trial.train_seconds = (trial.train_seconds * before + evaluation.result.train_seconds) / (before + 1);
  for (const std::size_t i : wanted) {
    const auto found = std::ranges::find(evaluation.variants, i);
    FW_CHECK(found != evaluation.variants.end(), Data,
             "the journal's line of trial " << index << " and fold " << report_.fold_order[round]
                                            << " lacks the variant " << i << "; use another folder");
    const auto at = static_cast<std::size_t>(found - evaluation.variants.begin());
    VariantRow& variant = trial.variants[i];
    variant.results[round] = evaluation.result.results[at];
    variant.losses[round] = evaluation.result.results[at].loss;
    if (std::isnan(variant.losses[round]))
      elimination(variant, EliminationReason::kProblem, "its loss is not a number");
    if (at < evaluation.result.latency_ms.size()) variant.latency_ms = evaluation.result.latency_ms[at];
  }
  if (round > 0) return;
  if (options_.train_seconds > 0 && trial.train_seconds > options_.train_seconds)
    elimination(trial, EliminationReason::kTrainsTooLong, format_text("training takes %.3g s", trial.train_seconds));
  for (VariantRow& variant : trial.variants)
    if (options_.max_latency_ms > 0 && variant.latency_ms > options_.max_latency_ms)
      elimination(variant, EliminationReason::kTooSlow, problem_.time_text(variant.latency_ms));
}

void Leaderboard::eliminate_worse(std::size_t num_folds) {
  if (num_folds < rules_.first_interim_test) return;
  const std::vector<Contestant> all = contestants(num_folds);
  if (all.empty()) return;
  const InterimTest test = run_interim_test(rules_, all);
  const Contestant& leader = all[test.leader];
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (test.p[i] >= test.level) continue;
    VariantRow& variant = report_.trials[all[i].trial].variants[all[i].variant];
    variant.p = test.p[i];
    elimination(variant, EliminationReason::kWorse,
                format_text("worse than trial %zu by %.3g in the mean of %zu folds, p = %.2g", leader.trial,
                            all[i].mean() - leader.mean(), num_folds, test.p[i]));
  }
}

void Leaderboard::end_race(bool by_clock) {
  if (by_clock) {
    // Trials that had no interim test, if others had one; if none had, those without any evaluation.
    std::size_t most = 0;
    for (const std::size_t trial : alive()) most = std::max(most, report_.trials[trial].num_evaluations);
    const std::size_t enough = most >= rules_.first_interim_test ? rules_.first_interim_test : 1;
    for (const std::size_t trial : alive())
      if (report_.trials[trial].num_evaluations < enough)
        elimination(report_.trials[trial], EliminationReason::kNoTime, "time was over");
  }
  const std::vector<Leader> ranked = ranking();
  for (std::size_t i = options_.most_survivors; i < ranked.size(); ++i)
    elimination(report_.trials[ranked[i].trial], EliminationReason::kOutranked,
                format_text("%zu others had less loss when the race ended", i));
}

std::vector<Leader> Leaderboard::ranking() const {
  // Folds are evaluated in the order of the race, so that fewer folds are a prefix of more.
  std::size_t num_folds = rules_.num_folds;
  const std::vector<std::size_t> trials = alive();
  for (const std::size_t trial : trials) num_folds = std::min(num_folds, report_.trials[trial].num_evaluations);
  std::vector<Leader> leaders;
  if (trials.empty() || num_folds == 0) return leaders;
  for (const Contestant& contestant : best_of_each_trial(contestants(num_folds))) {
    const VariantRow& variant = report_.trials[contestant.trial].variants[contestant.variant];
    leaders.push_back({contestant.trial, contestant.variant, variant.configuration, contestant.mean()});
  }
  return leaders;
}

SearchReport Leaderboard::report() const {
  FW_CHECK(!report_.trials.empty(), Usage, "no configuration was proposed; propose one or more");
  const std::vector<Leader> ranked = ranking();
  FW_CHECK(!ranked.empty(), Usage,
           "none of the " << report_.trials.size()
                          << " configurations tried can be had within the limits; the first one: "
                          << report_.trials.front().variants.front().why << "; allow more time, or another space");
  SearchReport report = report_;
  report.winner_trial = ranked.front().trial;
  report.winner_variant = ranked.front().variant;
  const std::span<const double> losses(report.winner().losses);
  const Interval interval = mean_interval(losses.first(report.winner().num_folds()), rules_.test_share, kConfidence);
  report.loss = interval.mean;
  report.loss_low = interval.low;
  report.loss_high = interval.high;
  for (const TrialRow& trial : report.trials) report.num_evaluations += trial.num_evaluations;
  report.evaluations_saved = report.trials.size() * rules_.num_folds - report.num_evaluations;
  return report;
}

std::vector<Contestant> Leaderboard::contestants(std::size_t num_folds) const {
  std::vector<Contestant> contestants;
  for (std::size_t i = 0; i < report_.trials.size(); ++i)
    for (const std::size_t variant : variants_alive(i))
      contestants.push_back({i, variant, std::span(report_.trials[i].variants[variant].losses).first(num_folds)});
  return contestants;
}

void Leaderboard::elimination(VariantRow& variant, EliminationReason elimination, const std::string& why) {
  if (!variant_lives(variant)) return;
  variant.elimination = elimination;
  variant.elimination_batch = report_.num_batches - 1;
  variant.elimination_folds = variant.num_folds();
  variant.why = why;
}

void Leaderboard::elimination(TrialRow& trial, EliminationReason reason, const std::string& why) {
  for (VariantRow& variant : trial.variants) elimination(variant, reason, why);
}

}  // namespace fernwood::search
