// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace fernwood::apps {

/// Formats help texts in groups, wrapped to a width; required options are marked.
class HelpFormatter : public CLI::Formatter {
 public:
  /// @param width  Columns of the terminal.
  explicit HelpFormatter(std::size_t width);

  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;

 private:
  /// "  name", with the text in the second column.
  std::string row(const std::string& name, const std::string& text) const;

  std::size_t width_;
};

/// "-j, --threads", "--[no-]flip"; for a positional its own name.
std::string option_names(const CLI::Option& option);

/// A text in lines of at most `width` characters, broken between words. @param indent  Spaces before each line except
/// the first.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace fernwood::apps
