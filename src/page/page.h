// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The template of pages that open offline, and their elements. Text from outside must pass through escape(); parameters
// named html are inserted unchanged.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/text.h"

namespace fernwood::page {

/// A name and its value.
using Fact = std::pair<std::string, std::string>;

struct PageHead {
  std::string title;          ///< Of the window.
  std::string heading;        ///< Empty: the title.
  std::string subtitle_html;  ///< Below the heading; may be empty.
  std::vector<Fact> facts;    ///< Plain text.
  std::string style = {};     ///< CSS of this page only.
};
/// The complete page, with the common style sheet.
std::string html_page(const PageHead& head, const std::string& body_html);

/// A section of a page with its heading. @param explanation_html  Shown below the heading; may be empty.
std::string section(const std::string& heading, const std::string& explanation_html, const std::string& html);
std::string paragraph(const std::string& html);

/// `text` in the font of file names.
std::string code(const std::string& text);
/// A small square in a CSS colour.
std::string swatch(const std::string& color);
/// "61.1 %"; a dash for NaN.
std::string percent_sign(double share);
/// A share of a whole as a bar. @param color  In CSS; empty: the page's own.
std::string bar(double share, const std::string& color = "");
/// bar() followed by its percentage.
std::string bar_and_percent(double share, const std::string& color = "");

/// An image as a data URL, for HTML or SVG. @param mime  For example "image/png".
std::string data_address(std::span<const std::uint8_t> encoded, const std::string& mime);
/// An image embedded in a page.
std::string image_element(std::span<const std::uint8_t> encoded, const std::string& mime, const std::string& alt);

struct HtmlColumn {
  std::string heading, css_class = {};
};
inline HtmlColumn number_column(std::string heading) { return {std::move(heading), "num"}; }

/// A table that scrolls if it is too wide.
class HtmlTable {
 public:
  /// @param columns  Columns; the row of headings is left out if all are empty.
  explicit HtmlTable(std::vector<HtmlColumn> columns, const std::string& css_class = "");
  /// @param cells_html  If there are fewer cells than columns, the last one spans the rest.
  void row(const std::vector<std::string>& cells_html, const std::string& css_class = "");
  std::string html() const;

 private:
  std::vector<HtmlColumn> columns_;
  std::string html_;
};

}  // namespace fernwood::page
