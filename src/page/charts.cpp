// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "page/charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/text_table.h"

namespace fernwood::page {

using svg::attribute, svg::number;

namespace {

// Stacked bars.

constexpr ChartFrame kBarFrame{760, 250, 48, 8, 12, 38};
constexpr double kMaxPitch = 56, kBarShare = 0.76, kMinLabelPitch = 20;

std::string stacked_bar(const StackedBars& chart, const ChartAxis& y, std::size_t index, double middle, double width) {
  const int digits = digits_of(tick_step(y.greatest)) + 1;
  std::string html;
  double bottom = 0;
  for (const BarSeries& series : chart.series) {
    const double value = series.values[index];
    if (!(value > 0)) continue;
    const double top_y = y.place(bottom + value);
    html += "<rect" + attribute("x", middle - width / 2) + attribute("y", top_y) + attribute("width", width) +
            attribute("height", y.place(bottom) - top_y) + attribute("fill", series.color) + ">" +
            svg::tooltip(chart.bar_name + " " + std::to_string(index) + ", " + series.name + ": " +
                         fixed(value, digits) + " " + chart.unit) +
            "</rect>";
    bottom += value;
  }
  return html + "\n";
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

// Points.

constexpr ChartFrame kScatterFrame{900, 460, 56, 12, 12, 40};
constexpr double kRadius = 4, kLargeRadius = 6.5, kQuietRadius = 2.8, kGap = 3;

struct Box {
  double left, top, right, bottom;

  bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

double radius_of(const ScatterPoint& point) {
  return point.large ? kLargeRadius : point.quiet ? kQuietRadius : kRadius;
}

/// A point with its position in the drawing.
struct Dot {
  const ScatterPoint& point;
  double x, y, radius;

  Box box() const { return {x - radius, y - radius, x + radius, y + radius}; }
  std::string circle() const {
    return "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", radius) +
           attribute("fill", point.color) + ">" +
           svg::tooltip(point.name + ": " + number(point.x) + ", " + number(point.y)) + "</circle>\n";
  }
};

/// The name beside its point if it does not overlap `taken`, to which its box is added; empty if there is no space.
std::string place_name(const Dot& dot, std::vector<Box>& taken) {
  const ChartFrame& frame = kScatterFrame;
  const Box around = dot.box();
  const double width = kLetterWidth * static_cast<double>(width_of(dot.point.name));
  struct Side {
    double left, anchor_x;
    const char* anchor;
  };
  const Side sides[] = {{around.right + kGap, around.right + kGap, "start"},
                        {around.left - kGap - width, around.left - kGap, "end"},
                        {dot.x - width / 2, dot.x, "middle"}};
  for (const double top : {dot.y - kLineHeight / 2, around.top - kLineHeight, around.bottom})
    for (const Side& side : sides) {
      const Box box{side.left, top, side.left + width, top + kLineHeight};
      if (box.left < frame.left || box.right > frame.end_x() || top < frame.top - kLineHeight ||
          box.bottom > frame.end_y() || std::ranges::any_of(taken, [&](const Box& it) { return box.overlaps(it); }))
        continue;
      taken.push_back(box);
      return svg::text(side.anchor_x, top + kLineHeight - 2, attribute("class", "name") + anchored(side.anchor),
                       dot.point.name);
    }
  return "";
}

/// The line of the limit with its name, whose box is added to `taken`.
std::string limit_line(const ScatterChart& chart, double place, std::vector<Box>& taken) {
  const ChartFrame& frame = kScatterFrame;
  const double width = kLetterWidth * static_cast<double>(width_of(chart.limit_name));
  const bool is_left = place + kGap + width > frame.end_x();
  const double left = is_left ? place - kGap - width : place + kGap;
  taken.push_back({left, frame.end_y() - kLineHeight - kGap, left + width, frame.end_y() - kGap});
  return upright_line("limit", place, frame) + svg::text(place + (is_left ? -kGap : kGap), frame.end_y() - kGap - 2,
                                                         anchored(is_left ? "end" : "start"), chart.limit_name);
}

std::string steps_line(const ScatterChart& chart, const ChartAxis& x, const ChartAxis& y) {
  std::string path;
  for (const auto& [at, value] : chart.steps) {
    const std::string place_x = number(x.place(std::log10(at))), place_y = number(y.place(value));
    path += path.empty() ? "M" + place_x + " " + place_y : "H" + place_x + "V" + place_y;
  }
  return path.empty() ? "" : chart_line("steps", path) + "\n";
}

}  // namespace

std::string stacked_bars(const StackedBars& chart) {
  const ChartFrame& frame = kBarFrame;
  const std::size_t num_bars = chart.series.empty() ? 0 : chart.series[0].values.size();
  ChartAxis y{.greatest = highest_bar(chart, num_bars), .begin = frame.end_y(), .end = frame.top, .ticks = {}};
  if (!(y.greatest > 0)) return "";
  add_ticks(y, tick_step(y.greatest), " " + chart.unit);
  const double pitch = std::min(kMaxPitch, (frame.end_x() - frame.left) / static_cast<double>(num_bars));
  const auto label_every = static_cast<std::size_t>(std::ceil(kMinLabelPitch / pitch));
  std::string html = y_grid(y, frame) + "\n";
  for (std::size_t i = 0; i < num_bars; ++i) {
    const double middle = frame.left + (static_cast<double>(i) + 0.5) * pitch;
    html += stacked_bar(chart, y, i, middle, kBarShare * pitch);
    if (i % label_every == 0) html += tick_label(middle, frame, std::to_string(i));
  }
  const double middle = frame.left + static_cast<double>(num_bars) * pitch / 2;
  return whole_chart(frame, html + x_title(middle, frame, chart.bar_name));
}

std::string scatter(const ScatterChart& chart) {
  const ChartFrame& frame = kScatterFrame;
  std::vector<ScatterPoint> points = chart.points;
  std::erase_if(points, [](const ScatterPoint& point) {
    return !(point.x > 0) || !std::isfinite(point.x) || !std::isfinite(point.y);
  });
  if (points.empty()) return "";
  std::ranges::stable_sort(points, [](const auto& a, const auto& b) { return a.large > b.large; });
  std::vector<double> powers, values;
  for (const ScatterPoint& point : points) {
    powers.push_back(std::log10(point.x));
    values.push_back(point.y);
  }
  if (chart.limit_x > 0) powers.push_back(std::log10(chart.limit_x));
  const ChartAxis x = logarithmic_axis(powers, frame.left, frame.end_x());
  const ChartAxis y = linear_axis(values, frame.end_y(), frame.top);

  std::string html = y_grid(y, frame) + x_grid(x, frame) +
                     x_title((frame.left + frame.end_x()) / 2, frame, chart.x_name) + y_title(frame, chart.y_name) +
                     "\n";
  std::vector<Dot> dots;
  std::vector<Box> taken;
  if (chart.limit_x > 0) html += limit_line(chart, x.place(std::log10(chart.limit_x)), taken);
  html += steps_line(chart, x, y);
  for (std::size_t i = 0; i < points.size(); ++i) {
    dots.push_back({points[i], x.place(powers[i]), y.place(values[i]), radius_of(points[i])});
    if (!points[i].quiet) taken.push_back(dots.back().box());
  }
  for (auto dot = dots.rbegin(); dot != dots.rend(); ++dot) html += dot->circle();  // large ones above the others
  for (const Dot& dot : dots)
    if (!dot.point.quiet) html += place_name(dot, taken);
  return whole_chart(frame, html);
}

std::string series_color(std::size_t index) {
  static constexpr std::array<const char*, kNumSeriesColors> kColors = {
      "#96c369", "#0096e1", "#f0b400", "#e12d00", "#692d78", "#782d1e", "#0f69ff", "#f04b87",
      "#00d2d2", "#0000ff", "#6900b4", "#d2d2b4", "#d20fb4", "#004b4b", "#96784b", "#5ad2ff"};
  return kColors[index];
}
}  // namespace fernwood::page
