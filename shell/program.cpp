// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/program.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"
#include "shell/completion.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/output_files.h"
#include "shell/ranks.h"

namespace fernwood::apps {

namespace fs = std::filesystem;

namespace {

// Errors of a command line.

using Names = std::vector<std::string>;

std::vector<const CLI::App*> command_chain(const CLI::App& app) {
  std::vector<const CLI::App*> chain = {&app};
  for (auto next = app.get_subcommands(); !next.empty(); next = next.front()->get_subcommands())
    chain.push_back(next.front());
  return chain;
}

std::string full_name(const std::vector<const CLI::App*>& chain) {
  return join(chain, " ", [](const CLI::App* command) { return command->get_name(); });
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

std::string suggestion(const std::string& word, const Names& names) {
  return did_you_mean(word, std::vector<std::string_view>(names.begin(), names.end()));
}

std::string about_unknown_command(const std::vector<const CLI::App*>& chain, const std::string& word) {
  const Names commands = command_names(*chain.back());
  if (commands.empty()) {
    std::error_code unreadable;
    const bool is_data = chain.back()->get_option_no_throw("--data") && fs::is_directory(word, unreadable);
    return full_name(chain) + " does not know what \"" + word + "\" is for" +
           (is_data ? " (did you mean --data " + word + "?)" : "") + "; options begin with --";
  }
  return full_name(chain) + " has no command \"" + word + "\"" + suggestion(word, commands) + "; there are " +
         join(commands);
}

/// Message about the first unknown word on the command line; empty if there is none.
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
  return about_unknown_command(chain, word);
}

std::string reworded(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  const std::string unconverted = "Could not convert: ";
  if (text.starts_with(unconverted))
    return text.substr(unconverted.size()) + " is not a number, or one too large; use another value";
  const std::string unparsed = "INI was not able to parse ";
  if (text.starts_with(unparsed))
    return "the --config file has \"" + text.substr(unparsed.size()) +
           "\", which is not an option; name it as on the command line, max-depth, under its command, [train]";
  if (text.find("missing") != std::string::npos && text.find(" required ") != std::string::npos)
    return name + " lacks its value";
  if (text.find("At Most 1") != std::string::npos) return name + " is given more than once; use it once";
  return text;
}

std::string about(const std::vector<const CLI::App*>& chain, const CLI::ParseError& failure) {
  const auto is = [&](CLI::ExitCodes code) { return failure.get_exit_code() == static_cast<int>(code); };
  const bool incomplete = is(CLI::ExitCodes::RequiredError);
  if (incomplete || is(CLI::ExitCodes::ExtrasError)) {
    // A misspelt word is the reason why something else is missing.
    const std::string unknown = about_unknown_word(chain);
    if (!unknown.empty()) return unknown;
  }
  if (incomplete && chain.back()->get_require_subcommand_min() > 0)
    return full_name(chain) + " lacks a command: " + join(command_names(*chain.back()));
  return reworded(failure.what());
}

std::string read_on(const std::vector<const CLI::App*>& chain) { return "; see " + full_name(chain) + " --help"; }

/// The error in a command line, and where to read on, in one sentence.
std::string usage_sentence(const CLI::App& app, const CLI::ParseError& failure) {
  const std::vector<const CLI::App*> chain = command_chain(app);
  return about(chain, failure) + read_on(chain);
}

// Help.

constexpr std::size_t kNameColumn = 32, kNarrowest = 60, kWidest = 120;

/// "-j, --threads", "--[no-]flip"; for a positional its own name.
std::string shown_names(const CLI::Option& option) {
  const std::vector<std::string>& names = option.get_lnames();
  const bool is_switch = names.size() == 2 && names[1] == "no-" + names[0];
  if (is_switch) return "--[no-]" + names[0];
  std::string text;
  for (const std::string& name : option.get_snames()) text += "-" + name + ", ";
  for (const std::string& name : names) text += (&name == &names.front() ? "--" : ", --") + name;
  return names.empty() ? option.get_name() : text;
}

/// A text in lines of at most `width` characters, broken between words. @param indent  Spaces before each line except
/// the first.
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

/// Formats help texts in groups, wrapped to a width; required options are marked.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t width) : width_(std::clamp(width, kNarrowest, kWidest)) {
    column_width(kNameColumn);
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    if (is_positional) return CLI::Formatter::make_option(option, true);
    return row(shown_names(*option) + make_option_opts(option),
               make_option_desc(option) + (option->get_required() ? " (required)" : ""));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return row(command->get_name(), command->get_description());
  }

 private:
  /// "  name", with the text in the second column.
  std::string row(const std::string& name, const std::string& text) const {
    std::string line = "  " + name;
    if (text.empty()) return line + "\n";
    if (line.size() + 2 > kNameColumn)
      line += "\n" + std::string(kNameColumn, ' ');
    else
      line.resize(kNameColumn, ' ');
    return line + wrapped(text, width_ - kNameColumn, kNameColumn) + "\n";
  }

  std::size_t width_;
};

