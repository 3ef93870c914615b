// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/program.h"

#include <algorithm>
#include <sstream>

namespace fernwood::apps {

namespace {

constexpr std::size_t kNameColumn = 32, kNarrowest = 60, kWidest = 120;

}  // namespace

std::string option_names(const CLI::Option& option) {
  const std::vector<std::string>& names = option.get_lnames();
  const bool is_switch = names.size() == 2 && names[1] == "no-" + names[0];
  if (is_switch) return "--[no-]" + names[0];
  std::string text;
  for (const std::string& name : option.get_snames()) text += "-" + name + ", ";
  for (const std::string& name : names) text += (&name == &names.front() ? "--" : ", --") + name;
  return names.empty() ? option.get_name() : text;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::istringstream words(text);
  std::string lines;
  std::size_t column = 0;
  for (std::string word; words >> word;) {
    if (column > 0 && column + 1 + word.size() > width) {
      lines += "\n" + std::string(indent, ' ');
      column = 0;
    }
    if (column > 0) lines += " ";
    lines += word;
    column += (column > 0 ? 1 : 0) + word.size();
  }
  return lines;
}

HelpFormatter::HelpFormatter(std::size_t width) : width_(std::clamp(width, kNarrowest, kWidest)) {
  column_width(kNameColumn);
}

std::string HelpFormatter::row(const std::string& name, const std::string& text) const {
  std::string line = "  " + name;
  if (text.empty()) return line + "\n";
  if (line.size() + 2 > kNameColumn)
    line += "\n" + std::string(kNameColumn, ' ');
  else
    line.resize(kNameColumn, ' ');
  return line + wrapped(text, width_ - kNameColumn, kNameColumn) + "\n";
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  if (is_positional) return CLI::Formatter::make_option(option, true);
  return row(option_names(*option) + make_option_opts(option),
             make_option_desc(option) + (option->get_required() ? " (required)" : ""));
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return row(command->get_name(), command->get_description());
}

}  // namespace fernwood::apps
