// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/table_options.h"

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::apps {

namespace {

/// The separator between the values of a list that is given several times, or as a TOML list.
constexpr char kBetweenRepeated = '\n';

/// "N (80)", "gini*|entropy": the placeholder of the value, and the default.
std::string value_text(const OptionInfo& row) {
  if (row.type == OptionType::kFlag) return row.shown_default.empty() ? "" : "(" + row.shown_default + ")";
  if (row.type != OptionType::kChoice)
    return row.shown_default.empty() ? row.shown_value : row.shown_value + " (" + row.shown_default + ")";
  return join(row.choices, "|",
              [&](const std::string& choice) { return choice == row.shown_default ? choice + "*" : choice; });
}

std::string help_text(const OptionInfo& row) {
  std::string text = row.help.on_command_line();
  if (row.type != OptionType::kChoice && !row.choices.empty()) text += ": " + join(row.choices);
  if (row.range) text += " [" + short_text(*row.range) + "]";
  return text;
}

}  // namespace

void add_row(CLI::App& command, const OptionInfo& row, const TakeOption& take) {
  const std::string name = "--" + row.name;
  CLI::Option* option = nullptr;
  if (row.type == OptionType::kFlag) {
    // By a function, because a flag would be set to false if it is not given.
    const auto set = [take, name = row.name](std::int64_t count) {
      FW_CHECK(count != 0, Usage, "--" << name << " and --no-" << name << " contradict each other; give one of them");
      take(name, count > 0 ? "true" : "false");
    };
    option = command.add_flag_function(name + ",!--no-" + row.name, set, help_text(row));
  } else {
    const std::string names = row.short_name == '\0' ? name : std::string("-") + row.short_name + "," + name;
    const bool is_list = row.type == OptionType::kList;
    const auto set = [take, name = row.name, is_list](std::string text) {
      if (is_list) std::ranges::replace(text, kBetweenRepeated, ',');
      take(name, text);
    };
    option = command.add_option_function<std::string>(names, set, help_text(row));
    if (is_list) option->join(kBetweenRepeated);  // repeated values are appended
    if (row.shown_value.ends_with(" ..."))
      option->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
  }
  option->option_text(value_text(row));
  if (!row.group.empty()) option->group(row.group);
}

}  // namespace fernwood::apps
