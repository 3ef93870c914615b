// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/stroke.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "fernwood/core/error.h"

namespace fernwood::teach {

namespace {

__extension__ typedef __int128 Wide;  // products of four coordinates

constexpr std::int32_t kHalfPixel = kStepsPerPixel / 2;

std::int64_t dot(Point a, Point b) { return std::int64_t{a.x} * b.x + std::int64_t{a.y} * b.y; }
Point minus(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }

/// Whether a point is within `radius` of the line from `a` to `b`.
bool is_near(Point point, Point a, Point b, std::int64_t radius) {
  const Point along = minus(b, a), from_a = minus(point, a), from_b = minus(point, b);
  const std::int64_t place = dot(from_a, along), length2 = dot(along, along);
  if (place <= 0) return dot(from_a, from_a) <= radius * radius;
  if (place >= length2) return dot(from_b, from_b) <= radius * radius;
  const std::int64_t across = std::int64_t{along.x} * from_a.y - std::int64_t{along.y} * from_a.x;
  return Wide{across} * across <= Wide{radius * radius} * length2;
}

/// The first pixel whose centre is at or beyond a coordinate, within [0, count].
std::size_t first_at(std::int64_t steps, std::size_t count) {
  const std::int64_t pixel = (steps - kHalfPixel + kStepsPerPixel - 1) / kStepsPerPixel;
  if (steps <= kHalfPixel) return 0;
  return static_cast<std::size_t>(std::min<std::int64_t>(pixel, static_cast<std::int64_t>(count)));
}

/// What a pixel takes, with its old label in hand.
class Pen {
 public:
  explicit Pen(const Stroke& stroke) : stroke_(stroke) {}
  void touch(std::uint16_t& label) const { touch(label, stroke_.gives); }
  void touch(std::uint16_t& label, std::uint16_t gives) const {
    if (std::ranges::find(stroke_.spares, label) == stroke_.spares.end()) label = gives;
  }

