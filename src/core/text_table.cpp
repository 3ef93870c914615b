// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/text_table.h"

#include <algorithm>

#include "fernwood/core/text.h"

namespace fernwood {

namespace {

/// Continuation bytes do not begin a code point.
bool begins_code_point(char byte) { return (byte & 0xC0) != 0x80; }

}  // namespace

std::string Painter::paint(const std::string& text, const std::string& style) const {
  return color && !style.empty() ? "\x1b[" + style + "m" + text + "\x1b[0m" : text;
}

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_code_point));
}

std::string clip(const std::string& text, std::size_t width) {
  if (width_of(text) <= width) return text;
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end)
    if (begins_code_point(text[end]) && ++seen == width) break;
  return text.substr(0, end) + "…";
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, width_of(text)), ' ');
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines = {""};
  TextInput words(text);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && width_of(lines.back()) + 1 + width_of(word) > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::vector<std::string> broken_list(const std::string& text, std::size_t width) {
  std::vector<std::string> lines = {""};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(", ", begin), text.size() - 1) + 1;
    const std::string part = text.substr(begin, end - begin);
    if (!lines.back().empty() && width_of(lines.back() + part) > width) lines.emplace_back();
    lines.back() += part;
    begin = end;
  }
  for (std::string& line : lines) line = clip(line, width);
  return lines;
}

std::string facts(const std::vector<std::pair<std::string, std::string>>& rows, std::size_t name_width,
                  const Painter& painter, std::size_t max_columns) {
  std::string text;
  for (const auto& [name, value] : rows)
    if (!value.empty())
      text += painter.dim(padded(name, name_width)) +
              (max_columns > 0 ? clip(printable(value), max_columns - name_width) : printable(value)) + "\n";
  return text;
}

TextTable::TextTable(std::vector<TextColumn> columns, const Painter& painter, std::size_t lead_width)
    : columns_(std::move(columns)), painter_(painter) {
  std::vector<TextCell> headings;
  for (const TextColumn& column : columns_) headings.emplace_back(column.heading);
  if (std::ranges::any_of(columns_, [](const TextColumn& column) { return !column.heading.empty(); }))
    row(headings, "1", std::string(lead_width, ' '));
}

void TextTable::row(const std::vector<TextCell>& cells, const std::string& style, const std::string& lead) {
  std::string line;
  std::size_t blanks = 0;  // after the cells so far; dropped at the end of the line
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const TextColumn& column = columns_[i];
    const std::string shown = clip(printable(cells[i].text), column.width);
    const std::size_t missing = column.width - width_of(shown);
    if (i > 0) ++blanks;
    if (shown.empty()) {
      blanks += column.width;
      continue;
    }
    const std::string before(blanks + (column.left_aligned ? 0 : missing), ' ');
    line += before + painter_.paint(shown, cells[i].style);
    blanks = column.left_aligned ? missing : 0;
  }
  text_ += lead + painter_.paint(line, style) + "\n";
}

}  // namespace fernwood
