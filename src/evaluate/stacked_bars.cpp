// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "evaluate/stacked_bars.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "evaluate/axis_ticks.h"
#include "evaluate/format.h"
#include "fernwood/core/html.h"

namespace fernwood::evaluate {

const char* const kStackedBarsStyle = R"(<style>
.chart { display: block; width: 100%; min-width: 42rem; max-width: 60rem; height: auto; margin: .6rem 0;
  font: 11px system-ui, sans-serif; font-variant-numeric: tabular-nums; }
.chart text { fill: var(--soft); }
.chart path { stroke: var(--line); }
.chart rect { stroke: var(--page); stroke-width: .7; }
</style>
)";

namespace {

// In units of the drawing, of which there are about as many as pixels.
constexpr double kWidth = 760, kHeight = 250, kLeft = 48, kRight = 8, kTop = 12, kBottom = 38;
constexpr double kMostPitch = 56, kBarShare = 0.76, kLeastLabelPitch = 20;

std::string number(double value) { return fixed(value, 2); }

/// Where things stand in the drawing.
struct Plot {
  double top;  ///< Value at the upper edge.
  std::size_t num_bars;

  double y(double value) const { return kHeight - kBottom - value / top * (kHeight - kTop - kBottom); }
  double pitch() const { return std::min(kMostPitch, (kWidth - kLeft - kRight) / static_cast<double>(num_bars)); }
  double middle(std::size_t bar) const { return kLeft + (static_cast<double>(bar) + 0.5) * pitch(); }
};

std::string text(double x, double y, const char* anchor, const std::string& content) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\">" + content + "</text>";
}

std::string grid(const Plot& plot, const std::string& unit) {
  const double step = tick_step(plot.top);
  std::string svg;
  for (int i = 0; i * step <= plot.top * (1 + 1e-9); ++i) {
    const double y = plot.y(i * step);
    svg += "<path d=\"M" + number(kLeft) + " " + number(y) + "H" + number(kWidth - kRight) + "\"/>" +
           text(kLeft - 6, y + 4, "end", fixed(i * step, digits_of(step)) + " " + unit);
  }
  return svg;
}

std::string bar(const StackedBars& chart, const Plot& plot, std::size_t index) {
  const double width = kBarShare * plot.pitch();
  const int digits = digits_of(tick_step(plot.top)) + 1;
  const std::string title = chart.bar_name + " " + std::to_string(index) + ", ";
  std::string svg;
  double bottom = 0;
  for (const BarSeries& series : chart.series) {
    const double value = series.values[index];
    if (!(value > 0)) continue;
    svg += "<rect x=\"" + number(plot.middle(index) - width / 2) + "\" y=\"" + number(plot.y(bottom + value)) +
           "\" width=\"" + number(width) + "\" height=\"" + number(plot.y(bottom) - plot.y(bottom + value)) +
           "\" fill=\"" + series.color + "\"><title>" +
           html_escape(title + series.name + ": " + fixed(value, digits) + " " + chart.unit) + "</title></rect>";
    bottom += value;
  }
  return svg;
}

std::string labels(const StackedBars& chart, const Plot& plot) {
  const auto step = static_cast<std::size_t>(std::ceil(kLeastLabelPitch / plot.pitch()));
  std::string svg;
  for (std::size_t i = 0; i < plot.num_bars; i += step)
    svg += text(plot.middle(i), kHeight - kBottom + 14, "middle", std::to_string(i));
  const double end = kLeft + static_cast<double>(plot.num_bars) * plot.pitch();
  return svg + text((kLeft + end) / 2, kHeight - 8, "middle", html_escape(chart.bar_name));
}

double highest_bar(const StackedBars& chart, std::size_t num_bars) {
  double highest = 0;
  for (std::size_t i = 0; i < num_bars; ++i) {
    double sum = 0;
    for (const BarSeries& series : chart.series) sum += series.values[i];
    highest = std::max(highest, sum);
  }
  return highest;
}

}  // namespace

std::string stacked_bars_svg(const StackedBars& chart) {
  const std::size_t num_bars = chart.series.empty() ? 0 : chart.series[0].values.size();
  const Plot plot{highest_bar(chart, num_bars), num_bars};
  if (!(plot.top > 0)) return "";
  std::string svg = "<div class=\"scroll\"><svg class=\"chart\" viewBox=\"0 0 " + number(kWidth) + " " +
                    number(kHeight) + "\" role=\"img\">\n" + grid(plot, chart.unit) + "\n";
  for (std::size_t i = 0; i < num_bars; ++i) svg += bar(chart, plot, i) + "\n";
  return svg + labels(chart, plot) + "</svg></div>\n";
}

std::string series_color(std::size_t index) {
  static constexpr std::array<const char*, kNumSeriesColors> kColors = {
      "#3284d0", "#be6517", "#319751", "#a462b4", "#9b7e00", "#0096a8", "#c65954", "#7971d0",
      "#91c3f6", "#ebaf86", "#94cf9f", "#d8abe2", "#d0be79", "#71cfd9", "#f2a7a1", "#b7b6f6"};
  return kColors[index];
}

}  // namespace fernwood::evaluate
