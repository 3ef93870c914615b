// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What a person reads during a search, and the files that a search writes. Its results have reports of their own, as
// what they hold depends on its subject.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/search/search.h"

namespace fernwood::search {

/// Progress of a race and of the work after it.
ProgressWords progress_words(const SearchProgress& progress);

/// One trial as JSON on a single line, with a newline.
std::string trial_json_line(const std::vector<TrialRow>& trials, std::size_t index);

/// Files that a search writes to its folder, besides the journal.
struct SearchFiles {
  std::filesystem::path model, config, page, json;
};
SearchFiles search_files(const std::filesystem::path& folder);
/// Checks before a search that it can write these files.
/// @param option  Name of the folder in messages. @param folder  An existing one. @param inputs  Files that are read.
/// @throws Error(kUsage) if a file would replace an input, or exists although no search has kept a journal there;
/// Error(kRuntime) as check_writable().
void check_search_files(const char* option, const std::filesystem::path& folder, const std::vector<NamedPath>& inputs,
                        InputRule is_read = &is_kept_in);

}  // namespace fernwood::search
