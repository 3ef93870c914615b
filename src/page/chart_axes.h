// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Common parts of charts: axes with round ticks, lines, titles.

#include <string>
#include <utility>
#include <vector>

namespace fernwood::page {

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
