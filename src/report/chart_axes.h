// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What charts have in common: axes with round ticks, lines, titles.

#include <string>
#include <utility>
#include <vector>

namespace fernwood::report {

/// Of names in charts, at least, in units of the drawing.
inline constexpr double kLetterWidth = 6, kLineHeight = 11;

/// Where a chart's axes lie, in units of the drawing, of which there are about as many as pixels.
struct ChartFrame {
  double width, height, left, right, top, bottom;  ///< The last four are margins.

  double end_x() const { return width - right; }
  double end_y() const { return height - bottom; }
};

/// One direction of a chart: numbers from `least` to `greatest`, drawn from `begin` to `end`.
struct ChartAxis {
  double least = 0, greatest = 1, begin = 0, end = 1;
  std::vector<std::pair<double, std::string>> ticks;  ///< Numbers, and what is written there.

  double place(double at) const { return begin + (at - least) / (greatest - least) * (end - begin); }
};

/// 1, 2 or 5 times a power of ten, such that at most five steps reach over `range`, > 0.
double tick_step(double range);
/// Digits after the point that tell the ticks of such a step apart.
int digits_of(double step);
/// Ticks at multiples of a step from the least of the axis to its greatest.
void add_ticks(ChartAxis& axis, double step, const std::string& unit = "");
std::string anchored(const std::string& anchor);
/// Lines across the chart at the ticks of y, and what is written at them.
std::string y_grid(const ChartAxis& y, const ChartFrame& frame);
std::string tick_label(double x, const ChartFrame& frame, const std::string& label);
/// Lines up the chart at the ticks of x, and what is written at them.
std::string x_grid(const ChartAxis& x, const ChartFrame& frame);
std::string x_title(double middle, const ChartFrame& frame, const std::string& title);
/// Along the axis, at the chart's left edge.
std::string y_title(const ChartFrame& frame, const std::string& title);
/// @param css_class  Of the line, as the style sheet has them.
std::string chart_line(const std::string& css_class, const std::string& path);
/// @param place  In units of the drawing.
std::string upright_line(const std::string& css_class, double place, const ChartFrame& frame);
std::string whole_chart(const ChartFrame& frame, const std::string& content);
/// Over all values, to whole ticks on either side, which are not closer than `least_step`.
ChartAxis linear_axis(const std::vector<double>& values, double begin, double end, const std::string& unit = "",
                      double least_step = 0);
/// Over all powers of ten and some more, for names; ticks at round numbers. Twice as long is as far everywhere.
ChartAxis logarithmic_axis(const std::vector<double>& powers, double begin, double end);

}  // namespace fernwood::report
