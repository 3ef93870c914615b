// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/options.h"

#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::apps {

namespace {

struct Threads {
  int threads = 0;
};

constexpr Option<Threads> kThreadRow = option<&Threads::threads>("threads", "CPU threads; 0: all").abbreviated('j');

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

void add_model_option(CLI::App& command, std::filesystem::path& model) {
  command.add_option("--model", model, "Model file")->required()->option_text("FILE");
}

void add_threads_option(CLI::App& command, int& threads) {
  add_row(command, describe_option(kThreadRow, Threads{threads}),
          [&threads](const std::string& name, const std::string& text) { parse_option(name, text, threads); });
}

void add_json_flag(CLI::App& command, bool& json) { command.add_flag("--json", json, "Print JSON"); }

std::string check_not_negative(const std::string& text) {
  return text.starts_with("-") ? text + " is negative; use 0 or more" : "";
}

void check_dependents(const CLI::App& command, const std::vector<Dependents>& all) {
  const auto is_given = [&](const std::string& text) {
    const std::size_t blank = text.find(' ');
    const CLI::Option* const option = command.get_option(text.substr(0, blank));
    return option->count() > 0 && (blank == text.npos || option->results().back() == text.substr(blank + 1));
  };
  for (const Dependents& some : all) {
    if (std::ranges::any_of(some.partners, is_given)) continue;
    const auto name = std::ranges::find_if(some.names, is_given);
    FW_CHECK(name == some.names.end(), Usage,
             *name << " has no effect without " << list_names(some.partners) << "; add "
                   << (some.partners.size() > 1 ? "one of them" : "it") << ", or leave " << *name << " out");
  }
}

void add_row(CLI::App& command, const OptionInfo& row, const TakeOption& take) {
  const std::string name = "--" + row.name;
  CLI::Option* option = nullptr;
  if (row.type == OptionType::kFlag) {
    // By a function, because a flag would be set to false if it is not given.
    const auto set = [take, name = row.name](std::int64_t count) {
      FW_CHECK(count != 0, Usage, "--" << name << " and --no-" << name << " contradict each other; use one of them");
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
