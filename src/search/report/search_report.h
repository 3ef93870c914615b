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

}  // namespace fernwood::search
