// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Common parts of `search` and `records search`.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "fernwood/core/file.h"
#include "fernwood/search/search.h"

namespace fernwood::apps {

/// Options of a search that do not depend on its subject, and its folder.
struct RaceArguments {
  std::filesystem::path out, space, sampler;
  bool json = false;

  /// @param options  Receives the values; its present ones are the defaults. @param but  Names of options that the
  /// command does not have.
  void add_to(CLI::App& command, search::DataSearchOptions& options, std::initializer_list<std::string_view> but = {});
  /// Reads the named files and checks the options. @throws Error(kUsage), Error(kData), Error(kRuntime).
  void finish(search::DataSearchOptions& options) const;

  /// Creates the folder, and checks that the search may write its files there. @param inputs  Files that the command
  /// reads, besides those of these options. @throws Error.
  void make_out(std::vector<NamedPath> inputs) const;
};

/// Calls `race` with a progress bar. @param out  Folder of the journal. @throws Error as it does; the message of an
/// interrupt states how to continue.
void show_race(const std::filesystem::path& out, const std::function<void(const search::SearchHooks&)>& race);

}  // namespace fernwood::apps
