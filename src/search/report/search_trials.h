// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Trials of a search for its page: their accuracy and time, the effects of their parameters, and how each ended.

#include <string>

#include "search/report/search_figures.h"

namespace fernwood::search {

// Each function returns a section as HTML. @param losses  Of the race.

/// Accuracy against time, with the Pareto front; empty for searches whose race is not timed.
std::string trials_time_section(const SearchFacts& found, const FairLosses& losses);
/// A chart for each parameter.
std::string trials_effects_section(const SearchFacts& found, const FairLosses& losses);
/// When and why trials were eliminated.
std::string trials_race_section(const SearchFacts& found, const FairLosses& losses);

}  // namespace fernwood::search
