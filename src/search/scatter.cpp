// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/scatter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "evaluate/axis_ticks.h"
#include "evaluate/format.h"
#include "fernwood/core/html.h"

namespace fernwood::search {

const char* const kScatterStyle = R"(<style>
.scatter { display: block; width: 100%; min-width: 42rem; max-width: 70rem; height: auto; margin: .6rem 0;
  font: 11px system-ui, sans-serif; font-variant-numeric: tabular-nums; }
.scatter text { fill: var(--soft); }
.scatter text.name { fill: var(--ink); }
.scatter path { stroke: var(--line); }
.scatter circle { stroke: var(--page); stroke-width: .7; }
</style>
)";

namespace {

// In units of the drawing, of which there are about as many as pixels.
constexpr double kWidth = 900, kHeight = 460, kLeft = 56, kRight = 12, kTop = 12, kBottom = 40;
constexpr double kRadius = 4, kLargeRadius = 6.5, kGap = 3;
constexpr double kLetterWidth = 5.6, kLineHeight = 11;

std::string number(double value) { return evaluate::fixed(value, 2); }

/// One direction of the chart: numbers from `least` to `greatest`, drawn from `begin` to `end`.
struct Axis {
  double least = 0, greatest = 1, begin = 0, end = 1;
  std::vector<std::pair<double, std::string>> ticks;  ///< Numbers, and what is written there.

  double place(double at) const { return begin + (at - least) / (greatest - least) * (end - begin); }
};

/// What a time is drawn by: twice as long is as far everywhere.
double x_of(const ScatterPoint& point) { return std::log10(point.x); }
double y_of(const ScatterPoint& point) { return point.y; }

std::pair<double, double> range_of(const std::vector<ScatterPoint>& points, double (*number_of)(const ScatterPoint&)) {
  double least = std::numeric_limits<double>::infinity(), greatest = -least;
  for (const ScatterPoint& point : points) {
    least = std::min(least, number_of(point));
    greatest = std::max(greatest, number_of(point));
  }
  return {least, greatest};
}

/// Over all y, to whole ticks on either side.
Axis linear_axis(const std::vector<ScatterPoint>& points) {
  Axis axis{.begin = kHeight - kBottom, .end = kTop, .ticks = {}};
  const auto [least, greatest] = range_of(points, y_of);
  const double step = evaluate::tick_step(greatest > least ? greatest - least : 1);
  axis.least = std::floor(least / step) * step;
  axis.greatest = std::max(std::ceil(greatest / step) * step, axis.least + step);
  for (int i = 0; axis.least + i * step <= axis.greatest + 0.01 * step; ++i)
    axis.ticks.emplace_back(axis.least + i * step, evaluate::fixed(axis.least + i * step, evaluate::digits_of(step)));
  return axis;
}

/// Over all x and some more, for names; ticks at round numbers.
Axis logarithmic_axis(const std::vector<ScatterPoint>& points) {
  constexpr double kMargin = 0.05, kLeastRange = 0.4, kLongRange = 1.2;  // in powers of ten
  Axis axis{.begin = kLeft, .end = kWidth - kRight, .ticks = {}};
  const auto [least, greatest] = range_of(points, x_of);
  const double margin = std::max(kMargin, (kLeastRange - (greatest - least)) / 2);
  axis.least = least - margin;
  axis.greatest = greatest + margin;
  const bool is_long = axis.greatest - axis.least > kLongRange;
  for (int power = static_cast<int>(std::floor(axis.least)); power <= axis.greatest; ++power)
    for (const double factor : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0}) {
      const double at = power + std::log10(factor);
      if (at < axis.least || at > axis.greatest || (is_long && factor != 1 && factor != 2 && factor != 5)) continue;
      axis.ticks.emplace_back(
          at, evaluate::fixed(factor * std::pow(10.0, power), std::max(0, (factor == 1.5 ? 1 : 0) - power)));
    }
  return axis;
}

struct Box {
  double left, top, right, bottom;

  bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

std::string text(double x, double y, const std::string& attributes, const std::string& content) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + attributes + ">" + html_escape(content) + "</text>";
}

/// Finds room for names beside points.
class Labels {
 public:
  Labels(const std::vector<ScatterPoint>& points, const Axis& x, const Axis& y) : x_(x), y_(y) {
    for (const ScatterPoint& point : points) taken_.push_back(around(point));
  }