/// Prints the output of --help after these words.
void print_help(const CLI::App& app, const Names& words) {
  std::vector<const CLI::App*> chain = {&app};
  for (const std::string& word : words) {
    const std::vector<const CLI::App*> commands = chain.back()->get_subcommands([](const CLI::App*) { return true; });
    const auto named = std::ranges::find(commands, word, [](const CLI::App* command) { return command->get_name(); });
    FW_CHECK(named != commands.end(), Usage, about_unknown_command(chain, word) << read_on(chain));
    chain.push_back(*named);
  }
  std::cout << chain.back()->get_formatter()->make_help(chain.back(), full_name(chain), CLI::AppFormatMode::Normal);
}

void add_help_command(CLI::App& app) {
  auto words = std::make_shared<Names>();
  CLI::App* command = app.add_subcommand("help", "Print all about a command, as its --help does");
  command->add_option("command", *words, "The command; without one, all are listed")->option_text("COMMAND...");
  command->footer("\nExample:\n  " + app.get_name() + " help\n  " + app.get_name() + " help help");
  command->callback([&app, words] { print_help(app, *words); });
}

// Values of options.

bool has_option(const CLI::App& app, const std::string& name) {
  const std::vector<const CLI::App*> commands = app.get_subcommands([](const CLI::App*) { return true; });
  return app.get_option_no_throw(name) != nullptr ||
         std::ranges::any_of(commands, [&](const CLI::App* command) { return has_option(*command, name); });
}

/// The command line library takes other numbers and words for a flag's value as well, or fails without a sentence.
/// @throws OptionError.
void check_flag_value(const std::string& name, const std::string& text) {
  bool ignored = false;
  parse_option(name, text, ignored);
}

/// Checks the values of the flags of all commands, in --name=value and in the file of --config.
void restrict_flag_values(CLI::App& app, const std::shared_ptr<CLI::Config>& config) {
  app.config_formatter(config);  // converts the values of a command's own flags
  for (CLI::Option* option : app.get_options([](const CLI::Option* any) { return any->get_items_expected_max() == 0; }))
    option->check([name = option->get_single_name()](const std::string& text) {
      check_flag_value(name, text);
      return std::string();
    });
  for (CLI::App* command : app.get_subcommands({})) restrict_flag_values(*command, config);
}

/// Refuses empty paths, as of --record "$UNSET", which would count as an option that is not given.
void refuse_empty_paths(CLI::App& app) {
  for (CLI::Option* option : app.get_options([](const CLI::Option* any) { return takes_path(*any); }))
    option->check([name = option->get_name()](const std::string& text) {
      FW_CHECK(!text.empty(), Usage, name << " is empty; name a file or a folder");
      return std::string();
    });
  for (CLI::App* command : app.get_subcommands({})) refuse_empty_paths(*command);
}

/// Checks --no-name=value, which the command line library negates before its checks see it.
void check_negated_flags(const CLI::App& app, std::span<char* const> arguments) {
  for (const std::string_view argument : arguments.subspan(std::min<std::size_t>(arguments.size(), 1))) {
    if (argument == "--") return;
    const std::size_t equal = argument.find('=');
    if (!argument.starts_with("--no-") || equal == argument.npos) continue;
    const std::string name(argument.substr(0, equal));
    if (has_option(app, name)) check_flag_value(name.substr(2), std::string(argument.substr(equal + 1)));
  }
}

// Configuration files.

using Items = std::vector<CLI::ConfigItem>;

std::string as_word(const toml::node& value) {
  if (const toml::value<std::string>* text = value.as_string()) return text->get();
  TextOutput text;
  value.visit([&](const auto& known) { text << known; });
  return text.str();
}

void add_items(const toml::table& table, const std::vector<std::string>& parents, Items& items) {
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    const toml::table* const inner = value.as_table();
    if (inner && !(inner->empty() && inner->is_inline())) {  // {} is the value of an option
      std::vector<std::string> path = parents;
      path.push_back(name);
      add_items(*inner, path, items);
      continue;
    }
    CLI::ConfigItem item{parents, name, {}};
    if (const toml::array* list = value.as_array())
      for (const toml::node& entry : *list) item.inputs.push_back(as_word(entry));
    else
      item.inputs.push_back(as_word(value));
    items.push_back(std::move(item));
  }
}

/// Reads the file of --config: TOML, with a table for each subcommand. The parser of the command line library takes a #
/// between quotes for a comment, and colours may begin with #.
class TomlConfig : public CLI::Config {
 public:
  std::string to_config(const CLI::App*, bool, bool, std::string) const override { return ""; }
  Items from_config(std::istream& in) const override {
    Items items;
    const std::string text(std::istreambuf_iterator<char>(in), {});
    if (const std::size_t line = line_of_long_key(text))
      throw Error(ErrorKind::kUsage, "the --config file has a key of more than 32 parts in line " +
                                         std::to_string(line) + "; name options as on the command line");
    try {
      add_items(toml::parse(text), {}, items);
    } catch (const toml::parse_error& failure) {
      throw Error(ErrorKind::kUsage, "the --config file is not valid TOML in line " +
                                         std::to_string(failure.source().begin.line) + ": " +
                                         std::string(failure.description()) + "; correct it");
    }
    return items;
  }
  std::string to_flag(const CLI::ConfigItem& item) const override {
    const std::string text = join(item.inputs, ",");
    check_flag_value(item.name, text);
    return text;
  }
};

