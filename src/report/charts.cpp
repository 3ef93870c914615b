// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "report/charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "report/text_table.h"

namespace fernwood::report {

using svg::attribute, svg::number;

namespace {

/// Where a chart's axes lie, in units of the drawing, of which there are about as many as pixels.
struct Frame {
  double width, height, left, right, top, bottom;  ///< The last four are margins.

  double end_x() const { return width - right; }
  double end_y() const { return height - bottom; }
};

/// One direction of a chart: numbers from `least` to `greatest`, drawn from `begin` to `end`.
struct Axis {
  double least = 0, greatest = 1, begin = 0, end = 1;
  std::vector<std::pair<double, std::string>> ticks;  ///< Numbers, and what is written there.

  double place(double at) const { return begin + (at - least) / (greatest - least) * (end - begin); }
};

/// 1, 2 or 5 times a power of ten, such that at most five steps reach over `range`, > 0.
double tick_step(double range) {
  constexpr double kMostTicks = 5;
  const double least = range / kMostTicks, power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/// Digits after the point that tell the ticks of such a step apart.
int digits_of(double step) { return std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9))); }

/// Ticks at multiples of a step from the least of the axis to its greatest.
void add_ticks(Axis& axis, double step, const std::string& unit = "") {
  for (int i = 0; axis.least + i * step <= axis.greatest + 1e-6 * step; ++i)
    axis.ticks.emplace_back(axis.least + i * step, fixed(axis.least + i * step, digits_of(step)) + unit);
}

std::string anchored(const std::string& anchor) { return attribute("text-anchor", anchor); }

/// Lines across the chart at the ticks of y, and what is written at them.
std::string y_grid(const Axis& y, const Frame& frame) {
  std::string html;
  for (const auto& [at, value] : y.ticks)
    html += "<path d=\"M" + number(frame.left) + " " + number(y.place(at)) + "H" + number(frame.end_x()) + "\"/>" +
            svg::text(frame.left - 6, y.place(at) + 4, anchored("end"), value);
  return html;
}

std::string tick_label(double x, const Frame& frame, const std::string& label) {
  return svg::text(x, frame.end_y() + 14, anchored("middle"), label);
}

std::string x_title(double middle, const Frame& frame, const std::string& title) {
  return svg::text(middle, frame.height - 8, anchored("middle"), title);
}

std::string whole_chart(const Frame& frame, const std::string& content) {
  return "<div class=\"scroll\">" + svg::drawing("chart", {0, 0, frame.width, frame.height}, "\n" + content) +
         "</div>\n";
}

// Stacked bars.

constexpr Frame kBarFrame{760, 250, 48, 8, 12, 38};
constexpr double kMostPitch = 56, kBarShare = 0.76, kLeastLabelPitch = 20;

std::string stacked_bar(const StackedBars& chart, const Axis& y, std::size_t index, double middle, double width) {
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

constexpr Frame kScatterFrame{900, 460, 56, 12, 12, 40};
constexpr double kRadius = 4, kLargeRadius = 6.5, kGap = 3;
constexpr double kLetterWidth = 6, kLineHeight = 11;

/// Over all values, to whole ticks on either side.
Axis linear_axis(const std::vector<double>& values) {
  Axis axis{.begin = kScatterFrame.end_y(), .end = kScatterFrame.top, .ticks = {}};
  const auto [least, greatest] = std::ranges::minmax(values);
  const double step = tick_step(greatest > least ? greatest - least : 1);
  axis.least = std::floor(least / step) * step;
  axis.greatest = std::max(std::ceil(greatest / step) * step, axis.least + step);
  add_ticks(axis, step);
  return axis;
}

/// Over all powers of ten and some more, for names; ticks at round numbers. Twice as long is as far everywhere.
Axis logarithmic_axis(const std::vector<double>& powers) {
  constexpr double kMargin = 0.05, kLeastRange = 0.4, kLongRange = 1.2;  // in powers of ten
  Axis axis{.begin = kScatterFrame.left, .end = kScatterFrame.end_x(), .ticks = {}};
  const auto [least, greatest] = std::ranges::minmax(powers);
  const double margin = std::max(kMargin, (kLeastRange - (greatest - least)) / 2);
  axis.least = least - margin;
  axis.greatest = greatest + margin;
  const bool is_long = axis.greatest - axis.least > kLongRange;
  for (int power = static_cast<int>(std::floor(axis.least)); power <= axis.greatest; ++power)
    for (const double factor : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0}) {
      const double at = power + std::log10(factor);
      if (at < axis.least || at > axis.greatest || (is_long && factor != 1 && factor != 2 && factor != 5)) continue;
      axis.ticks.emplace_back(at, fixed(factor * std::pow(10.0, power), std::max(0, (factor == 1.5 ? 1 : 0) - power)));
    }
  return axis;
}

struct Box {
  double left, top, right, bottom;

  bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/// A point in its place.
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

/// The name beside its point, where none of `taken` is, which then holds it, too; empty when there is no room.
std::string place_name(const Dot& dot, std::vector<Box>& taken) {
  const Frame& frame = kScatterFrame;
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

}  // namespace

std::string stacked_bars(const StackedBars& chart) {
  const Frame& frame = kBarFrame;
  const std::size_t num_bars = chart.series.empty() ? 0 : chart.series[0].values.size();
  Axis y{.greatest = highest_bar(chart, num_bars), .begin = frame.end_y(), .end = frame.top, .ticks = {}};
  if (!(y.greatest > 0)) return "";
  add_ticks(y, tick_step(y.greatest), " " + chart.unit);
  const double pitch = std::min(kMostPitch, (frame.end_x() - frame.left) / static_cast<double>(num_bars));
  const auto label_every = static_cast<std::size_t>(std::ceil(kLeastLabelPitch / pitch));
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
  const Frame& frame = kScatterFrame;
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
  const Axis x = logarithmic_axis(powers), y = linear_axis(values);

  std::string html = y_grid(y, frame);
  for (const auto& [at, value] : x.ticks)
    html += "<path d=\"M" + number(x.place(at)) + " " + number(frame.top) + "V" + number(frame.end_y()) + "\"/>" +
            tick_label(x.place(at), frame, value);
  const std::string turned =
      "translate(12 " + number((frame.top + frame.end_y()) / 2) + ") rotate(-90)";  // along the axis
  html += x_title((frame.left + frame.end_x()) / 2, frame, chart.x_name) +
          svg::text(0, 0, anchored("middle") + attribute("transform", turned), chart.y_name) + "\n";

  std::vector<Dot> dots;
  std::vector<Box> taken;
  for (std::size_t i = 0; i < points.size(); ++i) {
    dots.push_back({points[i], x.place(powers[i]), y.place(values[i]), points[i].large ? kLargeRadius : kRadius});
    taken.push_back(dots.back().box());
    html += dots.back().circle();
  }
  for (const Dot& dot : dots) html += place_name(dot, taken);
  return whole_chart(frame, html);
}

std::string series_color(std::size_t index) {
  static constexpr std::array<const char*, kNumSeriesColors> kColors = {
      "#3284d0", "#be6517", "#319751", "#a462b4", "#9b7e00", "#0096a8", "#c65954", "#7971d0",
      "#91c3f6", "#ebaf86", "#94cf9f", "#d8abe2", "#d0be79", "#71cfd9", "#f2a7a1", "#b7b6f6"};
  return kColors[index];
}

}  // namespace fernwood::report
