// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace fernwood::apps {

/// Help texts in groups, wrapped to a width; options that must be given are marked.
class HelpFormatter : public CLI::Formatter {
 public:
  /// @param width  Columns of the terminal.
  explicit HelpFormatter(std::size_t width);

  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;

 private:
  /// "  name", and the text in the second column.
  std::string row(const std::string& name, const std::string& text) const;

  std::size_t width_;
};

/// "-j, --threads", "--[no-]flip"; a positional's own name.
std::string option_names(const CLI::Option& option);

/// A text in lines of at most `width` characters, where words allow it. @param indent  Spaces before each but the
/// first.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace fernwood::apps
