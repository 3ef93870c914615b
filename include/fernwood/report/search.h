// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What a search found, for people and programs.

#include <cstddef>
#include <string>
#include <vector>

#include "fernwood/report/format.h"
#include "fernwood/search/search_forest.h"
#include "fernwood/search/search_records.h"

namespace fernwood::report {

/// How far a race is, and what is done after it.
ProgressWords progress_words(const search::SearchProgress& progress);

/// Winner and defaults on the data that no race saw, what the winner is, how the race went.
std::string search_table(const search::ForestSearch& found, bool color);
std::string search_table(const search::RecordSearch& found, bool color);
/// All of it, with every trial. Keys are documented in docs/reference/search.md.
std::string search_json(const search::ForestSearch& found);
std::string search_json(const search::RecordSearch& found);
/// One of its trials on a line of its own, with a newline.
std::string trial_json_line(const std::vector<search::TrialRow>& trials, std::size_t index);
/// A page: accuracy against milliseconds with the front, each parameter's effect, the race, what the winner costs.
/// Without times of records unless they were limited.
std::string search_page(const search::ForestSearch& found);
std::string search_page(const search::RecordSearch& found);

}  // namespace fernwood::report
