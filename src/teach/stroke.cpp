// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/project.h"

#include <algorithm>

#include "fernwood/core/error.h"

namespace fernwood::teach {

namespace {

void check_points(const Stroke& stroke, std::size_t least) {
  FW_CHECK(stroke.points.size() >= least && stroke.points.size() <= kMaxPoints, Usage,
           "a " << to_string(stroke.tool) << " stroke has " << stroke.points.size() << " points; give " << least
                << " to " << kMaxPoints);
  const auto is_far = [](std::int32_t steps) { return steps < -kMaxSteps || steps > kMaxSteps; };
  for (const Point& point : stroke.points)
    FW_CHECK(!is_far(point.x) && !is_far(point.y), Usage,
             "a point of a stroke is at (" << point.x << ", " << point.y << "); give at most " << kMaxSteps
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
      FW_CHECK(radius >= 0 && radius <= kMaxSteps, Usage,
               "the radius of a brush is " << radius << "; give 0 to " << kMaxSteps << " eighths of a pixel");
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

Stroke labels_stroke(const image::LabelImage& labels, const std::vector<std::uint16_t>& numbers) {
  Stroke stroke = {.tool = Tool::kLabels};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::uint16_t label = labels.data()[i];
    if (label >= numbers.size() || numbers[label] == kErase) continue;
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
