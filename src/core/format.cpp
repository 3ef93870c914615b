// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace fernwood {

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
  return format_count(count) + " " + noun + (count == 1 ? "" : "s");
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
