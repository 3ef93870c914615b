// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "page/charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/text_table.h"

namespace fernwood::page {

using svg::attribute, svg::number;

namespace {

// Axes with round ticks, lines, titles.

/// Minimum space per letter and line of text in charts, in units of the drawing.
constexpr double kLetterWidth = 6, kLineHeight = 11;

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
double tick_step(double range) {
  constexpr double kMaxTicks = 5;
  const double least = range / kMaxTicks, power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/// Number of decimals that distinguishes the ticks of a step.
int digits_of(double step) { return std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9))); }

/// Adds ticks at multiples of a step, from the least to the greatest number of the axis.
void add_ticks(ChartAxis& axis, double step, const std::string& unit = "") {
  for (int i = 0; axis.least + i * step <= axis.greatest + 1e-6 * step; ++i)
    axis.ticks.emplace_back(axis.least + i * step, fixed(axis.least + i * step, digits_of(step)) + unit);
}

std::string anchored(const std::string& anchor) { return attribute("text-anchor", anchor); }

/// Horizontal grid lines at the ticks of y, with their labels.
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

/// Vertical grid lines at the ticks of x, with their labels.
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

/// Title along the y axis, at the chart's left edge.
std::string y_title(const ChartFrame& frame, const std::string& title) {
  const std::string turned = "translate(12 " + number((frame.top + frame.end_y()) / 2) + ") rotate(-90)";
  return svg::text(0, 0, anchored("middle") + attribute("transform", turned), title);
}

/// @param css_class  Class of the line in the style sheet.
std::string chart_line(const std::string& css_class, const std::string& path) {
  return "<path" + attribute("class", css_class) + attribute("d", path) + "/>";
}

/// @param place  In units of the drawing.
std::string upright_line(const std::string& css_class, double place, const ChartFrame& frame) {
  return chart_line(css_class, "M" + number(place) + " " + number(frame.top) + "V" + number(frame.end_y()));
}

std::string whole_chart(const ChartFrame& frame, const std::string& content) {
  return "<div class=\"scroll\">" + svg::drawing("chart", {0, 0, frame.width, frame.height}, "\n" + content) +
         "</div>\n";
}

/// Covers all values, extended to ticks on both sides, which are at least `least_step` apart.
ChartAxis linear_axis(const std::vector<double>& values, double begin, double end, const std::string& unit = "",
                      double least_step = 0) {
  ChartAxis axis{.begin = begin, .end = end, .ticks = {}};
  const auto [least, greatest] = std::ranges::minmax(values);
  const double step = std::max(least_step, tick_step(greatest > least ? greatest - least : 1));
  axis.least = std::floor(least / step) * step;
  axis.greatest = std::max(std::ceil(greatest / step) * step, axis.least + step);
  add_ticks(axis, step, unit);
  return axis;
}

/// Covers all powers of ten, with a margin for names; ticks at round numbers. Equal ratios have equal lengths.
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

// Points.

constexpr ChartFrame kScatterFrame{900, 460, 56, 12, 12, 40};
constexpr double kRadius = 4, kLargeRadius = 6.5, kQuietRadius = 2.8, kGap = 3;

struct Box {
  double left, top, right, bottom;

  bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

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
    const double radius = points[i].large ? kLargeRadius : points[i].quiet ? kQuietRadius : kRadius;
    dots.push_back({points[i], x.place(powers[i]), y.place(values[i]), radius});
    if (!points[i].quiet) taken.push_back(dots.back().box());
  }
  for (auto dot = dots.rbegin(); dot != dots.rend(); ++dot) html += dot->circle();  // large ones above the others
  for (const Dot& dot : dots)
    if (!dot.point.quiet) html += place_name(dot, taken);
  return whole_chart(frame, html);
}

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

std::string series_color(std::size_t index) {
  static constexpr std::array<const char*, kNumSeriesColors> kColors = {
      "#96c369", "#0096e1", "#f0b400", "#e12d00", "#692d78", "#782d1e", "#0f69ff", "#f04b87",
      "#00d2d2", "#0000ff", "#6900b4", "#d2d2b4", "#d20fb4", "#004b4b", "#96784b", "#5ad2ff"};
  return kColors[index];
}

}  // namespace fernwood::page
