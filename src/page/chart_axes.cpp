// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "page/charts.h"

#include <algorithm>
#include <cmath>

namespace fernwood::page {

using svg::attribute, svg::number;

double tick_step(double range) {
  constexpr double kMaxTicks = 5;
  const double least = range / kMaxTicks, power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

int digits_of(double step) { return std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9))); }

void add_ticks(ChartAxis& axis, double step, const std::string& unit) {
  for (int i = 0; axis.least + i * step <= axis.greatest + 1e-6 * step; ++i)
    axis.ticks.emplace_back(axis.least + i * step, fixed(axis.least + i * step, digits_of(step)) + unit);
}

std::string anchored(const std::string& anchor) { return attribute("text-anchor", anchor); }

std::string y_grid(const ChartAxis& y, const ChartFrame& frame) {
  std::string html;
  for (const auto& [at, value] : y.ticks)
    html += "<path d=\"M" + number(frame.left) + " " + number(y.place(at)) + "H" + number(frame.end_x()) + "\"/>" +
            svg::text(frame.left - 6, y.place(at) + 4, anchored("end"), value);
  return html;
}

std::string tick_label(double x, const ChartFrame& frame, const std::string& label) {
  return svg::text(x, frame.end_y() + 14, anchored("middle"), label);
}

std::string x_grid(const ChartAxis& x, const ChartFrame& frame) {
  std::string html;
  for (const auto& [at, value] : x.ticks)
    html += "<path d=\"M" + number(x.place(at)) + " " + number(frame.top) + "V" + number(frame.end_y()) + "\"/>" +
            tick_label(x.place(at), frame, value);
  return html;
}

std::string x_title(double middle, const ChartFrame& frame, const std::string& title) {
  return svg::text(middle, frame.height - 8, anchored("middle"), title);
}

std::string y_title(const ChartFrame& frame, const std::string& title) {
  const std::string turned = "translate(12 " + number((frame.top + frame.end_y()) / 2) + ") rotate(-90)";
  return svg::text(0, 0, anchored("middle") + attribute("transform", turned), title);
}

std::string chart_line(const std::string& css_class, const std::string& path) {
  return "<path" + attribute("class", css_class) + attribute("d", path) + "/>";
}

std::string upright_line(const std::string& css_class, double place, const ChartFrame& frame) {
  return chart_line(css_class, "M" + number(place) + " " + number(frame.top) + "V" + number(frame.end_y()));
}

std::string whole_chart(const ChartFrame& frame, const std::string& content) {
  return "<div class=\"scroll\">" + svg::drawing("chart", {0, 0, frame.width, frame.height}, "\n" + content) +
         "</div>\n";
}

ChartAxis linear_axis(const std::vector<double>& values, double begin, double end, const std::string& unit,
                      double least_step) {
  ChartAxis axis{.begin = begin, .end = end, .ticks = {}};
  const auto [least, greatest] = std::ranges::minmax(values);
  const double step = std::max(least_step, tick_step(greatest > least ? greatest - least : 1));
  axis.least = std::floor(least / step) * step;
  axis.greatest = std::max(std::ceil(greatest / step) * step, axis.least + step);
  add_ticks(axis, step, unit);
  return axis;
}

ChartAxis logarithmic_axis(const std::vector<double>& powers, double begin, double end) {
  constexpr double kMargin = 0.05, kMinRange = 0.4, kLongRange = 1.2;  // in powers of ten
  ChartAxis axis{.begin = begin, .end = end, .ticks = {}};
  const auto [least, greatest] = std::ranges::minmax(powers);
  const double margin = std::max(kMargin, (kMinRange - (greatest - least)) / 2);
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

}  // namespace fernwood::page
