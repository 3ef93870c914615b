// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What a search's page tells of its trials: how good and how fast they were, what their parameters did, how each ended.

#include <string>

#include "report/search_figures.h"

namespace fernwood::report {

// Each is a section as HTML. @param losses  Of the race.

/// Accuracy against time, with the front; empty for searches whose race takes no times.
std::string trials_time_section(const SearchFacts& found, const FairLosses& losses);
/// A chart for each parameter.
std::string trials_effects_section(const SearchFacts& found, const FairLosses& losses);
/// Who was eliminated when and why.
std::string trials_race_section(const SearchFacts& found, const FairLosses& losses);

}  // namespace fernwood::report
