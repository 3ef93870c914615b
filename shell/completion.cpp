// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/completion.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood::apps {

namespace {

/// A script passes all words up to the cursor. The answer is a line with the kind, then a line for each candidate: the
/// word, a tab, its help.
constexpr const char* kBash = R"(# Completion of @name@ for bash: the program itself tells what may come next.
@function@() {
  local -a told
  local word=${COMP_WORDS[COMP_CWORD]} line
  [[ $word != = ]] || word=
  mapfile -t told < <("$1" completion words -- "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
  COMPREPLY=()
  case ${told[0]-} in
    files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    *) for line in "${told[@]:1}"; do COMPREPLY+=("${line%%$'\t'*}"); done ;;
  esac
}
complete -F @function@ @name@
)";

constexpr const char* kZsh = R"(#compdef @name@
# Completion of @name@ for zsh: the program itself tells what may come next.
@function@() {
  local -a told shown
  local line
  told=("${(@f)$("${words[1]}" completion words -- "${(@)words[1,CURRENT]}" 2>/dev/null)}")
  [[ $PREFIX == --*=* ]] && compset -P '*='
  case $told[1] in
    files) _files ;;
    folders) _files -/ ;;
    *)
      for line in "${(@)told[2,-1]}"; do
        shown+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
      done
      _describe @name@ shown
      ;;
  esac
}
if [[ $funcstack[1] == @function@ ]]; then
  @function@ "$@"
else
  compdef @function@ @name@
fi
)";

constexpr const char* kFish = R"(# Completion of @name@ for fish: the program itself tells what may come next.
function _@function@_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l told ($words[1] completion words -- $words 2>/dev/null)
    set -l before (string match -r -- '^--[^=]*=' $words[-1])
    set -l rest (string replace -- "$before" '' $words[-1])
    switch "$told[1]"
        case files
            set told '' (__fish_complete_path $rest)
        case folders
            set told '' (__fish_complete_directories $rest)
    end
    for line in $told[2..-1]
        echo "$before$line"
    end
end
complete -c @name@ -f -a '(_@function@_complete)'
)";

struct Shell {
  const char* name;
  const char* script;
  const char* place;  ///< Below share.
};

constexpr Shell kShells[] = {{"bash", kBash, "bash-completion/completions/@name@"},
                             {"zsh", kZsh, "zsh/site-functions/@function@"},
                             {"fish", kFish, "fish/vendor_completions.d/@name@.fish"}};

/// Writes the name of a program, and a name of shell functions made of it, into a text.
std::string of_program(std::string text, const std::string& name) {
  std::string function = "_" + name;
  std::ranges::replace(function, '-', '_');
  for (const auto& [mark, word] : {std::pair("@name@", name), std::pair("@function@", function)})
    for (std::size_t at; (at = text.find(mark)) != text.npos;) text.replace(at, std::strlen(mark), word);
  return text;
}

using Kind = Completion::Kind;

/// Parses the placeholder: "DIR (.)" is a folder, "fast|balanced*" are two words, "HZ|recorded (30)" is one.
Completion values_of(const CLI::Option& option) {
  std::string text = option.get_option_text();
  text = text.substr(0, text.find(" ("));
  Completion values;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, '|');) {
    if (part.starts_with("DIR") || part == "FOLDER") return {.kind = Kind::kFolders};
    if (part.starts_with("FILE") || part == "PATH" || part == "URL" || part == "SRC") return {.kind = Kind::kFiles};
    const bool is_default = part.ends_with("*");
    const std::string word = part.substr(0, part.size() - is_default);
    const auto is_placeholder = [](char c) { return c != '-' && c != '_' && !is_letter_or_digit(c); };
    if (!word.empty() && std::ranges::none_of(word, is_placeholder) &&
        std::ranges::any_of(word, [](char c) { return c >= 'a' && c <= 'z'; }))
      values.candidates.push_back({word, is_default ? "default" : ""});
  }
  return values;
}

}  // namespace

bool takes_path(const CLI::Option& option) { return values_of(option).kind != Kind::kWords; }

