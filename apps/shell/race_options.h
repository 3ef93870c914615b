// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What `search` and `records search` have in common.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "fernwood/search/data_search.h"

namespace fernwood::apps {

/// Options of a search that do not depend on what is searched, and its folder.
struct RaceArguments {
  std::filesystem::path out, space, propose;
  int workers = 1;
  bool json = false;

  /// @param options  Takes values; its own are the defaults. @param but  Names that the command does not have of them.
  void add_to(CLI::App& command, search::DataSearchOptions& options, std::initializer_list<std::string_view> but = {});
  /// Reads the files that are named, and checks. @throws Error(kUsage), Error(kData), Error(kRuntime).
  void finish(search::DataSearchOptions& options) const;

  std::filesystem::path model() const;
  std::filesystem::path config() const;
  /// "model   found/best.fernwood (12.3 KiB, checksum 0123456789abcdef)"
  std::string model_line() const;
};

/// Calls `race` with a progress bar. @param out  Folder of the journal. @throws Error as it does; an interrupt tells
/// where to go on from.
void show_race(const std::filesystem::path& out, const std::function<void(const search::SearchHooks&)>& race);

/// Says what the race itself warns of.
void warn_of(const search::SearchReport& race);

}  // namespace fernwood::apps