 private:
  const Stroke& stroke_;
};

Point centre_of(std::size_t row, std::size_t col) {
  return {static_cast<std::int32_t>(col) * kStepsPerPixel + kHalfPixel,
          static_cast<std::int32_t>(row) * kStepsPerPixel + kHalfPixel};
}

/// Columns, in steps, that a row has in common with all that is within a radius of a line; empty where begin > end.
struct RowSpan {
  double begin = std::numeric_limits<double>::infinity(), end = -std::numeric_limits<double>::infinity();
  void take(double from, double to) {
    if (from > to) return;
    begin = std::min(begin, from);
    end = std::max(end, to);
  }
};

RowSpan span_of(std::int64_t y, Point a, Point b, std::int64_t radius) {
  RowSpan span;
  for (const Point& end : {a, b}) {
    const std::int64_t off = y - end.y, left = radius * radius - off * off;
    if (left < 0) continue;
    const double half = std::sqrt(static_cast<double>(left));
    span.take(end.x - half, end.x + half);
  }
  const double dx = b.x - a.x, dy = b.y - a.y, off = static_cast<double>(y - a.y), length2 = dx * dx + dy * dy;
  if (length2 == 0 || (dy == 0 && std::abs(off) > static_cast<double>(radius))) return span;
  // Between the ends: those whose foot lies on the line, and who are no farther from it.
  double from = std::min(a.x, b.x) - static_cast<double>(radius), to = std::max(a.x, b.x) + static_cast<double>(radius);
  const auto keep = [&](double one, double other) {
    from = std::max(from, a.x + std::min(one, other));
    to = std::min(to, a.x + std::max(one, other));
  };
  if (dx != 0)
    keep(-off * dy / dx, (length2 - off * dy) / dx);
  else if (off * dy < 0 || off * dy > length2)
    return span;
  if (dy != 0) {
    const double half = static_cast<double>(radius) * std::sqrt(length2) / dy;
    keep(off * dx / dy - half, off * dx / dy + half);
  }
  span.take(from, to);
  return span;
}

/// Pixels of a row, one after another.
struct Cols {
  std::int64_t begin = 0, end = 0;
};

/// Those whose centre is within `radius` of a line. As what is that near has no hole, only those at either end of what
/// was computed with rounding are looked at exactly.
Cols cols_near(std::size_t row, std::size_t num_cols, Point a, Point b, std::int64_t radius) {
  const RowSpan span = span_of(centre_of(row, 0).y, a, b, radius);
  if (span.begin > span.end) return {};
  const auto last_col = static_cast<double>(num_cols) + 1;
  const auto col_at = [&](double steps) {
    return static_cast<std::int64_t>(std::clamp(std::floor((steps - kHalfPixel) / kStepsPerPixel), -2.0, last_col));
  };
  const auto holds = [&](std::int64_t col) {
    const Point centre = {static_cast<std::int32_t>(col) * kStepsPerPixel + kHalfPixel, centre_of(row, 0).y};
    return is_near(centre, a, b, radius);
  };
  Cols cols = {col_at(span.begin) - 1, col_at(span.end) + 3};
  while (cols.begin < cols.end && !holds(cols.begin)) ++cols.begin;
  while (cols.begin < cols.end && !holds(cols.end - 1)) --cols.end;
  return {std::max<std::int64_t>(cols.begin, 0), std::min(cols.end, static_cast<std::int64_t>(num_cols))};
}

/// Rows whose pixels may be touched by what lies between two heights, in steps.
Cols rows_between(std::int64_t low, std::int64_t high, std::size_t num_rows) {
  return {static_cast<std::int64_t>(first_at(low, num_rows)), static_cast<std::int64_t>(first_at(high + 1, num_rows))};
}

Cols rows_of_line(const Stroke& stroke, std::size_t i, std::size_t num_rows) {
  const Point a = stroke.points[i > 0 ? i - 1 : 0], b = stroke.points[i];
  return rows_between(std::int64_t{std::min(a.y, b.y)} - stroke.radius,
                      std::int64_t{std::max(a.y, b.y)} + stroke.radius, num_rows);
}

void brush(const Stroke& stroke, const Pen& pen, image::LabelImage& labels) {
  std::vector<Cols> touched(labels.rows());  // last of each row: lines of a stroke cover nearly the same
  for (std::size_t i = 0; i < stroke.points.size(); ++i) {
    const Point a = stroke.points[i > 0 ? i - 1 : 0], b = stroke.points[i];
    const Cols rows = rows_of_line(stroke, i, labels.rows());
    for (std::int64_t r = rows.begin; r < rows.end; ++r) {
      const auto row = static_cast<std::size_t>(r);
      const Cols cols = cols_near(row, labels.cols(), a, b, stroke.radius);
      if (cols.begin >= cols.end) continue;
      const auto touch = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t col = begin; col < end; ++col) pen.touch(labels(row, static_cast<std::size_t>(col)));
      };
      Cols& last = touched[row];
      const bool meets = cols.begin <= last.end && last.begin <= cols.end && last.begin < last.end;
      if (!meets) {
        touch(cols.begin, cols.end);
        last = cols;
        continue;
      }
      touch(cols.begin, last.begin);
      touch(last.end, cols.end);
      last = {std::min(last.begin, cols.begin), std::max(last.end, cols.end)};
    }
  }
}

Cols rows_of_edge(const Stroke& stroke, std::size_t i, std::size_t num_rows) {
  const Point a = stroke.points[i], b = stroke.points[(i + 1) % stroke.points.size()];
  // Those whose middle is at or below the upper end and above the lower one.
  return {static_cast<std::int64_t>(first_at(std::min(a.y, b.y), num_rows)),
          static_cast<std::int64_t>(first_at(std::max(a.y, b.y), num_rows))};
}

void fill_polygon(const Stroke& stroke, const Pen& pen, image::LabelImage& labels) {
  std::vector<std::vector<std::int64_t>> crossings(labels.rows());
  for (std::size_t i = 0; i < stroke.points.size(); ++i) {
    Point a = stroke.points[i], b = stroke.points[(i + 1) % stroke.points.size()];
    if (a.y > b.y) std::swap(a, b);  // so that neighbours round a common edge alike
    const Cols rows = rows_of_edge(stroke, i, labels.rows());
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      const std::int64_t y = centre_of(static_cast<std::size_t>(row), 0).y;
      const std::int64_t up = (y - a.y) * (b.x - a.x), height = b.y - a.y;
      crossings[static_cast<std::size_t>(row)].push_back(a.x +
                                                         (up >= 0 ? up / height : -((-up + height - 1) / height)));
    }
  }
  for (std::size_t row = 0; row < labels.rows(); ++row) {
    std::vector<std::int64_t>& here = crossings[row];
    std::ranges::sort(here);
    for (std::size_t i = 0; i + 1 < here.size(); i += 2) {
      const std::size_t end = first_at(here[i + 1], labels.cols());
      for (std::size_t col = first_at(here[i], labels.cols()); col < end; ++col) pen.touch(labels(row, col));
    }
  }
}