namespace {

/// The beginning of a help text, to fit on a line beside the word.
std::string short_help(const std::string& text) { return text.substr(0, text.find_first_of(";\n")); }

/// The position on a command line after its words.
struct Place {
  const CLI::App* command;
  const CLI::Option* pending = nullptr;  ///< An option whose value is the next word.
  std::set<const CLI::Option*> given = {};

  const CLI::Option* option_named(const std::string& name) const {
    for (const CLI::App* of = command; of != nullptr; of = of->get_fallthrough() ? of->get_parent() : nullptr)
      if (const CLI::Option* option = of->get_option_no_throw(name)) return option;
    return nullptr;
  }
  void pass(const std::string& word) {
    if (word == "=" && pending) return;
    if (pending) {
      pending = nullptr;
    } else if (word.starts_with("-")) {
      const std::size_t equals = word.find('=');
      const CLI::Option* option = option_named(word.substr(0, equals));
      given.insert(option);
      if (option && equals == std::string::npos && option->get_items_expected_max() > 0) pending = option;
    } else if (const CLI::App* next = command_named(word); next && word != "help") {  // as without "help"
      command = next;
    }
  }

 private:
  const CLI::App* command_named(const std::string& name) const {
    for (const CLI::App* next : command->get_subcommands({}))
      if (next->get_name() == name) return next;
    return nullptr;
  }
};

bool is_list(const CLI::Option& option) {
  return option.get_items_expected_max() > 1 || option.get_multi_option_policy() == CLI::MultiOptionPolicy::Join;
}

void add_options(const Place& place, std::vector<Completion::Candidate>& candidates) {
  for (const CLI::Option* option : place.command->get_options()) {
    if (place.given.contains(option) && !is_list(*option)) continue;
    for (const std::string& name : option->get_lnames())  // "--no-x" besides "--x"
      candidates.push_back({"--" + name, short_help(option->get_description())});
  }
}

Completion anything_at(const Place& place, const std::string& begun) {
  Completion next;
  if (begun.starts_with("-")) {
    add_options(place, next.candidates);
    return next;
  }
  for (const CLI::App* command : place.command->get_subcommands({}))
    if (!command->get_group().empty())
      next.candidates.push_back({command->get_name(), short_help(command->get_description())});
  for (const CLI::Option* option : place.command->get_options())
    if (option->get_positional() && next.candidates.empty()) next = values_of(*option);
  if (next.candidates.empty() && next.kind == Kind::kWords) add_options(place, next.candidates);
  return next;
}

}  // namespace

Completion complete(const CLI::App& app, const std::vector<std::string>& words) {
  Place place{&app};
  for (std::size_t i = 1; i + 1 < words.size(); ++i) place.pass(words[i]);
  std::string begun = words.size() > 1 ? words.back() : "";
  const std::size_t equals = begun.starts_with("--") ? begun.find('=') : std::string::npos;
  if (equals != std::string::npos) {
    place.pass(begun.substr(0, equals));
    begun = begun.substr(equals + 1);
  } else if (begun == "=") {
    begun.clear();
  }
  Completion next = place.pending ? values_of(*place.pending) : anything_at(place, begun);
  std::erase_if(next.candidates, [&](const Completion::Candidate& one) { return !one.word.starts_with(begun); });
  return next;
}

std::string completion_script(const CLI::App& app, const std::string& shell) {
  for (const Shell& known : kShells)
    if (shell == known.name) return of_program(known.script, app.get_name());
  throw Error(ErrorKind::kUsage, "there is no completion for \"" + shell + "\"; use bash, zsh or fish");
}

void install_shell_files(const CLI::App& app, const std::filesystem::path& prefix) {
  for (const Shell& shell : kShells) {
    const std::filesystem::path file = prefix / "share" / of_program(shell.place, app.get_name());
    make_folder(file.parent_path());
    write_file_atomically(file, NamedBy::kUser, of_program(shell.script, app.get_name()), Durability::kProcess);
  }
}

}  // namespace fernwood::apps
