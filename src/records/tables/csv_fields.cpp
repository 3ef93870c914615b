// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/tables/csv_fields.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace fernwood::records {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// @param rest  Begins behind the opening quote.
bool take_quoted(std::string_view& rest, char separator, std::string& buffer) {
  buffer.clear();
  for (;;) {
    const std::size_t quote = rest.find('"');
    if (quote == std::string_view::npos) return false;
    buffer += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) break;
    buffer += '"';
    rest.remove_prefix(1);
  }
  const std::size_t end = std::min(rest.find(separator), rest.size());
  buffer += trimmed(rest.substr(0, end));
  rest.remove_prefix(end);
  return true;
}

}  // namespace

bool take_field(std::string_view& rest, char separator, std::string_view& field, std::string& buffer) {
  const std::size_t begin = rest.find_first_not_of(' ');
  if (begin != std::string_view::npos && rest[begin] == '"') {
    rest.remove_prefix(begin + 1);
    if (!take_quoted(rest, separator, buffer)) return false;
    field = buffer;
  } else {
    const std::size_t end = std::min(rest.find(separator), rest.size());
    field = trimmed(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  return true;
}

bool split_fields(std::string_view text, char separator, std::vector<std::string>& fields) {
  std::string buffer;
  std::string_view field;
  fields.clear();
  for (;;) {
    if (!take_field(text, separator, field, buffer)) return false;
    fields.emplace_back(field);
    if (text.empty()) return true;
    text.remove_prefix(1);
  }
}

bool is_unknown(std::string_view field) {
  constexpr std::array<std::string_view, 5> kWords = {"", "?", "na", "nan", "null"};
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::ranges::any_of(kWords, [&](std::string_view word) { return std::ranges::equal(field, word, same); });
}

char find_separator(std::string_view text) {
  bool in_quotes = false;
  std::string seen;
  for (const char c : text) {
    if (c == '"') in_quotes = !in_quotes;
    if (!in_quotes) seen += c;
  }
  for (const char separator : {'\t', ';', ','})
    if (seen.find(separator) != std::string::npos) return separator;
  return ',';
}

}  // namespace fernwood::records
