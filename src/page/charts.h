// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// SVG elements, and charts composed of them, which follow the reader's light or dark mode.

#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/text.h"
#include "page/page.h"

namespace fernwood::page {

namespace svg {

inline std::string number(double value) { return fixed(value, 2); }

/// An attribute, preceded by a blank.
inline std::string attribute(const std::string& name, const std::string& value) {
  return " " + name + "=\"" + value + "\"";
}
inline std::string attribute(const std::string& name, double value) { return attribute(name, number(value)); }

/// @param attributes  In the form of attribute().
inline std::string text(double x, double y, const std::string& attributes, const std::string& content) {
  return "<text" + attribute("x", x) + attribute("y", y) + attributes + ">" + escape(content) + "</text>";
}

/// Text shown when the pointer is over an element.
inline std::string tooltip(const std::string& text) { return "<title>" + escape(text) + "</title>"; }

struct ViewBox {
  double x = 0, y = 0, width = 0, height = 0;
};

inline std::string drawing(const std::string& css_class, const ViewBox& box, const std::string& content) {
  return "<svg" + attribute("class", css_class) + " viewBox=\"" + number(box.x) + " " + number(box.y) + " " +
         number(box.width) + " " + number(box.height) + "\" role=\"img\">" + content + "</svg>";
}

}  // namespace svg

struct ScatterPoint {
  double x = 1, y = 0;      ///< x > 0, shown on a logarithmic scale.
  std::string name, color;  ///< The colour in CSS.
  bool large = false;       ///< Emphasised.
  bool quiet = false;       ///< One of many: its name is shown only in the tooltip.
};

struct ScatterChart {
  std::vector<ScatterPoint> points;
  std::string x_name, y_name;  ///< With units.
  /// Points of a step function, by growing x: the value reached up to each x.
  std::vector<std::pair<double, double>> steps = {};
  double limit_x = 0;           ///< Position of a vertical line; 0: none.
  std::string limit_name = {};  ///< Name of that line.
};

/// The chart. Names are placed beside their points if there is space, those of large points first; all are shown in
/// tooltips. Empty when there are no points; points without valid coordinates are left out.
std::string scatter(const ScatterChart& chart);

/// A mean with its confidence interval.
struct IntervalPoint {
  double x = 0, mean = 0, low = 0, high = 0;  ///< NaN for low and high: unknown.
  std::string name;                           ///< Shown in the tooltip.
};

/// Means as a function of a parameter; numbers are connected by a line, choices stand side by side.
struct IntervalChart {
  std::vector<IntervalPoint> points;
  bool logarithmic = false;
  bool whole = false;                     ///< x is a whole number.
  std::vector<std::string> choices = {};  ///< Names of x = 0, 1, …, split by broken_list(); empty: x is a number.
  double least = 0, greatest = 1;         ///< Range of means in the chart; intervals are clipped to it.
  std::string unit;                       ///< Unit of means.
  double marked_x = 0;                    ///< Position of a vertical line.
};

/// The chart, a third of a page wide; empty when there are no points.
std::string interval_chart(const IntervalChart& chart);

struct GroupedBar {
  double value = 0;
  std::string color, name;  ///< The colour in CSS; the name is shown in the tooltip.
};

/// Bars side by side, numbered from 0 across all groups.
struct GroupedBars {
  std::vector<std::vector<GroupedBar>> groups;
  double greatest = 1;                     ///< Maximum of a bar, shown as its background; a whole number.
  std::string group_name, x_name, y_name;  ///< "batch" is numbered from 1.
};

/// The chart, legible up to about 1000 bars; empty when there are none.
std::string grouped_bars(const GroupedBars& chart);

inline constexpr std::size_t kNumSeriesColors = 16;
/// A colour in CSS: the first ones of image::class_palette(), which are chosen to differ. @param index  Below
/// kNumSeriesColors.
std::string series_color(std::size_t index);
/// Colour of the rest.
inline constexpr const char* kRestColor = "#8b949c";

}  // namespace fernwood::page
