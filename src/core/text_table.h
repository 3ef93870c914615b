// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Text for terminals: colours, aligned columns, facts. Widths are in columns, one per UTF-8 code point.

#include <string>
#include <utility>
#include <vector>

namespace fernwood {

inline constexpr std::size_t kMaxColumns = 100;

/// Writes text with ANSI colours, or without.
struct Painter {
  bool color = false;

  /// @param style  An ANSI code such as "1;32"; empty: none.
  std::string paint(const std::string& text, const std::string& style) const;
  std::string bold(const std::string& text) const { return paint(text, "1"); }
  std::string dim(const std::string& text) const { return paint(text, "2"); }
};

std::size_t width_of(const std::string& text);
/// The first `width` columns, with "…" if text is cut.
std::string clip(const std::string& text, std::size_t width);
/// Pads a text with blanks to `width`.
std::string padded(const std::string& text, std::size_t width);
/// Lines of at most `width`, broken between words.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

/// Lines of at most `width`, > 0, broken after commas and blanks; a longer word is clipped.
std::vector<std::string> broken_list(const std::string& text, std::size_t width);

/// Lines of a name and a value; rows without a value are left out.
/// @param name_width   Width of the column of names, including blanks.
/// @param max_columns  Longer lines are clipped; 0: unlimited.
std::string facts(const std::vector<std::pair<std::string, std::string>>& rows, std::size_t name_width,
                  const Painter& painter = {}, std::size_t max_columns = 0);

struct TextColumn {
  std::string heading;
  std::size_t width = 0;
  bool left_aligned = false;
};
inline TextColumn left(std::string heading, std::size_t width) { return {std::move(heading), width, true}; }
inline TextColumn right(std::string heading, std::size_t width) { return {std::move(heading), width, false}; }

struct TextCell {
  std::string text, style = {};
  TextCell(std::string shown, std::string shown_style = "") : text(std::move(shown)), style(std::move(shown_style)) {}
  TextCell(const char* shown) : text(shown) {}
};

/// Rows of aligned cells, separated by blanks; cells too long for their column are clipped.
class TextTable {
 public:
  /// The headings become the first row, in bold, unless all are empty.
  /// @param lead_width  Width of text before the first column, such as swatches.
  explicit TextTable(std::vector<TextColumn> columns, const Painter& painter = {}, std::size_t lead_width = 0);
  /// @param cells  At most as many as columns.
  /// @param style  ANSI code for the whole row, as for Painter.
  void row(const std::vector<TextCell>& cells, const std::string& style = "", const std::string& lead = "");
  /// A line independent of the columns.
  void line(const std::string& text) { text_ += text + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::vector<TextColumn> columns_;
  Painter painter_;
  std::string text_;
};

/// Writes only the first and the last rows of a long table.
/// @param row  row(i) adds row i of `count`. @param what  Plural noun for the rows.
template <typename Row>
void add_first_and_last(TextTable& table, std::size_t count, const char* what, const Row& row) {
  constexpr std::size_t kMost = 12, kFirst = 5, kLast = 3;
  for (std::size_t i = 0; i < count; ++i) {
    if (count > kMost && i == kFirst) {
      i = count - kLast;
      table.line("...     " + std::to_string(i - kFirst) + " " + what + " more");
    }
    row(i);
  }
}

}  // namespace fernwood
