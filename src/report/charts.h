// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Pieces of SVG, and charts made of them, which follow the reader's light or dark mode.

#include <string>
#include <utility>
#include <vector>

#include "fernwood/image/palette.h"
#include "fernwood/report/format.h"
#include "report/page.h"

namespace fernwood::report {

namespace svg {

inline std::string number(double value) { return fixed(value, 2); }

/// A blank, and the attribute.
inline std::string attribute(const std::string& name, const std::string& value) {
  return " " + name + "=\"" + value + "\"";
}
inline std::string attribute(const std::string& name, double value) { return attribute(name, number(value)); }

/// @param attributes  Such as attribute() gives.
inline std::string text(double x, double y, const std::string& attributes, const std::string& content) {
  return "<text" + attribute("x", x) + attribute("y", y) + attributes + ">" + escape(content) + "</text>";
}

/// What the mouse shows over an element.
inline std::string tooltip(const std::string& text) { return "<title>" + escape(text) + "</title>"; }

struct ViewBox {
  double x = 0, y = 0, width = 0, height = 0;
};

inline std::string drawing(const std::string& css_class, const ViewBox& box, const std::string& content) {
  return "<svg" + attribute("class", css_class) + " viewBox=\"" + number(box.x) + " " + number(box.y) + " " +
         number(box.width) + " " + number(box.height) + "\" role=\"img\">" + content + "</svg>";
}

}  // namespace svg

/// Parts of stacked bars that belong together.
struct BarSeries {
  std::string name, color;     ///< The colour as CSS names it.
  std::vector<double> values;  ///< [bar], each >= 0.
};

/// Legible up to some 60 bars.
struct StackedBars {
  std::vector<BarSeries> series;  ///< From the bottom up.
  std::string bar_name, unit;     ///< Of a bar, which are numbered from 0: "level"; of values: "s".
};

/// The chart without a legend; empty when there is nothing above 0. The highest bar reaches the top.
std::string stacked_bars(const StackedBars& chart);

struct ScatterPoint {
  double x = 1, y = 0;      ///< x > 0: it is drawn by its logarithm.
  std::string name, color;  ///< The colour as CSS names it.
  bool large = false;       ///< To be found first.
  bool quiet = false;       ///< One of many: its name is seen under the mouse only.
};

struct ScatterChart {
  std::vector<ScatterPoint> points;
  std::string x_name, y_name;  ///< With the unit.
  /// Places by growing x, over which a line rises in steps: what is reached with so much of x.
  std::vector<std::pair<double, double>> steps = {};
  double limit_x = 0;           ///< A line across; 0: none.
  std::string limit_name = {};  ///< What stands at it.
};

/// The chart. Names stand beside their points where there is room, large points' first; all are seen under the mouse.
/// Empty when there is no point; points that have no place are left out.
std::string scatter(const ScatterChart& chart);

/// A mean and where the true one lies.
struct IntervalPoint {
  double x = 0, mean = 0, low = 0, high = 0;  ///< NaN for low and high: nothing is known of it.
  std::string name;                           ///< Seen under the mouse.
};

/// Means along a parameter; numbers are joined by a line, choices stand side by side.
struct IntervalChart {
  std::vector<IntervalPoint> points;
  bool logarithmic = false;
  bool whole = false;                     ///< x is a whole number.
  std::vector<std::string> choices = {};  ///< Names of x = 0, 1, …, broken by broken_list(); empty: x is a number.
  double least = 0, greatest = 1;         ///< Means that the chart has room for; intervals are cut off there.
  std::string unit;                       ///< Of means.
  double marked_x = 0;                    ///< A line across.
};

/// The chart, a third of a page wide; empty when there is no point.
std::string interval_chart(const IntervalChart& chart);

struct GroupedBar {
  double value = 0;
  std::string color, name;  ///< The colour as CSS names it; the name is seen under the mouse.
};

/// Bars side by side, numbered from 0 through all groups.
struct GroupedBars {
  std::vector<std::vector<GroupedBar>> groups;
  double greatest = 1;                     ///< That a bar can reach: the ground behind the bars; a whole number.
  std::string group_name, x_name, y_name;  ///< "generation" is numbered from 1.
};

/// The chart, legible up to some 1000 bars; empty when there is none.
std::string grouped_bars(const GroupedBars& chart);

/// Values over time that belong together.
struct LineSeries {
  std::string name, color;     ///< The colour as CSS names it.
  std::vector<double> values;  ///< [time] NaN where there is none: the line is broken there.
};

struct LineChart {
  std::vector<LineSeries> series;
  std::string x_name, unit;  ///< Of times, which are numbered from 0: "frame"; of values: "%".
};

/// The chart without a legend, legible up to some 10,000 times; empty when there is no value.
std::string line_chart(const LineChart& chart);

inline constexpr std::size_t kNumSeriesColors = image::kNumChartColors;
/// Those of image::class_palette(). @param index  Below kNumSeriesColors.
std::string series_color(std::size_t index);
/// For what is left over.
inline constexpr const char* kRestColor = "#8b949c";

}  // namespace fernwood::report
