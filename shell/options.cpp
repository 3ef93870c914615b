// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/options.h"

#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "shell/table_options.h"

namespace fernwood::apps {

namespace {

struct Threads {
  int threads = 0;
};

constexpr Option<Threads> kThreadRow = option<&Threads::threads>("threads", "CPU threads; 0: all").abbreviated('j');

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
  return text.starts_with("-") ? text + " is negative; give 0 or more" : "";
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
             *name << " has no effect without " << list_names(some.partners) << "; give "
                   << (some.partners.size() > 1 ? "one of them" : "that") << ", too, or leave " << *name << " out");
  }
}

}  // namespace fernwood::apps
