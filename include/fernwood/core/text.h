// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <locale>
#include <optional>
#include <span>
#include <sstream>
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

/// A stream that writes and reads numbers in the C locale, 1000.5 and not 1.000,5, regardless of the global locale of
/// the calling program.
template <typename Stream>
class ClassicStream : public Stream {
 public:
  template <typename... Arguments>
  explicit ClassicStream(Arguments&&... arguments) : Stream(std::forward<Arguments>(arguments)...) {
    this->imbue(std::locale::classic());
  }
};

/// Sets the C locale of a caller's stream for the lifetime of this object.
class ClassicNumbers {
 public:
  explicit ClassicNumbers(std::ios& stream) : stream_(stream), callers_(stream.imbue(std::locale::classic())) {}
  ~ClassicNumbers() { stream_.imbue(callers_); }
  ClassicNumbers(const ClassicNumbers&) = delete;
  ClassicNumbers& operator=(const ClassicNumbers&) = delete;

 private:
  std::ios& stream_;
  std::locale callers_;
};

using TextOutput = ClassicStream<std::ostringstream>;
using TextInput = ClassicStream<std::istringstream>;

/// Whether a text is valid UTF-8, as JSON requires: without missing or surplus bytes, overlong encodings, surrogates,
/// and characters above U+10FFFF.
bool is_utf8(std::string_view text);

// Formatting of numbers and words for people, independent of the locale.

/// Progress of long work, in words for a progress bar.
struct ProgressWords {
  std::string phase;   ///< Current phase: "growing".
  std::string detail;  ///< "tree 3 of 80, level 4, 120 nodes"; may be empty.
  double done = 0;     ///< Share of the phase's work, [0, 1].
};

/// A number with `digits` digits after the decimal point; "-" for NaN.
std::string fixed(double value, int digits);
/// A share in percent, without the sign; "-" for NaN.
std::string percent(double share, int digits = 1);
/// A difference of shares in percent, with its sign: "+1.2", "-0.3", "0.0"; "-" for NaN.
std::string points(double difference);

/// 1234567 as "1,234,567".
std::string format_count(std::uint64_t count);
/// "1 frame", "1,234 frames", "2 boxes", "3 shelves". @param noun  Its plural ends with s.
std::string counted(std::uint64_t count, const std::string& noun);
/// One decimal and a unit: "1.2 k", "3.4 M", "5.6 G".
std::string format_rate(double per_second);
/// "4.2 s", "12 s", "3:05 min", "1:02:03 h".
std::string format_duration(double seconds);
/// "1.234 s"; from 10 s on as format_duration().
std::string format_seconds(double seconds);

/// Names of the channels that a split compares: "L - depth"; or only "L" if `channel_b` is empty.
std::string pair_name(const std::string& channel_a, const std::string& channel_b);
/// "floor 0.5, wall 1.5"; empty without numbers. @param names  One for each number.
std::string named_numbers(const std::vector<std::string>& names, const std::vector<float>& numbers);

}  // namespace fernwood
