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

/// Who is in the race with which losses, who was eliminated when and why: a function of what is told, in the order of
/// telling. A place is that of a fold in the order of the race.
class Leaderboard {
 public:
  /// @param problem  Stays the caller's, with `options`.
  Leaderboard(const Problem& problem, const SearchOptions& options);

  /// Proposed settings join those that are alive.
  void join(const JournalGeneration& generation);
  /// The trials that are alive, in the order of proposal.
  std::vector<std::size_t> alive() const;
  /// Of a trial, by their place among its variants.
  std::vector<std::size_t> variants_alive(std::size_t trial) const;
  /// Whether a living trial was judged at a place.
  bool knows(std::size_t trial, std::size_t place) const;
  /// What a trial came to at a place. Variants beyond the limits are eliminated at once.
  void take(std::size_t trial, std::size_t place, const JournalEvaluation& unit);
  /// Tests the living against the leader over the first folds; the worse are eliminated.
  void eliminate_worse(std::size_t num_folds);
  /// The trials of least loss go on, the others are eliminated. Before them come those that time was too short to look
  /// at.
  void end_race(bool by_clock);
  /// Living trials by their best variants, best first, over the folds that all of them have seen.
  std::vector<Leader> ranking() const;
  /// @throws Error(kUsage) when nobody is alive.
  SearchReport report() const;

  const std::vector<TrialRow>& trials() const { return report_.trials; }
  std::size_t num_trials() const { return report_.trials.size(); }
  const std::vector<std::size_t>& fold_order() const { return report_.fold_order; }
  std::size_t first_interim_test() const { return rules_.first_interim_test; }

 private:
  std::vector<Contestant> contestants(std::size_t num_folds) const;
  std::size_t common_folds() const;
  void elimination(VariantRow& variant, EliminationReason elimination, const std::string& why);
  void elimination(TrialRow& trial, EliminationReason elimination, const std::string& why);
  void keep_limits(TrialRow& trial);
  void drop_unseen();

  const Problem& problem_;
  const SearchOptions& options_;
  RaceRules rules_;
  SearchReport report_;
};

}  // namespace fernwood::search
