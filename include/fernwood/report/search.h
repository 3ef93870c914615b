// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Reports of the result of a search of image forests, for people and programs.

#include <filesystem>
#include <string>

#include "fernwood/search/report.h"
#include "fernwood/tune/search_forest.h"

namespace fernwood::report {

/// Winner and defaults evaluated on the frames that were not used by races, the winner's options, and the course of the
/// race.
std::string search_table(const tune::ForestSearch& found, bool color);
/// The complete result, with every trial. Keys: docs/reference/search.md.
std::string search_json(const tune::ForestSearch& found);
/// A page: accuracy over milliseconds with the Pareto front, the effect of each parameter, the race, and the winner's
/// cost.
std::string search_page(const tune::ForestSearch& found);
/// Writes search::search_files(), each atomically; a link with one of these names is replaced.
/// @param preset  Initial preset of the search. @throws Error as write_file_atomically().
void write_search(const std::filesystem::path& folder, const tune::ForestSearch& found, const std::string& preset);

}  // namespace fernwood::report
