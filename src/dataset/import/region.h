// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Regions that annotations have, drawn into label images.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fernwood/image/labels.h"

namespace fernwood::dataset {

struct Point {
  double x = 0, y = 0;
};
using Polygon = std::vector<Point>;

/// The pixels of a region. Coordinates are those of annotation tools: pixel (col, row) reaches from (col, row) to (col
/// + 1, row + 1).
class Region {
 public:
  Region(std::size_t rows, std::size_t cols) : pixels_(rows, cols) {}

  std::size_t rows() const { return pixels_.rows(); }
  std::size_t cols() const { return pixels_.cols(); }
  bool has(std::size_t row, std::size_t col) const { return pixels_(row, col) != 0; }
  /// Adds, or takes away, the pixels whose middle is inside by the even-odd rule (Foley et al., Computer Graphics,
  /// 1990, 3.6); of one on an edge, those whose inside is to the right or below. Fewer than three points have no
  /// inside.
  void fill(const Polygon& polygon, bool adds = true);
  void add(std::size_t row, std::size_t col) { pixels_(row, col) = 1; }
  /// Gives the pixels of the region a label. @param labels  Of the same size.
  void draw(std::uint16_t label, image::LabelImage& labels) const;

 private:
  Array2<std::uint8_t> pixels_;
};

/// Most pixels that a mask may say it has: those of an image.
inline constexpr std::size_t kMaxMaskArea = std::size_t{1} << 25;

/// A region as lengths of runs of pixels outside and inside in turns, outside first.
struct Mask {
  std::vector<std::uint32_t> lengths;
  bool by_columns = false;         ///< Runs go down the columns, as COCO has them, else along the rows.
  std::int64_t left = 0, top = 0;  ///< Of its first pixel in the picture.
  std::size_t cols = 0, rows = 0;
};
/// Adds a mask; what lies outside of the region's image is left out. @return  False where the runs are longer than the
/// mask.
bool fill_runs(const Mask& mask, Region& region);

/// Corners of a rectangle that is turned by `degrees` clockwise about its upper left corner, in units of which the
/// picture has as many across as down.
/// @param aspect  Width of a unit down over that of a unit across: the picture's width / height where both are per
/// cent, 1 for pixels.
Polygon box_outline(const Point& corner, double width, double height, double degrees, double aspect = 1);
/// A polygon of 360 corners in place of an ellipse.
Polygon ellipse_outline(const Point& middle, double radius_x, double radius_y, double degrees, double aspect = 1);

}  // namespace fernwood::dataset
