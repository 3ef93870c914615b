// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fernwood {

/// printf() to a string, in the C locale; truncated to 511 bytes.
[[gnu::format(printf, 1, 2)]] std::string format_text(const char* pattern, ...);

/// strtod(), isalnum() and tolower() in the C locale, regardless of the calling program's: in a Turkish locale "I" has
/// another lower case; in others, letters may be above 127, and the decimal separator is a comma.
double classic_strtod(const char* text, char** end);
/// The number that a whole word is: decimal, also with a plus sign, nan or inf; an infinity if it is too large. Empty
/// for any other word, such as 1,5 or 1.5m.
std::optional<double> number_of_word(std::string_view word);
/// Reads the next word of a stream, as a number. @return  False without one, or if the word is not a number as a whole.
bool take_number(std::istream& words, double& number);
constexpr bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// 16 hexadecimal digits.
std::string to_hex(std::uint64_t value);
/// Parses an amount of memory: "900MB", "4GiB", "1.5 GB", "4g" (= 4GiB), in upper or lower case; "0"; or a number of
/// bytes without a unit of at least 1 MiB (for a smaller number, the unit was probably forgotten).
/// @param option       Name of the option without dashes, for the error.
/// @param least_bytes  Minimum of an amount other than 0. @throws OptionError.
std::size_t parse_bytes(const std::string& text, const std::string& option, std::size_t least_bytes = 1);
/// An amount of memory in a readable unit: "1.5 GiB".
std::string format_bytes(std::size_t size_bytes);

/// Replaces each control character but a tab by "?", also those that end lines or turn the direction of text: no name
/// from a file controls a terminal or looks like another line. All that is printed goes through it.
/// @param text  UTF-8.
std::string printable(std::string_view text);
/// The reason why a class or an attribute cannot have a name, such as "is not UTF-8", or empty: models, tables and
/// messages contain it.
std::string name_problem(const std::string& name);

/// Line of a TOML text, from 1, in which a key has more than 32 parts ("a.b.c" has three); 0 if there is none. Parsers
/// recurse for each part and would exhaust stack and memory.
std::size_t line_of_long_key(std::string_view toml);

/// The name that a misspelt word most likely means: the first one with the smallest number of inserted, removed and
/// replaced characters (Levenshtein distance). Empty if that is more than 3, or more than half of the word's length.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);
/// Continuation of a message about a misspelt word: " (did you mean train?)"; empty if no name is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

/// Escapes the special characters of HTML and XML: & < > and ".
std::string escape(const std::string& text);

/// Joins items: "a, b, c". @param text_of  Converts an item to text; not needed if the items are texts.
template <typename Items, typename TextOf = std::identity>
std::string join(const Items& items, std::string_view between = ", ", const TextOf& text_of = {}) {
  std::string text;
  bool first = true;
  for (const auto& item : items) {
    if (!first) text += between;
    first = false;
    text += std::invoke(text_of, item);
  }
  return text;
}
/// Joins names: "a, b or c".
std::string list_names(const std::vector<std::string>& names);
/// Index of a word among the names that an option accepts.
/// @throws OptionError, which lists the names, for another word.
std::size_t find_name(const std::string& option, const std::string& word, const std::vector<std::string>& names);

/// Names of options and their values, as in a --config file: {"max-depth", "8"}.
using OptionTexts = std::vector<std::pair<std::string, std::string>>;

/// Names of values, by to_string().
template <typename Values>
std::vector<std::string> names_of(const Values& values) {
  std::vector<std::string> names;
  for (const auto value : values) names.push_back(to_string(value));
  return names;
}
/// The value of an option with a given name by to_string(). @throws OptionError, which lists all names, for another
/// word.
template <typename Values>
auto parse_name(const std::string& option, const std::string& word, const Values& values) {
  return values[find_name(option, word, fernwood::names_of(values))];
}

}  // namespace fernwood
