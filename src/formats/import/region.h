// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Regions of annotations, drawn into label images.

#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/formats/import.h"
#include "fernwood/image/labels.h"

namespace fernwood::formats {

struct Point {
  double x = 0, y = 0;
};
using Polygon = std::vector<Point>;

/// Maximum number of pixels of a mask: that of an image.
inline constexpr std::size_t kMaxMaskArea = std::size_t{1} << 25;

/// A region as run lengths of pixels, alternately outside and inside, outside first.
struct Mask {
  std::vector<std::uint32_t> lengths;
  bool by_columns = false;         ///< Runs go down the columns, as in COCO; else along the rows.
  std::int64_t left = 0, top = 0;  ///< Position of its first pixel in the image.
  std::size_t cols = 0, rows = 0;
};

/// The pixels of a region. Coordinates are those of annotation tools: pixel (col, row) covers the square from (col,
/// row) to (col + 1, row + 1).
class Region {
 public:
  /// @param stop  Ends long work. @throws Error(kInterrupted) from the functions below when it is requested.
  Region(std::size_t rows, std::size_t cols, std::stop_token stop = {})
      : pixels_(rows, cols), stop_(std::move(stop)), top_(rows), left_(cols) {}

  std::size_t rows() const { return pixels_.rows(); }
  std::size_t cols() const { return pixels_.cols(); }
  bool has(std::size_t row, std::size_t col) const { return pixels_(row, col) != 0; }
  /// Adds or removes the pixels whose centre is inside by the even-odd rule (Foley et al., Computer Graphics, 1990,
  /// 3.6); a centre on an edge counts if the inside is to the right or below. Fewer than three points have no inside.
  void fill(const Polygon& polygon, bool adds = true);
  /// Adds the pixels of a mask that are in the image. @return  False if its runs are longer than the mask.
  bool fill(const Mask& mask);
  /// Assigns a label and, if the truth has instances, an instance to the pixels of the region, and removes them from
  /// it: many small regions of a large image are drawn in a time that depends on their own sizes. @param truth  Of the
  /// same size. @return  Whether there are any.
  bool draw(std::uint16_t label, std::uint16_t instance, ImportedTruth& truth);

 private:
  void set(std::size_t row, std::size_t begin, std::size_t end, bool is_inside);
  void check_stop() const { FW_CHECK(!stop_.stop_requested(), Interrupted, "interrupted"); }

  Array2<std::uint8_t> pixels_;
  std::stop_token stop_;
  std::size_t top_, left_, bottom_ = 0, right_ = 0;  // of the pixels that were added; the last two are exclusive
};

/// Corners of a rectangle rotated by `degrees` clockwise about its upper left corner, in units that may differ in width
/// and height.
/// @param aspect  Width of a vertical unit divided by that of a horizontal unit: the image's width / height if both are
/// per cent, 1 for pixels.
Polygon box_outline(const Point& corner, double width, double height, double degrees, double aspect = 1);
/// Corners of a rectangle, given by two opposite ones, that is rotated by `degrees` clockwise about its centre.
Polygon turned_box(const Point& a, const Point& b, double degrees);
/// All triangles of the eight or fewer corners of a cuboid, which together cover what it covers.
std::vector<Polygon> triangles_of(const Polygon& corners);
/// A polygon of 360 corners that approximates an ellipse.
Polygon ellipse_outline(const Point& middle, double radius_x, double radius_y, double degrees, double aspect = 1);

}  // namespace fernwood::formats
