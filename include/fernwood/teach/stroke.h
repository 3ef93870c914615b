// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/image/labels.h"

namespace fernwood::teach {

/// Points lie between pixels: so many steps are a pixel, and (0, 0) is the upper left corner of the first.
inline constexpr std::int32_t kStepsPerPixel = 8;
inline constexpr std::size_t kMostPoints = 100'000;    ///< Of a stroke: half an hour at 60 a second.
inline constexpr std::int32_t kMostSteps = 1 << 20;    ///< Of a coordinate or a radius, either side of 0.
inline constexpr std::uint16_t kErase = image::kVoid;  ///< The class of a stroke that takes labels away.

struct Point {
  std::int32_t x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

/// Pixels that follow each other in reading order: index row * columns + column of the first, and their number.
struct PixelRun {
  std::uint32_t begin = 0, count = 0;
  bool operator==(const PixelRun&) const = default;
};

/// How a stroke says which pixels it means.
enum class Tool {
  kBrush,    ///< Those whose centre is within `radius` of the line through the points.
  kPolygon,  ///< Those whose centre is inside, by the even-odd rule; the last point is joined with the first.
  kRegion,   ///< Those of `runs`: what a fill found, whatever a later fill would find.
  kLabels    ///< Those of `runs`, each of its own class: labels of a model that were accepted.
};
inline constexpr std::array kTools = {Tool::kBrush, Tool::kPolygon, Tool::kRegion, Tool::kLabels};
/// As journals and messages call it: "brush", "polygon", "region", "labels".
std::string to_string(Tool tool);

/// One mark of a teacher on a frame.
struct Stroke {
  Tool tool = Tool::kBrush;
  std::uint16_t class_id = kErase;                    ///< The number of a class, or kErase; not looked at for labels.
  std::int32_t radius = 0;                            ///< Of a brush, in steps.
  std::vector<Point> points = {};                     ///< Of brush and polygon.
  std::vector<PixelRun> runs = {};                    ///< Of region and labels: ascending, apart.
  std::vector<std::uint16_t> run_classes = {};        ///< [of runs] Of labels: numbers of classes.
  std::vector<std::uint16_t> protected_classes = {};  ///< Classes whose pixels it leaves as they are: they were locked.

  /// @param rows, cols  Of the frame. @throws Error(kUsage) naming what is out of its range.
  void check(std::size_t rows, std::size_t cols) const;
  bool operator==(const Stroke&) const = default;
};

/// Labels of an image as one stroke. @param numbers  [label] Of the classes; labels beyond them, and those whose number
/// is kErase, are left out.
Stroke labels_stroke(const image::LabelImage& labels, const std::vector<std::uint16_t>& numbers);

/// What painting a stroke takes, in pixels that are given a label. @param stroke  Which check() has passed for that
/// size.
std::uint64_t work_of(const Stroke& stroke, std::size_t rows, std::size_t cols);
/// What a stroke of a page may take, since all pages wait for it: some 50 ms. A brush of 100 pixels' radius takes as
/// much with 2500 points.
inline constexpr std::uint64_t kMostStrokeWork = 33'000'000;

/// Gives the stroke's class to its pixels. In whole numbers: the same pixels everywhere.
/// @param labels  [rows][cols] numbers of classes, kErase where there is none.
void paint(const Stroke& stroke, image::LabelImage& labels);

}  // namespace fernwood::teach
