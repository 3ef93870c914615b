// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>

#include "core/text_table.h"
#include "page/charts.h"

namespace fernwood::page {

using svg::attribute, svg::number;

namespace {

// Means with their intervals.

constexpr ChartFrame kIntervalFrame{380, 220, 44, 10, 10, 24};
constexpr double kMeanRadius = 4, kCorner = 10;

/// Choices have no ticks. The axis begins away from the corner, where the first tick of y is.
ChartAxis interval_axis(const IntervalChart& chart, const ChartFrame& frame) {
  const double begin = frame.left + kCorner;
  if (!chart.choices.empty()) return {-0.5, static_cast<double>(chart.choices.size()) - 0.5, begin, frame.end_x(), {}};
  std::vector<double> places = {chart.logarithmic ? std::log10(chart.marked_x) : chart.marked_x};
  for (const IntervalPoint& point : chart.points) places.push_back(chart.logarithmic ? std::log10(point.x) : point.x);
  return chart.logarithmic ? logarithmic_axis(places, begin, frame.end_x())
                           : linear_axis(places, begin, frame.end_x(), "", chart.whole ? 1 : 0);
}

std::string interval(const IntervalPoint& point, double x, const ChartAxis& y) {
  const auto place = [&](double value) { return number(y.place(std::clamp(value, y.least, y.greatest))); };
  std::string html = "<g>" + svg::tooltip(point.name);
  if (!std::isnan(point.low))
    html += chart_line("reach", "M" + number(x) + " " + place(point.low) + "V" + place(point.high));
  return html + "<circle" + attribute("cx", x) + attribute("cy", place(point.mean)) + attribute("r", kMeanRadius) +
         attribute("fill", "var(--accent)") + "/></g>\n";
}

// Bars in groups.

constexpr ChartFrame kGroupedFrame{900, 250, 48, 8, 26, 38};
constexpr double kMaxGroupedPitch = 24, kMinNumberPitch = 26, kTitleGap = 3;

std::string grouped_bar(const GroupedBar& bar, const ChartAxis& y, double left, double pitch) {
  const double gap = pitch > 4 ? 1 : 0;
  return "<rect class=\"bare\"" + attribute("x", left + gap / 2) + attribute("y", y.place(bar.value)) +
         attribute("width", pitch - gap) + attribute("height", y.begin - y.place(bar.value)) +
         attribute("fill", bar.color) + ">" + svg::tooltip(bar.name) + "</rect>\n";
}

/// The name, or only the number, if there is space.
std::string group_title_above(const std::string& name, std::size_t index, double begin, double width,
                              const ChartFrame& frame) {
  const std::string digits = std::to_string(index + 1);
  for (const std::string& title : {name + " " + digits, digits})
    if (kLetterWidth * static_cast<double>(width_of(title)) + kTitleGap < width)
      return svg::text(begin + kTitleGap, frame.top - 6, "", title);
  return "";
}

}  // namespace

std::string interval_chart(const IntervalChart& chart) {
  if (chart.points.empty()) return "";
  std::vector<std::vector<std::string>> names;
  const double pitch = (kIntervalFrame.end_x() - kIntervalFrame.left) / static_cast<double>(chart.choices.size());
  for (const std::string& choice : chart.choices)
    names.push_back(broken_list(choice, std::max<std::size_t>(2, static_cast<std::size_t>(pitch / kLetterWidth))));
  std::size_t num_lines = 1;
  for (const std::vector<std::string>& lines : names) num_lines = std::max(num_lines, lines.size());
  ChartFrame frame = kIntervalFrame;
  frame.bottom += static_cast<double>(num_lines - 1) * kLineHeight;
  frame.height += static_cast<double>(num_lines - 1) * kLineHeight;
  const ChartAxis y = linear_axis({chart.least, chart.greatest}, frame.end_y(), frame.top, chart.unit);
  const ChartAxis x = interval_axis(chart, frame);
  const auto place = [&](double at) { return x.place(chart.logarithmic ? std::log10(at) : at); };
  std::string html = y_grid(y, frame) + x_grid(x, frame);
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t k = 0; k < names[i].size(); ++k)
      html += svg::text(place(static_cast<double>(i)), frame.end_y() + 14 + static_cast<double>(k) * kLineHeight,
                        anchored("middle"), names[i][k]);
  html += upright_line("mark", place(chart.marked_x), frame);
  std::string path;
  for (const IntervalPoint& point : chart.points)
    path += (path.empty() ? "M" : "L") + number(place(point.x)) + " " + number(y.place(point.mean));
  if (chart.choices.empty()) html += chart_line("steps", path);
  for (const IntervalPoint& point : chart.points) html += interval(point, place(point.x), y);
  return whole_chart(frame, html);
}

std::string grouped_bars(const GroupedBars& chart) {
  const ChartFrame& frame = kGroupedFrame;
  std::size_t num_bars = 0;
  for (const std::vector<GroupedBar>& group : chart.groups) num_bars += group.size();
  if (num_bars == 0) return "";
  ChartAxis y{.greatest = chart.greatest, .begin = frame.end_y(), .end = frame.top, .ticks = {}};
  add_ticks(y, std::max(1.0, tick_step(y.greatest)));
  const double pitch = std::min(kMaxGroupedPitch, (frame.end_x() - frame.left) / static_cast<double>(num_bars));
  const double end = frame.left + pitch * static_cast<double>(num_bars);
  std::string html = "<rect class=\"ground\"" + attribute("x", frame.left) + attribute("y", frame.top) +
                     attribute("width", end - frame.left) + attribute("height", frame.end_y() - frame.top) + "/>";
  const auto label_every = static_cast<std::size_t>(tick_step(5 * std::max(1.0, kMinNumberPitch / pitch)));
  std::size_t index = 0;
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    const double begin = frame.left + pitch * static_cast<double>(index);
    const double width = pitch * static_cast<double>(chart.groups[g].size());
    for (const GroupedBar& bar : chart.groups[g]) {
      const double left = frame.left + pitch * static_cast<double>(index);
      html += grouped_bar(bar, y, left, pitch);
      if (index % label_every == 0) html += tick_label(left + pitch / 2, frame, std::to_string(index));
      ++index;
    }
    html += upright_line("mark", begin, frame) + group_title_above(chart.group_name, g, begin, width, frame) + "\n";
  }
  return whole_chart(frame, html + y_grid(y, frame) + y_title(frame, chart.y_name) +
                                x_title((frame.left + end) / 2, frame, chart.x_name));
}

}  // namespace fernwood::page
