// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace fernwood::apps {

struct ManPage {
  std::string name;  ///< "fernwood", "fernwood-records-train".
  std::string text;  ///< For man: roff with the macros of man(7).
};

/// A page for the program and for each of its commands, with the contents of --help.
std::vector<ManPage> man_pages(const CLI::App& app);

}  // namespace fernwood::apps
