// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/text.h"

#include <locale.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <istream>
#include <numeric>
#include <utility>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"

namespace fernwood {

namespace {

constexpr std::size_t kMaxEdits = 3;

/// Levenshtein distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

/// Number of bytes of a character, from its first byte; 0 if a character cannot begin with it.
std::size_t length_of(std::uint8_t first) {
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
}

/// Whether the second byte is allowed: it must not encode an overlong form, a surrogate or a code point above U+10FFFF.
bool may_follow(std::uint8_t first, std::uint8_t second) {
  const std::uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  return low <= second && second <= high;
}

/// The C locale, created once and never freed.
locale_t classic_locale() {
  static const locale_t classic = ::newlocale(LC_ALL_MASK, "C", nullptr);
  return classic;
}

}  // namespace

std::string format_text(const char* pattern, ...) {
  std::array<char, 512> text{};
  std::va_list values;
  va_start(values, pattern);
  const locale_t callers = ::uselocale(classic_locale());  // of this thread only
  std::vsnprintf(text.data(), text.size(), pattern, values);
  ::uselocale(callers);
  va_end(values);
  return text.data();
}

double classic_strtod(const char* text, char** end) { return ::strtod_l(text, end, classic_locale()); }

std::optional<double> number_of_word(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  double number = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (failure == std::errc::invalid_argument || end != word.data() + word.size()) return std::nullopt;
  // A number too small becomes 0 or denormal, one too large becomes infinite.
  return failure == std::errc() ? number : classic_strtod(std::string(word).c_str(), nullptr);
}

bool take_number(std::istream& words, double& number) {
  std::string word;
  if (!(words >> word)) return false;
  const std::optional<double> found = number_of_word(word);
  if (found) number = *found;
  return found.has_value();
}

std::string to_hex(std::uint64_t value) { return format_text("%016llx", static_cast<unsigned long long>(value)); }

namespace {

/// Bytes per unit, given in lower case; 0 for an unknown unit. A single letter is a power of 1024, as in sort, Docker
/// and Slurm.
double bytes_of_unit(const std::string& unit) {
  if (unit.empty() || unit == "b") return 1;
  static constexpr std::string_view kPrefixes = "kmgt";
  const std::size_t power = kPrefixes.find(unit.front()) + 1;
  const std::string_view rest = std::string_view(unit).substr(1);
  if (power == 0 || !(rest.empty() || rest == "b" || rest == "ib")) return 0;
  double bytes = 1;
  for (std::size_t i = 0; i < power; ++i) bytes *= rest == "b" ? 1000 : 1024;
  return bytes;
}

}  // namespace

std::size_t parse_bytes(const std::string& text, const std::string& option, std::size_t least_bytes) {
  constexpr std::size_t kMinWithoutUnit = std::size_t{1} << 20;
  double number = 0;
  const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(rest, text.data() + text.size());
  std::erase(unit, ' ');
  std::ranges::transform(unit, unit.begin(), to_lower);
  const double bytes = number * bytes_of_unit(unit);
  require_option(failure == std::errc() && bytes_of_unit(unit) > 0 && number >= 0 && bytes < 9e18, option,
                 in_quotes(text), "write an amount of memory, for example 900MB or 4GiB");
  const auto size_bytes = static_cast<std::size_t>(std::llround(bytes));
  require_option(size_bytes == 0 || size_bytes >= kMinWithoutUnit || !unit.empty(), option, text,
                 "without a unit these are bytes; use for example " + named_option(std::string(option), text + "GiB"));
  require_option(size_bytes == 0 || size_bytes >= least_bytes, option, text,
                 "less is too little to work with, use at least " + format_bytes(least_bytes));
  return size_bytes;
}

std::string format_bytes(std::size_t size_bytes) {
  static const std::array<const char*, 5> kNames = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(size_bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kNames.size(); ++unit) value /= 1024;
  return format_text(unit == 0 ? "%.0f %s" : "%.1f %s", value, kNames[unit]);
}

namespace {

/// Bytes of the control character that a text begins with; 0 if it is another one. Some terminals interpret U+0080 to
/// U+009F like ESC sequences; U+2028 to U+202E and U+2066 to U+2069 end lines or set the direction of text.
std::size_t control_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
  if ((byte(0) < 0x20 && byte(0) != '\t') || byte(0) == 0x7F) return 1;
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return 2;
  const bool is_mark = byte(0) == 0xE2 && ((byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE) ||
                                           (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9));
  return is_mark ? 3 : 0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = control_bytes(text.substr(i));
    shown += size > 0 ? '?' : text[i];
    i += std::max<std::size_t>(size, 1);
  }
  return shown;
}

std::string name_problem(const std::string& name) {
  constexpr std::size_t kLongest = 4096;
  if (!is_utf8(name)) return "is not UTF-8";
  if (name.size() > kLongest)
    return "has " + std::to_string(name.size()) + " bytes, more than " + std::to_string(kLongest);
  return printable(name) == name ? "" : "has control characters";
}

