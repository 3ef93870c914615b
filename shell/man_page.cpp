// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/man_page.h"

#include "shell/help.h"
#include "fernwood/core/machine.h"

namespace fernwood::apps {

namespace {

/// Escapes text for roff: dashes that can be copied, and no word taken for a request.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool begins_line = out.empty() || out.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '-' || c == '\\') out += '\\';
    out += c == '\\' ? 'e' : c;
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }

std::string without_outer_newlines(const std::string& text) {
  const std::size_t begin = text.find_first_not_of('\n'), end = text.find_last_not_of('\n');
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// "fernwood dataset import", with `between` for the spaces.
std::string full_name(const CLI::App& command, char between) {
  const CLI::App* const parent = command.get_parent();
  return (parent ? full_name(*parent, between) + between : "") + command.get_name();
}

std::string option_entry(const CLI::Option& option) {
  const std::string value = CLI::Formatter().make_option_opts(&option);
  const bool is_required = option.get_required();
  return ".TP\n" + bold(option_names(option)) + roff(value) + "\n" + roff(option.get_description()) +
         (is_required ? " (required)" : "") + "\n";
}

std::string options_section(const CLI::App& command) {
  std::string text;
  for (const std::string& group : command.get_groups()) {
    if (group.empty()) continue;  // hidden
    text += (group == "Options" ? ".SH OPTIONS\n" : ".SS " + roff(group) + "\n");
    for (const CLI::Option* option :
         command.get_options([&](const CLI::Option* one) { return one->get_group() == group; }))
      text += option_entry(*option);
  }
  return text;
}

std::string commands_section(const CLI::App& command) {
  std::string text;
  for (const CLI::App* inner : command.get_subcommands({}))
    if (!inner->get_group().empty())
      text += ".TP\n" + bold(full_name(*inner, '-')) + "(1)\n" + roff(inner->get_description()) + "\n";
  return text.empty() ? "" : ".SH COMMANDS\n" + text;
}

/// The example at the end of --help, verbatim.
std::string example_section(const CLI::App& command) {
  constexpr const char* kTitle = "Example:\n";
  std::string text = without_outer_newlines(command.get_footer());
  if (text.empty()) return "";
  if (text.starts_with(kTitle)) text.erase(0, std::string(kTitle).size());
  return ".SH EXAMPLE\n.nf\n" + roff(text) + "\n.fi\n";
}

std::string see_also(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent ? ".SH SEE ALSO\n" + bold(full_name(*parent, '-')) + "(1)\n" : "";
}

std::string synopsis(const CLI::App& command) {
  std::string text = "[OPTIONS]";
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional() && !option->get_group().empty())
      text += " " + (option->get_option_text().empty() ? option->get_name() : option->get_option_text());
  if (!command.get_subcommands({}).empty()) text += " COMMAND";
  return bold(full_name(command, ' ')) + " " + roff(text) + "\n";
}

std::string page_of(const CLI::App& command) {
  const std::string name = full_name(command, '-');
  return ".TH \"" + roff(name) + "\" 1 \"\" \"fernwood " + build_info().version + "\" \"fernwood\"\n.SH NAME\n" +
         roff(name) + " \\- " + roff(command.get_description()) + "\n.SH SYNOPSIS\n" + synopsis(command) +
         commands_section(command) + options_section(command) + example_section(command) + see_also(command);
}

void add_pages(const CLI::App& command, std::vector<ManPage>& pages) {
  pages.push_back({full_name(command, '-'), page_of(command)});
  for (const CLI::App* inner : command.get_subcommands({}))
    if (!inner->get_group().empty()) add_pages(*inner, pages);
}

}  // namespace

std::vector<ManPage> man_pages(const CLI::App& app) {
  std::vector<ManPage> pages;
  add_pages(app, pages);
  return pages;
}

}  // namespace fernwood::apps
