// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The template of a page that opens offline, and what pages are made of. Text that comes from outside goes through
// escape(); parameters called html are taken as they are.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/text.h"
#include "fernwood/image/labels.h"

namespace fernwood::report {

/// A value, and what it is.
using Fact = std::pair<std::string, std::string>;

struct PageHead {
  std::string title;          ///< Of the window.
  std::string heading;        ///< The title unless given.
  std::string subtitle_html;  ///< Below the heading; may be empty.
  std::vector<Fact> facts;    ///< As texts.
  std::string style = {};     ///< CSS of this page alone.
};
/// The whole page, with the one style sheet.
std::string page(const PageHead& head, const std::string& body_html);

/// A part of a page with its heading. @param explanation_html  Below it; may be empty.
std::string section(const std::string& heading, const std::string& explanation_html, const std::string& html);
std::string paragraph(const std::string& html);

/// `text` in the font of file names.
std::string code(const std::string& text);
/// A small square in a colour, as CSS names it.
std::string swatch(const std::string& color);
/// The square of a class, and its name.
std::string class_label(const image::ClassInfo& info);
/// "61.1 %"; a dash for NaN.
std::string percent_sign(double share);
/// Part of a whole as a bar. @param color  As CSS names it; empty: the page's own.
std::string bar(double share, const std::string& color = "");
/// The same with its number behind.
std::string bar_and_percent(double share, const std::string& color = "");

/// A picture as an address, to be used where HTML or SVG wants one. @param mime  For example "image/png".
std::string data_address(std::span<const std::uint8_t> encoded, const std::string& mime);
/// Pictures within the page: photos as JPEG, flat colours as PNG, which keeps them exactly and small.
std::string photo(const Array2<image::Rgb>& picture, const std::string& alt);
std::string flat_picture(const Array2<image::Rgb>& picture, const std::string& alt);

struct HtmlColumn {
  std::string heading, css_class = {};
};
inline HtmlColumn number_column(std::string heading) { return {std::move(heading), "num"}; }

/// A table that scrolls where it is too wide.
class HtmlTable {
 public:
  /// @param columns  The row of headings is left out when all are empty.
  explicit HtmlTable(std::vector<HtmlColumn> columns, const std::string& css_class = "");
  /// @param cells_html  The last of fewer than there are columns reaches to the end.
  void row(const std::vector<std::string>& cells_html, const std::string& css_class = "");
  std::string html() const;

 private:
  std::vector<HtmlColumn> columns_;
  std::string html_;
};

}  // namespace fernwood::report
