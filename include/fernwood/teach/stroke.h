// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/image/labels.h"

namespace fernwood::teach {

/// Subpixel steps per pixel, the unit of points and radii; (0, 0) is the upper left corner of the first pixel.
inline constexpr std::int32_t kStepsPerPixel = 8;
inline constexpr std::size_t kMaxPoints = 100'000;     ///< Points of a stroke: half an hour at 60 per second.
inline constexpr std::int32_t kMaxSteps = 1 << 20;     ///< Magnitude of a coordinate or a radius.
inline constexpr std::uint16_t kErase = image::kVoid;  ///< The class of a stroke that erases labels.

struct Point {
  std::int32_t x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

/// Consecutive pixels in reading order: index (row * columns + column) of the first, and their number.
struct PixelRun {
  std::uint32_t begin = 0, count = 0;
  bool operator==(const PixelRun&) const = default;
};

/// Kind of a stroke, which determines its pixels.
enum class Tool {
  kBrush,    ///< Pixels whose centre is within `radius` of the line through the points.
  kPolygon,  ///< Pixels whose centre is inside, by the even-odd rule; the last point is joined with the first.
  kRegion,   ///< Pixels of `runs`: the result of a fill, which later versions of the fill do not change.
  kLabels    ///< Pixels of `runs`, each run with its own class: accepted labels of a model.
};
inline constexpr std::array kTools = {Tool::kBrush, Tool::kPolygon, Tool::kRegion, Tool::kLabels};
/// Its name in journals and messages: "brush", "polygon", "region", "labels".
std::string to_string(Tool tool);

/// Pixels of a frame that one gesture gives a class, or erases.
struct Stroke {
  Tool tool = Tool::kBrush;
  std::uint16_t class_id = kErase;                    ///< The number of a class, or kErase; ignored for kLabels.
  std::int32_t radius = 0;                            ///< For kBrush, in steps.
  std::vector<Point> points = {};                     ///< For kBrush and kPolygon.
  std::vector<PixelRun> runs = {};                    ///< For kRegion and kLabels: ascending and disjoint.
  std::vector<std::uint16_t> run_classes = {};        ///< [of runs] For kLabels: numbers of classes.
  std::vector<std::uint16_t> protected_classes = {};  ///< Locked classes, whose pixels the stroke does not change.

  /// @param rows, cols  Size of the frame. @throws Error(kUsage) naming the member that is out of range.
  void check(std::size_t rows, std::size_t cols) const;
  bool operator==(const Stroke&) const = default;
};

/// Labels of an image as one stroke. @param numbers  [label] Numbers of the classes; labels beyond this list, and those
/// whose number is kErase, are omitted.
Stroke labels_stroke(const image::LabelImage& labels, const std::vector<std::uint16_t>& numbers);

/// Cost of painting a stroke, in pixels written. @param stroke  Must satisfy check() for this size.
std::uint64_t work_of(const Stroke& stroke, std::size_t rows, std::size_t cols);
/// Limit of work_of() for a page's stroke, since all pages wait for it: about 50 ms, or 2500 points of a brush with a
/// radius of 100 pixels.
inline constexpr std::uint64_t kMaxStrokeWork = 33'000'000;

/// Writes the stroke's class to its pixels. Uses integer arithmetic only, so the pixels are the same on all machines.
/// @param labels  [rows][cols] Numbers of classes; kErase: no label.
void paint(const Stroke& stroke, image::LabelImage& labels);

}  // namespace fernwood::teach
