// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A search of any kind as text, JSON and a page.

#include <filesystem>
#include <string>

#include "core/result_json.h"
#include "search/report/search_figures.h"

namespace fernwood::search {

std::string search_table(const SearchFacts& found, bool color);
/// Without the limit on time, of which each kind has its own.
Json search_json(const SearchFacts& found);
std::string search_page(const SearchFacts& found);

/// An evaluated forest with the keys of its kind.
Json evaluated_json(const EvaluatedForest& evaluated, const SearchWords& words);
/// Null for 0.
Json limit_json(double limit);

/// Writes all of search_files() but the model. @throws Error as write_file_atomically().
void write_report(const std::filesystem::path& folder, const std::string& config, const std::string& page,
                  const std::string& json);

// Trials of a search for its page: their accuracy and time, the effects of their parameters, and how each ended.

// Each function returns a section as HTML. @param losses  Of the race.

/// Accuracy against time, with the Pareto front; empty for searches whose race is not timed.
std::string trials_time_section(const SearchFacts& found, const FairLosses& losses);
/// A chart for each parameter.
std::string trials_effects_section(const SearchFacts& found, const FairLosses& losses);
/// When and why trials were eliminated.
std::string trials_race_section(const SearchFacts& found, const FairLosses& losses);

}  // namespace fernwood::search