namespace {

/// End of the TOML string that begins at `at`: after its last quote, or where the line or the text ends. Three quotes
/// begin a multi-line string, before whose end two more quotes may stand.
std::size_t end_of_string(std::string_view toml, std::size_t at) {
  const char quote = toml[at];
  const bool has_lines = toml.substr(at, 3) == std::string(3, quote);
  const std::string end(has_lines ? 3 : 1, quote);
  for (at += end.size(); at < toml.size() && (has_lines || toml[at] != '\n'); ++at) {
    if (toml.substr(at, end.size()) == end) {
      at += end.size();
      for (int more = 0; has_lines && more < 2 && at < toml.size() && toml[at] == quote; ++more) ++at;
      return at;
    }
    if (quote == '"' && toml[at] == '\\') ++at;
  }
  return std::min(at, toml.size());
}

}  // namespace

std::size_t line_of_long_key(std::string_view toml) {
  constexpr int kMaxDots = 31;
  std::size_t line = 1;
  int num_dots = 0;  // in the key that may be here
  for (std::size_t i = 0; i < toml.size();) {
    const char c = toml[i];
    if (c == '"' || c == '\'') {  // a quoted part may contain any character
      const std::string_view text = toml.substr(i, end_of_string(toml, i) - i);
      line += static_cast<std::size_t>(std::ranges::count(text, '\n'));
      i += text.size();
      continue;
    }
    if (c == '#') {
      i = std::min(toml.find('\n', i), toml.size());
      continue;
    }
    ++i;
    if (c == '.' && ++num_dots > kMaxDots) return line;
    if (c == '\n') ++line;
    const bool belongs = c == '.' || c == ' ' || c == '\t' || c == '_' || c == '-' || is_letter_or_digit(c);
    if (!belongs) num_dots = 0;
  }
  return 0;
}

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names) {
  std::string_view nearest;
  std::size_t fewest = std::min(kMaxEdits, word.size() / 2) + 1;
  for (const std::string_view name : names)
    if (const std::size_t edits = edit_distance(word, name); edits < fewest) nearest = name, fewest = edits;
  return nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
  return did_you_mean(std::string(nearest_name(word, names)));
}

std::string list_names(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  return text;
}

std::size_t find_name(const std::string& option, const std::string& word, const std::vector<std::string>& names) {
  const auto found = std::ranges::find(names, word);
  if (found == names.end()) {
    const std::string_view meant = nearest_name(word, std::vector<std::string_view>(names.begin(), names.end()));
    throw OptionError(option, in_quotes(word), "use " + list_names(names), std::string(meant));
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::string escape(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    const char* const name = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : nullptr;
    name ? escaped += name : escaped += c;
  }
  return escaped;
}

bool is_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = length_of(byte(i));
    if (length == 0 || length > text.size() - i) return false;
    if (length > 1 && !may_follow(byte(i), byte(i + 1))) return false;
    for (std::size_t k = 2; k < length; ++k)
      if ((byte(i + k) & 0xC0) != 0x80) return false;
    i += length;
  }
  return true;
}

std::string fixed(double value, int digits) {
  if (std::isnan(value)) return "-";
  std::array<char, 400> buffer;  // the largest double has 309 digits before the point
  const auto end = std::to_chars(buffer.begin(), buffer.end(), value, std::chars_format::fixed, digits).ptr;
  return std::string(buffer.begin(), end);
}

std::string percent(double share, int digits) { return fixed(100 * share, digits); }

std::string points(double difference) {
  const std::string text = percent(difference);
  if (text == "-0.0") return "0.0";
  return difference > 0 && text != "0.0" ? "+" + text : text;
}

std::string format_count(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

std::string counted(std::uint64_t count, const std::string& noun) {
  const bool hisses = noun.ends_with('s') || noun.ends_with('x') || noun.ends_with("ch") || noun.ends_with("sh");
  const std::string number = format_count(count) + " ";
  if (count == 1) return number + noun;
  if (noun.ends_with("lf")) return number + noun.substr(0, noun.size() - 1) + "ves";
  return number + noun + (hisses ? "es" : "s");
}

std::string format_rate(double per_second) {
  for (const auto& [unit, size] : {std::pair{"G", 1e9}, std::pair{"M", 1e6}, std::pair{"k", 1e3}})
    if (per_second >= size) return format_text("%.1f %s", per_second / size, unit);
  return format_text("%.1f ", per_second);
}

std::string format_duration(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::max(0.0, seconds)));
  if (seconds < 9.95) return format_text("%.1f s", std::max(0.0, seconds));
  if (whole < 60) return format_text("%lld s", whole);
  if (whole < 3600) return format_text("%lld:%02lld min", whole / 60, whole % 60);
  return format_text("%lld:%02lld:%02lld h", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string format_seconds(double seconds) {
  return seconds < 10 ? format_text("%.3f s", seconds) : format_duration(seconds);
}

std::string pair_name(const std::string& channel_a, const std::string& channel_b) {
  return channel_b.empty() ? channel_a : channel_a + " - " + channel_b;
}

std::string named_numbers(const std::vector<std::string>& names, const std::vector<float>& numbers) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    words.push_back(names[i] + format_text(" %.4g", static_cast<double>(numbers[i])));
  return join(words);
}

}  // namespace fernwood
