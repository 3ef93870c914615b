// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "page/chart_axes.h"
#include "page/charts.h"

namespace fernwood::page {

using svg::attribute, svg::number;

namespace {

constexpr ChartFrame kLineFrame{900, 260, 56, 12, 12, 38};

/// Line segments between adjacent values; an isolated value is a dot.
std::string broken_line(const LineSeries& series, const ChartAxis& x, const ChartAxis& y) {
  std::string path;
  bool goes_on = false;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const bool has_value = std::isfinite(series.values[i]);
    if (has_value) {
      const std::string place = number(x.place(static_cast<double>(i))) + " " + number(y.place(series.values[i]));
      path += goes_on ? "L" + place : "M" + place + "h.01";
    }
    goes_on = has_value;
  }
  return "<path class=\"series\" stroke-linecap=\"round\"" + attribute("style", "stroke:" + series.color) +
         attribute("d", path) + ">" + svg::tooltip(series.name) + "</path>\n";
}

}  // namespace

std::string line_chart(const LineChart& chart) {
  const ChartFrame& frame = kLineFrame;
  std::size_t num_times = 0;
  std::vector<double> values = {0};
  for (const LineSeries& series : chart.series) {
    num_times = std::max(num_times, series.values.size());
    std::ranges::copy_if(series.values, std::back_inserter(values), [](double value) { return std::isfinite(value); });
  }
  if (values.size() == 1) return "";
  const ChartAxis y = linear_axis(values, frame.end_y(), frame.top, " " + chart.unit);
  ChartAxis x{.greatest = std::max(1.0, static_cast<double>(num_times) - 1),
              .begin = frame.left,
              .end = frame.end_x(),
              .ticks = {}};
  add_ticks(x, std::max(1.0, tick_step(x.greatest)));
  std::string html = y_grid(y, frame) + x_grid(x, frame) + "\n";
  for (const LineSeries& series : chart.series) html += broken_line(series, x, y);
  return whole_chart(frame, html + x_title((frame.left + frame.end_x()) / 2, frame, chart.x_name));
}

}  // namespace fernwood::page
