// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fernwood/search/search.h"

namespace fernwood::search {

/// The test that decides who falls.
struct RaceRules {
  RaceTest test = RaceTest::kNadeauBengio;
  double level = 0.05;         ///< Over all looks at a variant.
  std::size_t first_look = 3;  ///< Blocks seen before the first one.
  std::size_t num_blocks = 0;  ///< Of the whole race: a look after each from the first look on.
  double test_share = 0;       ///< Size of a unit's test over that of its training.

  /// What a single look's p must stay below, so that all looks together keep the level (Bonferroni).
  double level_of_a_look() const;
};

/// A living variant and what it lost on the blocks that all have seen.
struct Contestant {
  std::size_t trial, variant;
  std::span<const double> losses;  ///< [blocks], the same blocks for all
};

/// The one with the least mean loss, the first of several. @param contestants  At least one.
std::size_t find_leader(std::span<const Contestant> contestants);

/// Probability of a mean difference as large as this one, or larger, for a variant no worse than the leader: Student's
/// one-sided t-test over paired blocks. 1 unless the mean is above the leader's; 0 when it is so on all blocks by the
/// same difference.
double p_of_being_no_worse(const RaceRules& rules, std::span<const double> losses, std::span<const double> leader);

/// A mean and where the true one lies.
struct Interval {
  double mean, low, high;
};
/// Of losses of overlapping trainings, two-sided, by the variance of Nadeau and Bengio, within [0, 1], which is also
/// the answer of a single block.
Interval mean_interval(std::span<const double> losses, double test_share, double confidence);

}  // namespace fernwood::search
