// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/search/search.h"
#include "search/report/search_report.h"

namespace fernwood::search::testdata {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

inline VariantRow variant(const Configuration& configuration, const std::vector<double>& losses, double latency_ms,
                          EliminationReason elimination = EliminationReason::kNone, std::size_t batch = 0,
                          const std::string& why = "") {
  VariantRow row{.configuration = configuration,
                 .losses = losses,
                 .results = {},
                 .latency_ms = latency_ms,
                 .elimination = elimination,
                 .why = why};
  for (const double loss : losses) row.results.push_back({loss, 1 - loss, 0.9 - loss});
  row.elimination_batch = batch;
  row.elimination_folds = row.num_folds();
  return row;
}

inline TrialRow trial(std::size_t batch, double train_seconds, std::vector<VariantRow> variants) {
  TrialRow row{batch, variants.front().configuration, train_seconds, std::move(variants), 0};
  row.num_evaluations = longest_lived(row).num_folds();
  return row;
}

inline Configuration configuration(const std::string& trees, const std::string& channels) {
  return {{"channels", channels}, {"trees", trees}};
}

/// Two batches over folds of which the second is harder by 0.1 and the third easier by 0.2: the defaults, which win
/// with a variant, an eliminated trial, one that was never measured, one that was too slow, and one whose loss is NaN.
inline SearchReport small_race() {
  SearchReport race;
  race.space =
      Space({integer_parameter("trees", 1, 4, 3), choice_parameter("channels", {"lab", "lab,<depth>"}, "lab")});
  race.alpha = 0.05;
  race.fold_order = {2, 0, 1};
  race.num_batches = 2;
  const Configuration defaults = configuration("3", "lab"), fewer = configuration("2", "lab"),
                      other = configuration("4", "lab,<depth>");
  race.trials = {
      trial(0, 2, {variant(defaults, {0.4, 0.5, 0.2}, 10), variant(fewer, {0.3, 0.4, 0.1}, 6)}),
      trial(0, 3,
            {variant(other, {0.5, 0.6, kNone}, 12, EliminationReason::kWorse, 0,
                     "worse than trial 0 by 0.2, p = 0.001")}),
      trial(0, 0, {variant(other, {kNone, kNone, kNone}, kNone, EliminationReason::kProblem, 0, "needs <4 GiB>")}),
      trial(1, 4, {variant(configuration("4", "lab"), {0.2, kNone, kNone}, 40, EliminationReason::kTooSlow, 1)}),
      trial(1, 4,
            {variant(configuration("1", "lab"), {kNone, kNone, kNone}, 3, EliminationReason::kProblem, 1,
                     "its loss is not a number")})};
  race.trials[1].variants[0].p = 0.001;
  race.winner_variant = 1;
  race.loss = 0.3;
  race.loss_low = 0.25;
  race.loss_high = 0.35;
  race.num_evaluations = 7;
  race.evaluations_saved = 8;
  race.seconds = 65;
  race.warnings = {{"journal-cut-off", "a line was <cut off>"}};
  return race;
}

}  // namespace fernwood::search::testdata
