// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/import/region.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fernwood::formats {

namespace {

/// The first pixel whose centre is at or after a coordinate, within [0, size].
std::size_t first_middle(double at, std::size_t size) {
  const double first = std::ceil(at - 0.5);
  return first <= 0 ? 0 : first >= static_cast<double>(size) ? size : static_cast<std::size_t>(first);
}

/// @param aspect  As in box_outline().
Point turned(const Point& about, double x, double y, double degrees, double aspect) {
  const double angle = degrees * std::numbers::pi / 180, c = std::cos(angle), s = std::sin(angle);
  return {about.x + c * x - s * y / aspect, about.y + s * x * aspect + c * y};
}

}  // namespace

void Region::fill(const Polygon& polygon, bool adds) {
  if (polygon.size() < 3) return;
  const auto [least, greatest] = std::ranges::minmax(polygon, {}, &Point::y);
  const std::size_t begin = first_middle(least.y, rows()), end = first_middle(greatest.y, rows());
  std::vector<double> crossings;
  for (std::size_t row = begin; row < end; ++row) {
    check_stop();
    const double y = static_cast<double>(row) + 0.5;
    crossings.clear();
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Point &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
      if ((a.y <= y) == (b.y <= y)) continue;
      crossings.push_back(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
    }
    std::ranges::sort(crossings);
    for (std::size_t i = 0; i + 1 < crossings.size(); i += 2)
      set(row, first_middle(crossings[i], cols()), first_middle(crossings[i + 1], cols()), adds);
  }
}

void Region::set(std::size_t row, std::size_t begin, std::size_t end, bool is_inside) {
  if (begin >= end) return;
  std::fill_n(pixels_.data() + row * cols() + begin, end - begin, std::uint8_t{is_inside});
  top_ = std::min(top_, row), bottom_ = std::max(bottom_, row + 1);
  left_ = std::min(left_, begin), right_ = std::max(right_, end);
}

Polygon box_outline(const Point& corner, double width, double height, double degrees, double aspect) {
  return {corner, turned(corner, width, 0, degrees, aspect), turned(corner, width, height, degrees, aspect),
          turned(corner, 0, height, degrees, aspect)};
}

Polygon turned_box(const Point& a, const Point& b, double degrees) {
  const Point middle = {(a.x + b.x) / 2, (a.y + b.y) / 2};
  const Point corner = turned(middle, a.x - middle.x, a.y - middle.y, degrees, 1);
  return box_outline(corner, b.x - a.x, b.y - a.y, degrees);
}

std::vector<Polygon> triangles_of(const Polygon& corners) {
  std::vector<Polygon> triangles;
  for (std::size_t i = 0; i < corners.size(); ++i)
    for (std::size_t j = i + 1; j < corners.size(); ++j)
      for (std::size_t k = j + 1; k < corners.size(); ++k) triangles.push_back({corners[i], corners[j], corners[k]});
  return triangles;
}

Polygon ellipse_outline(const Point& middle, double radius_x, double radius_y, double degrees, double aspect) {
  constexpr int kCorners = 360;
  Polygon polygon;
  for (int i = 0; i < kCorners; ++i) {
    const double angle = 2 * std::numbers::pi * i / kCorners;
    polygon.push_back(turned(middle, radius_x * std::cos(angle), radius_y * std::sin(angle), degrees, aspect));
  }
  return polygon;
}

bool Region::draw(std::uint16_t label, std::uint16_t instance, ImportedTruth& truth) {
  bool has_pixels = false;
  const auto assign = [&](std::size_t row, std::uint16_t value, Array2<std::uint16_t>& image) {
    for (std::size_t col = left_; col < right_; ++col) image(row, col) = has(row, col) ? value : image(row, col);
  };
  for (std::size_t row = top_; row < bottom_; ++row) {
    assign(row, label, truth.labels);
    if (!truth.instances.empty()) assign(row, instance, truth.instances);
    for (std::size_t col = left_; col < right_; ++col) has_pixels |= has(row, col);
    set(row, left_, right_, false);
  }
  top_ = rows(), left_ = cols(), bottom_ = right_ = 0;
  return has_pixels;
}

bool Region::fill(const Mask& mask) {
  const std::uint64_t count = std::uint64_t{mask.rows} * mask.cols, side = mask.by_columns ? mask.rows : mask.cols;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < mask.lengths.size(); ++i) {
    if (mask.lengths[i] > count - at) return false;
    check_stop();
    const std::uint64_t end = at + mask.lengths[i];
    for (; i % 2 == 1 && at < end; ++at) {
      const auto along = static_cast<std::int64_t>(at % side), across = static_cast<std::int64_t>(at / side);
      const std::int64_t row = mask.top + (mask.by_columns ? along : across),
                         col = mask.left + (mask.by_columns ? across : along);
      const bool is_inside =
          row >= 0 && col >= 0 && row < static_cast<std::int64_t>(rows()) && col < static_cast<std::int64_t>(cols());
      const auto begin = static_cast<std::size_t>(col);
      if (is_inside) set(static_cast<std::size_t>(row), begin, begin + 1, true);
    }
    at = end;
  }
  return true;
}

}  // namespace fernwood::formats