  std::string place(const ScatterPoint& point) {
    const Box dot = around(point);
    const auto letters = std::count_if(point.name.begin(), point.name.end(), [](char c) { return (c & 0xC0) != 0x80; });
    const double width = kLetterWidth * static_cast<double>(letters), middle_x = (dot.left + dot.right) / 2,
                 middle_y = (dot.top + dot.bottom) / 2;
    struct Side {
      double left, anchor_x;
      const char* anchor;
    };
    const Side sides[] = {{dot.right + kGap, dot.right + kGap, "start"},
                          {dot.left - kGap - width, dot.left - kGap, "end"},
                          {middle_x - width / 2, middle_x, "middle"}};
    for (const double top : {middle_y - kLineHeight / 2, dot.top - kLineHeight, dot.bottom})
      for (const Side& side : sides) {
        const Box box{side.left, top, side.left + width, top + kLineHeight};
        if (!is_free(box)) continue;
        taken_.push_back(box);
        return text(side.anchor_x, top + kLineHeight - 2,
                    "class=\"name\" text-anchor=\"" + std::string(side.anchor) + "\"", point.name);
      }
    return "";
  }

 private:
  Box around(const ScatterPoint& point) const {
    const double radius = point.large ? kLargeRadius : kRadius, x = x_.place(x_of(point)), y = y_.place(y_of(point));
    return {x - radius, y - radius, x + radius, y + radius};
  }
  bool is_free(const Box& box) const {
    return box.left >= kLeft && box.right <= kWidth - kRight && box.top >= kTop - kLineHeight &&
           box.bottom <= kHeight - kBottom &&
           std::ranges::none_of(taken_, [&](const Box& other) { return box.overlaps(other); });
  }

  const Axis &x_, &y_;
  std::vector<Box> taken_;
};

/// Lines across the chart with the value of each.
std::string grid(const Axis& x, const Axis& y, const ScatterChart& chart) {
  std::string svg;
  for (const auto& [at, value] : y.ticks)
    svg += "<path d=\"M" + number(kLeft) + " " + number(y.place(at)) + "H" + number(kWidth - kRight) + "\"/>" +
           text(kLeft - 6, y.place(at) + 4, "text-anchor=\"end\"", value);
  for (const auto& [at, value] : x.ticks)
    svg += "<path d=\"M" + number(x.place(at)) + " " + number(kTop) + "V" + number(kHeight - kBottom) + "\"/>" +
           text(x.place(at), kHeight - kBottom + 14, "text-anchor=\"middle\"", value);
  return svg + text((kLeft + kWidth - kRight) / 2, kHeight - 8, "text-anchor=\"middle\"", chart.x_name) +
         text(0, 0,
              "text-anchor=\"middle\" transform=\"translate(12 " + number((kTop + kHeight - kBottom) / 2) +
                  ") rotate(-90)\"",
              chart.y_name);
}

std::string dot(const ScatterPoint& point, const Axis& x, const Axis& y) {
  return "<circle cx=\"" + number(x.place(x_of(point))) + "\" cy=\"" + number(y.place(y_of(point))) + "\" r=\"" +
         number(point.large ? kLargeRadius : kRadius) + "\" fill=\"" + point.color + "\"><title>" +
         html_escape(point.name + ": " + number(point.x) + ", " + number(point.y)) + "</title></circle>\n";
}

}  // namespace

std::string scatter_svg(const ScatterChart& chart) {
  std::vector<ScatterPoint> points = chart.points;
  std::erase_if(points,
                [](const ScatterPoint& point) { return !std::isfinite(x_of(point)) || !std::isfinite(point.y); });
  if (points.empty()) return "";
  std::ranges::stable_sort(points, [](const auto& a, const auto& b) { return a.large > b.large; });
  const Axis x = logarithmic_axis(points), y = linear_axis(points);
  Labels labels(points, x, y);
  std::string dots, names;
  for (const ScatterPoint& point : points) {
    dots += dot(point, x, y);
    names += labels.place(point);
  }
  return "<div class=\"scroll\"><svg class=\"scatter\" viewBox=\"0 0 " + number(kWidth) + " " + number(kHeight) +
         "\" role=\"img\">\n" + grid(x, y, chart) + "\n" + dots + names + "</svg></div>\n";
}

}  // namespace fernwood::search