/// Messages contain names of classes, files and fields; control characters in them must not reach the terminal.
class PrintableFormatter : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    const std::string text = printable({message.payload.data(), message.payload.size()});
    spdlog::details::log_msg shown = message;
    shown.payload = text;
    pattern_.format(shown, out);
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<PrintableFormatter>(); }

 private:
  spdlog::pattern_formatter pattern_{"%^%l%$: %v"};
};

void set_up_logging() {
  auto logger =
      spdlog::stderr_color_mt("fernwood", use_color(stderr) ? spdlog::color_mode::always : spdlog::color_mode::never);
  logger->set_formatter(std::make_unique<PrintableFormatter>());
  spdlog::set_default_logger(logger);
}

/// Width of a help text that is written to a file or another program.
constexpr std::size_t kUnboundedColumns = 100;

void set_formatter(CLI::App& app, const std::shared_ptr<HelpFormatter>& formatter) {
  app.formatter(formatter);
  for (CLI::App* command : app.get_subcommands({})) set_formatter(*command, formatter);
}

void add_common_options(CLI::App& app) {
  app.set_version_flag("-V,--version", app.get_name() + " " + build_info().version);
  app.set_config("--config", "", "Read options from a TOML file, a section for each subcommand, e.g. [train]")
      ->option_text("FILE");
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.require_subcommand(1);
  add_help_command(app);
  restrict_flag_values(app, std::make_shared<TomlConfig>());
  for (CLI::App* command : app.get_subcommands({})) refuse_empty_paths(*command);
  set_formatter(app, std::make_shared<HelpFormatter>(platform::terminal_columns(stdout).value_or(kUnboundedColumns)));
}

/// The file of --config, which no output may replace.
/// @throws Error unless it is a regular file of a plausible size: a device or a pipe might never end.
std::vector<NamedPath> config_files(std::span<char* const> arguments) {
  constexpr std::uintmax_t kMaxBytes = 1 << 20;
  constexpr std::string_view kOption = "--config";
  std::vector<NamedPath> inputs;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const bool has_value = argument.starts_with("--config=");
    if (!has_value && (argument != kOption || i + 1 == arguments.size())) continue;
    const fs::path path = has_value ? argument.substr(kOption.size() + 1) : std::string_view(arguments[i + 1]);
    std::error_code ignored;
    if (path == "/dev/null") continue;  // no options
    inputs.emplace_back("--config", path);
    if (fs::exists(path, ignored) && !fs::is_directory(path, ignored))
      FW_CHECK(fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) <= kMaxBytes, Usage,
               "--config names " << path.string() << ", which is not a regular file of at most 1 MiB; use one");
    else
      read_file(path);  // reports why it cannot be read
  }
  return inputs;
}

void parse(CLI::App& app, int argc, char** argv) {
  const std::span<char* const> arguments(argv, static_cast<std::size_t>(argc));
  set_common_inputs(config_files(arguments));
  check_negated_flags(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& failure) {
    if (failure.get_exit_code() != 0) throw;
    app.exit(failure);
  }
}

int report_failure() {
  const Failure failure = failure_in_hand();
  const int code = static_cast<int>(failure.kind);
  if (failure.kind == ErrorKind::kUsage)
    report_usage_error(failure_line(failure), code);
  else
    spdlog::error(failure_line(failure));
  return code;
}

/// Terminate handler: also reports memory that runs out where no exception may leave (nlohmann's JSON allocates when it
/// is destroyed). Files being written stay, as after a kill.
[[noreturn]] void on_terminate() {
  if (const std::exception_ptr failure = std::current_exception()) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::bad_alloc&) {
      std::_Exit(report_failure());
    } catch (...) {
    }
  }
  std::abort();
}

/// Runs the command. Output of --help and --version is a result as well. @return  The exit code.
int run_commands(CLI::App& app, int argc, char** argv) {
  try {
    parse(app, argc, argv);
    check_standard_output();
    return 0;
  } catch (const CLI::ParseError& failure) {
    report_usage_error(usage_sentence(app, failure), static_cast<int>(ErrorKind::kUsage));
    return static_cast<int>(ErrorKind::kUsage);
  }
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  if (!platform::prepare_standard_streams()) return static_cast<int>(ErrorKind::kResource);
  platform::keep_freed_memory();
  try {
    set_up_logging();
    std::set_terminate(on_terminate);
    watch_interrupts();
    if (argc < 2 && !program.guide.empty()) {
      std::cerr << program.guide;
      return static_cast<int>(ErrorKind::kUsage);
    }
    CLI::App app(program.description, program.name);
    app.footer(program.footer);
    set_input_rule(program.is_read);
    program.add_commands(app);
    add_common_options(app);
    return run_commands(app, argc, argv);
  } catch (...) {
    return report_failure();
  }
}

}  // namespace fernwood::apps
