// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The parameter search of the thesis (chapter 5: Tables 5.1 and 5.2, Figure 5.4).

#include <array>
#include <cstdint>
#include <string>

#include "fernwood/tune/search_forest.h"

namespace fernwood::lab {

/// A row of Tables 5.1 and 5.2.
struct ThesisParameter {
  const char* name;   ///< Name in --config.
  const char* title;  ///< Name in the thesis.
  int low, high;      ///< Table 5.1.
  int found;          ///< Table 5.2, NYU.
};
inline constexpr std::array<ThesisParameter, 8> kThesisSpace = {
    {{"trees", "Number of trees", 3, 3, 3},
     {"samples_per_frame", "Samples per image", 10, 7500, 4537},
     {"features", "Random feature candidates", 10, 7500, 5729},
     {"thresholds", "Threshold candidates", 10, 60, 20},
     {"min_samples", "Minimum sample count", 1, 1000, 204},
     {"max_depth", "Maximum tree depth", 5, 20, 18},
     {"max_offset", "Box radius [px m]", 1, 127, 111},
     {"max_half_extent", "Region size [px m]", 1, 127, 3}}};

/// Configurations drawn uniformly from Table 5.1, cross-validation over random splits, loss 1 - average class accuracy
/// (eq. 5.1), stopped after at least three folds by Student's t-test at level 0.005 against the best so far. Unlike the
/// thesis, which uses Hyperopt's sampler, trials are drawn at random, several at a time. The number of folds, which it
/// does not state, is eight.
/// @param train  Options that are not in the table.
tune::ForestSearchOptions thesis_search(const train::TrainOptions& train, std::size_t trials, std::uint64_t seed);

/// Table 5.1 with the values found, and the decrease of the minimum loss, as text.
std::string thesis_search_table(const tune::ForestSearch& found);
/// The same as an HTML page, with Figure 5.4.
std::string thesis_search_page(const tune::ForestSearch& found);

}  // namespace fernwood::lab
