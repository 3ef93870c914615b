// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/stroke.h"

#include <algorithm>
#include <array>
#include <cstdlib>

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

void brush(const Stroke& stroke, const Pen& pen, image::LabelImage& labels) {
  const std::int64_t radius = stroke.radius;
  for (std::size_t i = 0; i < stroke.points.size(); ++i) {
    const Point a = stroke.points[i > 0 ? i - 1 : 0], b = stroke.points[i];
    const std::size_t end_row = first_at(std::max(a.y, b.y) + radius + 1, labels.rows());
    const std::size_t end_col = first_at(std::max(a.x, b.x) + radius + 1, labels.cols());
    for (std::size_t row = first_at(std::min(a.y, b.y) - radius, labels.rows()); row < end_row; ++row)
      for (std::size_t col = first_at(std::min(a.x, b.x) - radius, labels.cols()); col < end_col; ++col)
        if (is_near(centre_of(row, col), a, b, radius)) pen.touch(labels(row, col));
  }
}

void fill_polygon(const Stroke& stroke, const Pen& pen, image::LabelImage& labels) {
  std::vector<std::int64_t> crossings;
  for (std::size_t row = 0; row < labels.rows(); ++row) {
    const std::int64_t y = centre_of(row, 0).y;
    crossings.clear();
    for (std::size_t i = 0; i < stroke.points.size(); ++i) {
      Point a = stroke.points[i], b = stroke.points[(i + 1) % stroke.points.size()];
      if ((a.y <= y) == (b.y <= y)) continue;
      if (a.y > b.y) std::swap(a, b);  // so that neighbours round a common edge alike
      const std::int64_t up = (y - a.y) * (b.x - a.x), height = b.y - a.y;
      crossings.push_back(a.x + (up >= 0 ? up / height : -((-up + height - 1) / height)));
    }
    std::ranges::sort(crossings);
    for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) {
      const std::size_t end = first_at(crossings[i + 1], labels.cols());
      for (std::size_t col = first_at(crossings[i], labels.cols()); col < end; ++col) pen.touch(labels(row, col));
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
