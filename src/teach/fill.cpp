// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/fill.h"

#include <cmath>
#include <cstdlib>
#include <numbers>

#include "fernwood/core/error.h"
#include "image/geometry.h"
#include "image/registration.h"

namespace fernwood::teach {

namespace {

/// A cell or pixel belongs to the plane of an adjacent cell if its inverse depth differs by at most this share of the
/// plane's.
constexpr float kStepShare = 0.05f;
/// Sum over red, green and blue, for each degree that normals may turn.
constexpr double kColorStepsPerDegree = 1.5;

struct CellPlace {
  std::size_t row, col;
};

/// Region growing over adjacent positions. @param joins  `joins(from, to)`, for adjacent positions.
/// @return  [rows][cols] 1 where the region grew.
template <typename Joins>
Array2<std::uint8_t> grow(std::size_t rows, std::size_t cols, CellPlace start, const Joins& joins) {
  Array2<std::uint8_t> inside(rows, cols, 0);
  std::vector<CellPlace> waiting = {start};
  inside(start.row, start.col) = 1;
  while (!waiting.empty()) {
    const CellPlace from = waiting.back();
    waiting.pop_back();
    const auto offer = [&](std::size_t row, std::size_t col) {
      if (row >= rows || col >= cols || inside(row, col) || !joins(from, CellPlace{row, col})) return;
      inside(row, col) = 1;
      waiting.push_back({row, col});
    };
    offer(from.row - 1, from.col);  // unsigned: -1 exceeds the limit
    offer(from.row + 1, from.col);
    offer(from.row, from.col - 1);
    offer(from.row, from.col + 1);
  }
  return inside;
}

struct CellPlane {
  image::Vector3 normal;
  float inverse;       ///< Inverse depth at its centre.
  image::Vector3 ray;  ///< Through its centre.
  float inverse_along(const image::Vector3& other) const {
    return inverse * image::dot(normal, other) / image::dot(normal, ray);
  }
  bool holds(const image::Vector3& other, float inverse_there) const {
    const float expected = inverse_along(other);
    return std::abs(inverse_there - expected) <= kStepShare * expected;
  }
};

/// Adds enclosed areas of a few pixels, such as holes in depth and specks.
void close_pinholes(Array2<std::uint8_t>& inside) {
  constexpr std::size_t kMostPixels = 64;
  Array2<std::uint8_t> seen = inside;
  for (std::size_t start = 0; start < seen.size(); ++start) {
    if (seen.data()[start]) continue;
    std::vector<std::size_t> hole = {start};
    seen.data()[start] = 1;
    for (std::size_t next = 0; next < hole.size(); ++next) {
      const std::size_t pixel = hole[next], col = pixel % seen.cols();
      const auto offer = [&](bool is_there, std::size_t beside) {
        if (!is_there || seen.data()[beside]) return;
        seen.data()[beside] = 1;
        hole.push_back(beside);
      };
      offer(col > 0, pixel - 1);
      offer(col + 1 < seen.cols(), pixel + 1);
      offer(pixel >= seen.cols(), pixel - seen.cols());
      offer(pixel + seen.cols() < seen.size(), pixel + seen.cols());
    }
    if (hole.size() > kMostPixels) continue;
    for (const std::size_t pixel : hole) inside.data()[pixel] = 1;
  }
}

/// [rows][cols] 1 inside, here and below.
Array2<std::uint8_t> fill_surface(const image::Frame& frame, const Fill& fill) {
  const Array2<std::uint16_t>& depth = frame.depth_mm;
  FW_CHECK(image::is_known_depth(depth(fill.y, fill.x)), Usage,
           "the depth at " << fill.x << "," << fill.y << " is unknown; fill from a pixel next to it");
  const image::Camera camera = image::depth_view(frame).camera;
  const image::Surfaces surfaces = image::find_surfaces(depth, camera);
  constexpr auto kCell = static_cast<std::size_t>(image::kCellSize);
  const auto ray_of = [&](float x, float y) -> image::Vector3 {
    return {image::ray(x, camera.cx, camera.fx), image::ray(y, camera.cy, camera.fy), 1.0f};
  };
  const auto plane_of = [&](CellPlace cell) -> CellPlane {
    const image::CellNormal& normal = surfaces.normals(cell.row, cell.col);
    return {{static_cast<float>(normal.x), static_cast<float>(normal.y), static_cast<float>(normal.z)},
            surfaces.inverse_of(cell.row, cell.col),
            ray_of(image::cell_middle(static_cast<std::int32_t>(cell.col)),
                   image::cell_middle(static_cast<std::int32_t>(cell.row)))};
  };
  const CellPlace start = {fill.y / kCell, fill.x / kCell};
  const image::Vector3 first = plane_of(start).normal;
  constexpr float kUnit = image::kDirectionUnit * image::kDirectionUnit;
  const float least_cosine = kUnit * static_cast<float>(std::cos(fill.largest_turn_deg * std::numbers::pi / 180));
  const Array2<std::uint8_t> cells =
      grow(surfaces.normals.rows(), surfaces.normals.cols(), start, [&](CellPlace from, CellPlace to) {
        const CellPlane there = plane_of(to);
        return there.inverse > 0 && plane_of(from).holds(there.ray, there.inverse) &&
               image::dot(first, there.normal) >= least_cosine;
      });
  Array2<std::uint8_t> inside(depth.rows(), depth.cols());
  for (std::size_t y = 0; y < depth.rows(); ++y)
    for (std::size_t x = 0; x < depth.cols(); ++x) {
      const CellPlace cell = {y / kCell, x / kCell};
      inside(y, x) = cells(cell.row, cell.col) && image::is_known_depth(depth(y, x)) &&
                     plane_of(cell).holds(ray_of(static_cast<float>(x), static_cast<float>(y)),
                                          static_cast<float>(image::inverse_depth(depth(y, x))));
    }
  return inside;
}

Array2<std::uint8_t> fill_color(const image::Frame& frame, const Fill& fill) {
  const Array2<image::Rgb>& color = frame.color;
  const auto most_steps = static_cast<int>(kColorStepsPerDegree * fill.largest_turn_deg);
  return grow(color.rows(), color.cols(), {fill.y, fill.x}, [&](CellPlace from, CellPlace to) {
    const image::Rgb a = color(from.row, from.col), b = color(to.row, to.col);
    return std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b) <= most_steps;
  });
}

}  // namespace

std::vector<PixelRun> fill_region(const image::Frame& frame, const Fill& fill) {
  FW_CHECK(
      fill.x < frame.cols() && fill.y < frame.rows(), Usage,
      "there is no pixel " << fill.x << "," << fill.y << "; the frame has " << frame.cols() << " x " << frame.rows());
  FW_CHECK(fill.largest_turn_deg >= 1 && fill.largest_turn_deg <= 180, Usage,
           "a fill turns by " << fill.largest_turn_deg << " degrees at most; use 1 to 180");
  Array2<std::uint8_t> inside = frame.depth_mm.empty() ? fill_color(frame, fill) : fill_surface(frame, fill);
  close_pinholes(inside);
  return runs_where(inside.rows(), inside.cols(), [&](std::size_t y, std::size_t x) { return inside(y, x) != 0; });
}

}  // namespace fernwood::teach
