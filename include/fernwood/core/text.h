// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fernwood {

/// printf into a string; at most 511 bytes, the rest is cut off.
[[gnu::format(printf, 1, 2)]] std::string format_text(const char* pattern, ...);

/// strtod(), isalnum() and tolower() as C begins with, whatever the calling program has set: in Turkey's locale "I" has
/// another lower case, in others letters may be above 127 and a comma stands before decimals.
double classic_strtod(const char* text, char** end);
constexpr bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// 16 hexadecimal digits.
std::string to_hex(std::uint64_t value);
/// Parses "900MB", "4GiB", "1.5 GB", "4g" (the same as 4GiB), in any case; "0"; and a plain number of bytes from a
/// mebibyte on, below which a unit was forgotten.
/// @param option       Without dashes, for the error.
/// @param least_bytes  Of an amount that is not 0. @throws OptionError.
std::size_t parse_bytes(const std::string& text, const std::string& option, std::size_t least_bytes = 1);
/// For people: "1.5 GiB".
std::string format_bytes(std::size_t size_bytes);

/// The text with "?" for each control character but line feeds and tabs: names in files may hold what terminals obey.
/// @param text  UTF-8.
std::string printable(std::string_view text);

/// Line of a TOML text, from 1, in which a key has more than 32 parts ("a.b.c" has three); 0 when there is none.
/// Parsers call themselves for each part, and would run out of stack and memory.
std::size_t line_of_long_key(std::string_view toml);

/// The name that a misspelt word most likely means: the one with the fewest inserted, removed and replaced characters
/// (Levenshtein's distance), the first of several. Empty when each needs more than 3, or half of the word.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);
/// The same to go on from what is wrong with a word: " (did you mean train?)", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

/// The text with names for what HTML and XML mean something else by: & < > and ".
std::string escape(const std::string& text);

/// "a, b, c". @param text_of  Makes a text of an item, unless items are texts.
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
/// "a, b or c".
std::string list_names(const std::vector<std::string>& names);
/// The place of a word among the names that an option takes.
/// @throws OptionError telling them.
std::size_t find_name(const std::string& option, const std::string& word, const std::vector<std::string>& names);

/// Options and their values as a --config file names them: {"max-depth", "8"}.
using OptionTexts = std::vector<std::pair<std::string, std::string>>;

/// What to_string() calls each of some values.
template <typename Values>
std::vector<std::string> names_of(const Values& values) {
  std::vector<std::string> names;
  for (const auto value : values) names.push_back(to_string(value));
  return names;
}
/// The one of an option's values that to_string() calls so. @throws OptionError telling the names of all.
template <typename Values>
auto parse_name(const std::string& option, const std::string& word, const Values& values) {
  return values[find_name(option, word, fernwood::names_of(values))];
}

}  // namespace fernwood
