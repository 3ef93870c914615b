// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What a search found, for people and programs.

#include <cstddef>
#include <filesystem>
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

/// What a search leaves in its folder, besides the journal.
struct SearchFiles {
  std::filesystem::path model, config, page, json;
};
SearchFiles search_files(const std::filesystem::path& folder);
/// Writes them, each whole; a link under one of these names is replaced.
/// @param preset  That the search began with. @throws Error as write_file_atomically().
void write_search(const std::filesystem::path& folder, const search::ForestSearch& found, const std::string& preset);
void write_search(const std::filesystem::path& folder, const search::RecordSearch& found);

}  // namespace fernwood::report
