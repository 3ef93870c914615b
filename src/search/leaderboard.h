// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fernwood/search/search.h"
#include "search/journal.h"
#include "search/race.h"

namespace fernwood::search {

/// The configurations in the race with their losses, and the eliminated ones with batch and reason: a function of the
/// calls and their order. A round is the evaluation on a fold, by its index in the order of the race.
class Leaderboard {
 public:
  /// @param problem  Must outlive this object, and so must `options`.
  Leaderboard(const Problem& problem, const SearchOptions& options);

  /// Adds proposed configurations to those in the race.
  void join(const Batch& batch);
  /// The trials in the race, in the order of proposal.
  std::vector<std::size_t> alive() const;
  /// Of a trial, as indices among its variants.
  std::vector<std::size_t> variants_alive(std::size_t trial) const;
  /// Whether a trial in the race was evaluated in a round.
  bool knows(std::size_t trial, std::size_t round) const;
  /// Adds the result of a trial in a round. Variants beyond the limits are eliminated at once.
  void take(std::size_t trial, std::size_t round, const JournalEvaluation& evaluation);
  /// Tests the trials in the race against the leader over the first folds, and eliminates those that are worse.
  void eliminate_worse(std::size_t num_folds);
  /// Keeps the trials of least loss and eliminates the others. With `by_clock`, trials that time was too short to test
  /// are eliminated first.
  void end_race(bool by_clock);
  /// Trials in the race by their best variants, best first, over the folds evaluated for all of them.
  std::vector<Leader> ranking() const;
  /// @throws Error(kUsage) when no trial is left.
  SearchReport report() const;

  const std::vector<TrialRow>& trials() const { return report_.trials; }
  const std::vector<std::size_t>& fold_order() const { return report_.fold_order; }
  std::size_t first_interim_test() const { return rules_.first_interim_test; }

 private:
  std::vector<Contestant> contestants(std::size_t num_folds) const;
  void elimination(VariantRow& variant, EliminationReason elimination, const std::string& why);
  void elimination(TrialRow& trial, EliminationReason elimination, const std::string& why);

  const Problem& problem_;
  const SearchOptions& options_;
  RaceRules rules_;
  SearchReport report_;
};

}  // namespace fernwood::search
