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

/// The values of one colour in stacked bars.
struct BarSeries {
  std::string name, color;     ///< The colour in CSS.
  std::vector<double> values;  ///< [bar], each >= 0.
};

/// Legible up to about 60 bars.
struct StackedBars {
  std::vector<BarSeries> series;  ///< From the bottom up.
  std::string bar_name, unit;     ///< Name of a bar, numbered from 0: "level"; unit of values: "s".
};

/// The chart without a legend; empty when no value is above 0. The highest bar fills the height.
std::string stacked_bars(const StackedBars& chart);

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

// Common parts of charts: axes with round ticks, lines, titles.

/// Minimum space per letter and line of text in charts, in units of the drawing.
inline constexpr double kLetterWidth = 6, kLineHeight = 11;

/// Position of a chart's axes, in units of the drawing, about one per pixel.
struct ChartFrame {
  double width, height, left, right, top, bottom;  ///< The last four are margins.

  double end_x() const { return width - right; }
  double end_y() const { return height - bottom; }
};

/// One direction of a chart: maps numbers from `least` to `greatest` to positions from `begin` to `end`.
struct ChartAxis {
  double least = 0, greatest = 1, begin = 0, end = 1;
  std::vector<std::pair<double, std::string>> ticks;  ///< Numbers and their labels.

  double place(double at) const { return begin + (at - least) / (greatest - least) * (end - begin); }
};

/// The smallest 1, 2 or 5 times a power of ten of which five steps cover `range`, > 0.
double tick_step(double range);
/// Number of decimals that distinguishes the ticks of a step.
int digits_of(double step);
/// Adds ticks at multiples of a step, from the least to the greatest number of the axis.
void add_ticks(ChartAxis& axis, double step, const std::string& unit = "");
std::string anchored(const std::string& anchor);
/// Horizontal grid lines at the ticks of y, with their labels.
std::string y_grid(const ChartAxis& y, const ChartFrame& frame);
std::string tick_label(double x, const ChartFrame& frame, const std::string& label);
/// Vertical grid lines at the ticks of x, with their labels.
std::string x_grid(const ChartAxis& x, const ChartFrame& frame);
std::string x_title(double middle, const ChartFrame& frame, const std::string& title);
/// Title along the y axis, at the chart's left edge.
std::string y_title(const ChartFrame& frame, const std::string& title);
/// @param css_class  Class of the line in the style sheet.
std::string chart_line(const std::string& css_class, const std::string& path);
/// @param place  In units of the drawing.
std::string upright_line(const std::string& css_class, double place, const ChartFrame& frame);
std::string whole_chart(const ChartFrame& frame, const std::string& content);
/// Covers all values, extended to ticks on both sides, which are at least `least_step` apart.
ChartAxis linear_axis(const std::vector<double>& values, double begin, double end, const std::string& unit = "",
                      double least_step = 0);
/// Covers all powers of ten, with a margin for names; ticks at round numbers. Equal ratios have equal lengths.
ChartAxis logarithmic_axis(const std::vector<double>& powers, double begin, double end);

}  // namespace fernwood::page
