// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/program.h"

#include <algorithm>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/option_table.h"
#include "shell/completion.h"

namespace fernwood::apps {

namespace {

bool has_option(const CLI::App& app, const std::string& name) {
  const std::vector<const CLI::App*> commands = app.get_subcommands([](const CLI::App*) { return true; });
  return app.get_option_no_throw(name) != nullptr ||
         std::ranges::any_of(commands, [&](const CLI::App* command) { return has_option(*command, name); });
}

}  // namespace

void check_flag_value(const std::string& name, const std::string& text) {
  bool ignored = false;
  parse_option(name, text, ignored);
}

void restrict_flag_values(CLI::App& app, const std::shared_ptr<CLI::Config>& config) {
  app.config_formatter(config);  // converts the values of a command's own flags
  for (CLI::Option* option : app.get_options([](const CLI::Option* any) { return any->get_items_expected_max() == 0; }))
    option->check([name = option->get_single_name()](const std::string& text) {
      check_flag_value(name, text);
      return std::string();
    });
  for (CLI::App* command : app.get_subcommands({})) restrict_flag_values(*command, config);
}

void refuse_empty_paths(CLI::App& app, NamesOption may_be_empty) {
  const auto needs_path = [may_be_empty](const CLI::Option* option) {
    return takes_path(*option) && !(may_be_empty && may_be_empty(option->get_single_name()));
  };
  for (CLI::Option* option : app.get_options(needs_path))
    option->check([name = option->get_name()](const std::string& text) {
      FW_CHECK(!text.empty(), Usage, name << " is empty; name a file or a folder");
      return std::string();
    });
  for (CLI::App* command : app.get_subcommands({})) refuse_empty_paths(*command, may_be_empty);
}

void check_negated_flags(const CLI::App& app, std::span<char* const> arguments) {
  for (const std::string_view argument : arguments.subspan(std::min<std::size_t>(arguments.size(), 1))) {
    if (argument == "--") return;
    const std::size_t equal = argument.find('=');
    if (!argument.starts_with("--no-") || equal == argument.npos) continue;
    const std::string name(argument.substr(0, equal));
    if (has_option(app, name)) check_flag_value(name.substr(2), std::string(argument.substr(equal + 1)));
  }
}

}  // namespace fernwood::apps