void paint_runs(const Stroke& stroke, const Pen& pen, image::LabelImage& labels) {
  for (const PixelRun& run : stroke.runs)
    for (std::uint32_t i = run.begin; i < run.begin + run.count; ++i) pen.touch(labels.data()[i]);
}

void paint_labels(const Stroke& stroke, const Pen& pen, image::LabelImage& labels) {
  for (std::size_t r = 0; r < stroke.runs.size(); ++r)
    for (std::uint32_t i = 0; i < stroke.runs[r].count; ++i)
      pen.touch(labels.data()[stroke.runs[r].begin + i], stroke.run_classes[r]);
}

void check_points(const Stroke& stroke, std::size_t least) {
  FW_CHECK(stroke.points.size() >= least && stroke.points.size() <= kMostPoints, Usage,
           "a " << to_string(stroke.tool) << " stroke has " << stroke.points.size() << " points; give " << least
                << " to " << kMostPoints);
  const auto is_far = [](std::int32_t steps) { return steps < -kMostSteps || steps > kMostSteps; };
  for (const Point& point : stroke.points)
    FW_CHECK(!is_far(point.x) && !is_far(point.y), Usage,
             "a point of a stroke is at (" << point.x << ", " << point.y << "); give at most " << kMostSteps
                                           << " either side of 0, in eighths of a pixel");
}

void check_runs(const Stroke& stroke, std::uint64_t num_pixels) {
  FW_CHECK(!stroke.runs.empty(), Usage, "a region has no pixels; give some");
  std::uint64_t end = 0;
  for (const PixelRun& run : stroke.runs) {
    FW_CHECK(run.count > 0 && run.begin >= end && run.begin + std::uint64_t{run.count} <= num_pixels, Usage,
             "a region's run of " << run.count << " pixels from " << run.begin
                                  << " on is empty, begins before the last has ended, at " << end
                                  << ", or leaves the frame of " << num_pixels);
    end = run.begin + std::uint64_t{run.count};
  }
}

}  // namespace

std::string to_string(Tool tool) {
  switch (tool) {
    case Tool::kBrush:
      return "brush";
    case Tool::kPolygon:
      return "polygon";
    case Tool::kRegion:
      return "region";
    case Tool::kLabels:
      return "labels";
  }
  return "";
}

void Stroke::check(std::size_t rows, std::size_t cols) const {
  switch (tool) {
    case Tool::kBrush:
      FW_CHECK(radius >= 0 && radius <= kMostSteps, Usage,
               "the radius of a brush is " << radius << "; give 0 to " << kMostSteps << " eighths of a pixel");
      return check_points(*this, 1);
    case Tool::kPolygon:
      return check_points(*this, 3);
    case Tool::kLabels:
      FW_CHECK(run_classes.size() == runs.size(), Usage,
               "labels have " << runs.size() << " runs of pixels and " << run_classes.size()
                              << " classes; give each run a class");
      [[fallthrough]];
    case Tool::kRegion:
      return check_runs(*this, std::uint64_t{rows} * cols);
  }
}

std::size_t painting_work(const Stroke& stroke, std::size_t rows) {
  std::size_t work = 0;
  for (std::size_t i = 0; i < stroke.points.size(); ++i) {
    const Cols touched = stroke.tool == Tool::kBrush ? rows_of_line(stroke, i, rows) : rows_of_edge(stroke, i, rows);
    work += static_cast<std::size_t>(std::max<std::int64_t>(0, touched.end - touched.begin));
  }
  return work;
}

void paint(const Stroke& stroke, image::LabelImage& labels) {
  const Pen pen(stroke);
  switch (stroke.tool) {
    case Tool::kBrush:
      return brush(stroke, pen, labels);
    case Tool::kPolygon:
      return fill_polygon(stroke, pen, labels);
    case Tool::kRegion:
      return paint_runs(stroke, pen, labels);
    case Tool::kLabels:
      return paint_labels(stroke, pen, labels);
  }
}

Stroke labels_stroke(const image::LabelImage& labels, const std::vector<std::uint16_t>& numbers) {
  Stroke stroke = {.tool = Tool::kLabels};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::uint16_t label = labels.data()[i];
    if (label >= numbers.size() || numbers[label] == kErases) continue;
    const bool goes_on = !stroke.runs.empty() && stroke.runs.back().begin + stroke.runs.back().count == i &&
                         stroke.run_classes.back() == numbers[label];
    if (goes_on) {
      ++stroke.runs.back().count;
    } else {
      stroke.runs.push_back({static_cast<std::uint32_t>(i), 1});
      stroke.run_classes.push_back(numbers[label]);
    }
  }
  return stroke;
}

}  // namespace fernwood::teach
