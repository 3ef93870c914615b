// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Reports of the result of a search, for people and programs.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/report/format.h"
#include "fernwood/report/output_files.h"
#include "fernwood/search/search_forest.h"
#include "fernwood/search/search_records.h"

namespace fernwood::report {

/// Progress of a race and of the work after it.
ProgressWords progress_words(const search::SearchProgress& progress);

/// Winner and defaults evaluated on the data that was not used by races, the winner's options, and the course of the
/// race.
std::string search_table(const search::ForestSearch& found, bool color);
std::string search_table(const search::RecordSearch& found, bool color);
/// The complete result, with every trial. Keys: docs/reference/search.md.
std::string search_json(const search::ForestSearch& found);
std::string search_json(const search::RecordSearch& found);
/// One trial as JSON on a single line, with a newline.
std::string trial_json_line(const std::vector<search::TrialRow>& trials, std::size_t index);
/// A page: accuracy over milliseconds with the Pareto front, the effect of each parameter, the race, and the winner's
/// cost. For records, times are shown only if they were limited.
std::string search_page(const search::ForestSearch& found);
std::string search_page(const search::RecordSearch& found);

/// Files that a search writes to its folder, besides the journal.
struct SearchFiles {
  std::filesystem::path model, config, page, json;
};
SearchFiles search_files(const std::filesystem::path& folder);
/// Checks before a search that it can write these files.
/// @param option  Name of the folder in messages. @param folder  An existing one. @param inputs  Files that are read.
/// @throws Error(kUsage) if a file would replace an input, or exists although no search has kept a journal there;
/// Error(kRuntime) as check_writable().
void check_search_files(const char* option, const std::filesystem::path& folder, const std::vector<NamedPath>& inputs);
/// Writes these files, each atomically; a link with one of these names is replaced.
/// @param preset  Initial preset of the search. @throws Error as write_file_atomically().
void write_search(const std::filesystem::path& folder, const search::ForestSearch& found, const std::string& preset);
void write_search(const std::filesystem::path& folder, const search::RecordSearch& found);

}  // namespace fernwood::report
