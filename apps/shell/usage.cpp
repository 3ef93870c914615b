// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/usage.h"

#include <algorithm>
#include <vector>

#include "fernwood/core/text.h"

namespace fernwood::apps {

namespace {

using Names = std::vector<std::string>;

/// The command that the line names, and its parents.
std::vector<const CLI::App*> command_chain(const CLI::App& app) {
  std::vector<const CLI::App*> chain = {&app};
  for (auto next = app.get_subcommands(); !next.empty(); next = next.front()->get_subcommands())
    chain.push_back(next.front());
  return chain;
}

std::string full_name(const std::vector<const CLI::App*>& chain) {
  std::string name;
  for (const CLI::App* command : chain) name += (name.empty() ? "" : " ") + command->get_name();
  return name;
}

Names command_names(const CLI::App& app) {
  Names names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

Names option_names(const std::vector<const CLI::App*>& chain) {
  Names names;
  for (const CLI::App* command : chain)
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string join(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string suggestion(const std::string& word, const Names& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view nearest = nearest_name(word, views);
  return nearest.empty() ? "" : " (did you mean " + std::string(nearest) + "?)";
}

/// About the first word that nothing on the command line accounts for; empty when there is none.
std::string about_unknown_word(const std::vector<const CLI::App*>& chain) {
  Names unknown;
  for (const CLI::App* command : chain)
    for (const std::string& word : command->remaining()) unknown.push_back(word);
  if (unknown.empty()) return "";
  const std::string& word = unknown.front();
  if (word.starts_with("-")) {
    const std::string option = word.substr(0, word.find('='));
    const Names known = option_names(chain);
    if (std::find(known.begin(), known.end(), option) != known.end())
      return option + " belongs to " + full_name(chain) + "; write it behind that";
    return full_name(chain) + " has no option " + option + suggestion(option, known);
  }
  const Names commands = command_names(*chain.back());
  if (commands.empty()) return full_name(chain) + " does not know what \"" + word + "\" is for; options begin with --";
  return full_name(chain) + " has no command \"" + word + "\"" + suggestion(word, commands) + "; there are " +
         join(commands);
}

std::string reworded(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  const std::string unconverted = "Could not convert: ";
  if (text.starts_with(unconverted))
    return text.substr(unconverted.size()) + " is no number, or one too large; give another value";
  const std::string unparsed = "INI was not able to parse ";
  if (text.starts_with(unparsed))
    return "the --config file has \"" + text.substr(unparsed.size()) +
           "\", which is no option; name it as on the command line";
  if (text.find("missing") != std::string::npos && text.find(" required ") != std::string::npos)
    return name + " lacks its value";
  if (text.find("At Most 1") != std::string::npos) return name + " is given more than once; give it once";
  return text;
}

std::string about(const std::vector<const CLI::App*>& chain, const CLI::ParseError& failure) {
  const auto is = [&](CLI::ExitCodes code) { return failure.get_exit_code() == static_cast<int>(code); };
  const bool incomplete = is(CLI::ExitCodes::RequiredError);
  if (incomplete || is(CLI::ExitCodes::ExtrasError)) {
    // A misspelt word is why something else is missing.
    const std::string unknown = about_unknown_word(chain);
    if (!unknown.empty()) return unknown;
  }
  const Names commands = command_names(*chain.back());
  if (incomplete && !commands.empty()) return full_name(chain) + " lacks a command: " + join(commands);
  return reworded(failure.what());
}

}  // namespace

std::string usage_sentence(const CLI::App& app, const CLI::ParseError& failure) {
  const std::vector<const CLI::App*> chain = command_chain(app);
  return about(chain, failure) + "; see " + full_name(chain) + " --help";
}

}  // namespace fernwood::apps
