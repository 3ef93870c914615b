// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Surfaces in a depth image, shared by all devices. Depth is divided into square cells. Inverse depth, which is linear
// in the image of a plane and equally accurate near and far for structured-light cameras, is averaged over each cell,
// and a plane is fitted to the surrounding cells of similar depth.

#include <cmath>
#include <cstdint>
#include <vector>

#include "fernwood/core/arithmetic.h"
#include "fernwood/core/array.h"
#include "fernwood/core/parallel.h"
#include "fernwood/image/camera.h"
#include "image/channel_formulas.h"

namespace fernwood::image {

/// Side of a cell, in pixels.
inline constexpr int kCellSize = 4;
/// A plane is fitted to at most (2 * kPlaneRadius + 1)^2 cells.
inline constexpr int kPlaneRadius = 3;
/// Only cells whose inverse depth differs by at most this share from that of the central cell are used.
inline constexpr float kPlaneGate = 0.1f;

FW_HD constexpr std::int32_t geometry_cells(std::int32_t pixels) { return (pixels + kCellSize - 1) / kCellSize; }

/// Number of cells of a frame, given its size in pixels.
constexpr std::size_t num_cells(std::int32_t rows, std::int32_t cols) {
  return static_cast<std::size_t>(geometry_cells(rows)) * static_cast<std::size_t>(geometry_cells(cols));
}

/// Contribution of a pixel to the inverse depth of its cell, in 2^-26 / mm; 0 when depth is unknown.
FW_HD std::uint32_t inverse_depth(std::uint16_t depth_mm) {
  return is_known_depth(depth_mm) ? (std::uint32_t{1} << 26) / depth_mm : 0u;
}

/// Mean over the known pixels of a cell; 0 when none is known.
FW_HD float cell_inverse(std::uint32_t sum, std::uint32_t known) {
  const std::uint32_t mean = known > 0 ? sum / known : 0;
  return static_cast<float>(mean);
}

FW_HD float cell_depth_mm(float inverse) { return 67108864.0f / inverse; }

/// Pixel coordinate of the centre of a cell.
FW_HD float cell_middle(std::int32_t cell) {
  return static_cast<float>(cell * kCellSize) + 0.5f * static_cast<float>(kCellSize - 1);
}

/// Ray direction of a column or row: x / z or y / z.
FW_HD float ray(float place, float center, float focal) { return (place - center) / focal; }

/// Least-squares fit of inverse depth over the cells around a central one at (0, 0). @tparam Real  float, or a vector
/// of them: the sums of adjacent cells.
template <typename Real>
struct PlaneSumsOf {
  Real n{}, x{}, y{}, xx{}, xy{}, yy{};
  Real w{}, xw{}, yw{};  ///< w is the inverse depth minus that of the central cell.

  /// Adds a cell `dx` cells to the right and `dy` below, if its depth is similar. Unknown cells have inverse depth 0
  /// and are thus rejected.
  FW_HD void add(float dx, float dy, const Real& inverse, const Real& middle) {
    const Real zero{}, beyond = inverse - middle;
    const auto near = (beyond < zero ? -beyond : beyond) <= kPlaneGate * middle;
    const Real m = near ? zero + 1.0f : zero, d = near ? beyond : zero;
    n += m;
    x += dx * m;
    y += dy * m;
    xx += dx * dx * m;
    xy += dx * dy * m;
    yy += dy * dy * m;
    w += d;
    xw += dx * d;
    yw += dy * d;
  }
};
using PlaneSums = PlaneSumsOf<float>;

/// Directions are whole numbers in units of 1 / 4096.
inline constexpr float kDirectionUnit = 4096.0f;

/// The up direction, of length 1, and the height of the floor relative to the camera.
struct Orientation {
  Vector3 up = kImageUp;
  std::int32_t floor_mm = 0;
};

/// Normal of a surface, pointing towards the camera.
struct CellNormal {
  std::int16_t x = 0, y = 0, z = 0;
};

/// The surfaces in a depth image as read by the channels, in the memory of one device.
struct GeometryView {
  Camera camera;  ///< For the frame's size.
  const Orientation* orientation = nullptr;
  const float* inverse = nullptr;                            ///< [cell rows][cell cols] Inverse depth; 0: unknown.
  const std::int16_t *upright = nullptr, *facing = nullptr;  ///< [cell rows][cell cols] kUnknown without depth.
};

FW_HD std::int16_t direction_value(float cosine) {
  return static_cast<std::int16_t>(round_to_int(cosine * kDirectionUnit));
}

/// Scales a direction to length 1.
FW_HD Vector3 normalised(const Vector3& v) {
  const float inv_length = 1.0f / std::sqrt(dot(v, v));
  return {v.x * inv_length, v.y * inv_length, v.z * inv_length};
}

/// The normal that fits the cells in `sums`. A plane p with n . p = d is n . (u, v, 1) = d w along the ray (u, v, 1),
/// with w the inverse depth; so the slopes of w yield n. Where the cells lie on a line, or there is only one, the
/// surface is assumed to face the camera.
/// @param x, y    Centre of the cell.
/// @param middle  Its inverse depth.
FW_HD CellNormal fit_normal(const PlaneSums& sums, const Camera& camera, float x, float y, float middle) {
  const PlaneSums& s = sums;
  const float xx = s.n * s.xx - s.x * s.x, xy = s.n * s.xy - s.x * s.y, yy = s.n * s.yy - s.y * s.y;
  const float xw = s.n * s.xw - s.x * s.w, yw = s.n * s.yw - s.y * s.w;
  const float det = xx * yy - xy * xy;
  const float scale = det > 0.0f ? 1.0f / det : 0.0f;
  const float across = (xw * yy - yw * xy) * scale, down = (yw * xx - xw * xy) * scale;  // slopes per cell
  const float at_middle = middle + (s.w - across * s.x - down * s.y) / s.n;
  const float per_pixel_x = across / kCellSize, per_pixel_y = down / kCellSize;
  Vector3 normal = {-camera.fx * per_pixel_x, -camera.fy * per_pixel_y,
                    (x - camera.cx) * per_pixel_x + (y - camera.cy) * per_pixel_y - at_middle};
  if (!(det > 0.0f)) normal = {-ray(x, camera.cx, camera.fx), -ray(y, camera.cy, camera.fy), -1.0f};
  normal = normalised(normal);
  return {direction_value(normal.x), direction_value(normal.y), direction_value(normal.z)};
}

FW_HD float along(const CellNormal& normal, const Vector3& direction) {
  return static_cast<float>(normal.x) * direction.x + static_cast<float>(normal.y) * direction.y +
         static_cast<float>(normal.z) * direction.z;
}

/// Rounds in which normals vote on the up direction. Floor normals vote as they are and ceiling normals inverted, if
/// they lie within some angle of the current estimate: 41, 26 and 18 degrees.
inline constexpr int kUpRounds = 3;
FW_HD float up_limit(int round) { return round == 0 ? 0.75f : round == 1 ? 0.9f : 0.95f; }
/// With fewer votes than one in kMinVotes cells, the current estimate stays.
inline constexpr std::int64_t kMinVotes = 50;

/// Vote of a normal: its sign, 1 or -1, or 0 for no vote.
FW_HD std::int32_t up_vote(const CellNormal& normal, const Vector3& up, float limit) {
  const float cosine = along(normal, up);
  return cosine > limit * kDirectionUnit ? 1 : cosine < -limit * kDirectionUnit ? -1 : 0;
}

struct UpVotes {
  std::int64_t x = 0, y = 0, z = 0, votes = 0;
};

/// @param cells  Number of cells with a normal.
FW_HD Vector3 count_votes(const UpVotes& sum, std::int64_t cells, const Vector3& up) {
  if (sum.votes * kMinVotes < cells || sum.votes == 0) return up;
  const double x = static_cast<double>(sum.x), y = static_cast<double>(sum.y), z = static_cast<double>(sum.z);
  const double length = std::sqrt(x * x + y * y + z * z);
  return {static_cast<float>(x / length), static_cast<float>(y / length), static_cast<float>(z / length)};
}

/// Height relative to the camera of a point on the ray (u, v, 1), in mm.
FW_HD std::int32_t height_mm(float depth_mm, const Vector3& up, float u, float v) {
  const float climb = up.x * u + up.y * v + up.z;
  const float height = depth_mm * climb;
  return round_to_int(height < -65536.0f ? -65536.0f : height > 65536.0f ? 65536.0f : height);
}

// The floor is the height below which a small share of the cells lie, found by a histogram of heights.
inline constexpr int kHeightBins = 1024, kHeightBinMm = 16, kLowestBinMm = -8192;
/// One in kBelowFloor cells lies below the floor.
inline constexpr std::int64_t kBelowFloor = 50;

FW_HD std::int32_t height_bin(std::int32_t height) {
  const std::int32_t bin = (height - kLowestBinMm) >> 4;
  static_assert(kHeightBinMm == 1 << 4);
  return bin < 0 ? 0 : bin < kHeightBins ? bin : kHeightBins - 1;
}

/// Whether the floor lies in the bin up to whose end `cells_below` cells lie, or further down.
FW_HD bool is_above_floor(std::int64_t cells_below, std::int64_t cells) { return cells_below * kBelowFloor >= cells; }

/// Lower edge of a bin.
FW_HD std::int32_t bin_height_mm(std::int32_t bin) { return kLowestBinMm + bin * kHeightBinMm; }

/// Lower edge of the bin up to whose end one in kBelowFloor cells lies; that of the last bin when no bin reaches this
/// share.
template <typename Counts>
std::int32_t floor_height_mm(const Counts& counts, std::int64_t cells) {
  std::int64_t below = 0;
  std::int32_t bin = 0;
  for (; bin < kHeightBins - 1; ++bin) {
    below += counts[bin];
    if (is_above_floor(below, cells)) break;
  }
  return bin_height_mm(bin);
}

// Channel values stay within these bounds, so that sums of many pixels fit beside their count: see
// train/grow/response_plan.h.
inline constexpr std::int32_t kLowestHeightMm = -2048, kHighestHeightMm = 8191;

FW_HD std::int16_t within_heights(std::int32_t height) {
  return static_cast<std::int16_t>(height < kLowestHeightMm    ? kLowestHeightMm
                                   : height > kHighestHeightMm ? kHighestHeightMm
                                                               : height);
}

/// Value of a pixel in the height channel.
FW_HD std::int16_t height_value(std::uint16_t depth_mm, const Vector3& up, float u, float v, std::int32_t floor_mm) {
  if (!is_known_depth(depth_mm)) return kUnknown;
  return within_heights(height_mm(static_cast<float>(depth_mm), up, u, v) - floor_mm);
}

/// Uprightness of a surface: the cosine between its normal and up. 1: a floor, 0: a wall, -1: a ceiling.
FW_HD std::int16_t upright_value(const CellNormal& normal, const Vector3& up) {
  return static_cast<std::int16_t>(round_to_int(along(normal, up)));
}

/// How directly a surface faces the camera: the cosine between its normal and the reversed ray (u, v, 1).
FW_HD std::int16_t facing_value(const CellNormal& normal, float u, float v) {
  return static_cast<std::int16_t>(round_to_int(-along(normal, normalised({u, v, 1.0f}))));
}

/// Rays through the centres of cells along one side.
std::vector<float> cell_rays(std::size_t cells, float center, float focal);

/// The surfaces in a depth image: input of the channels height, upright and facing. Cells are kCellSize pixels wide and
/// high.
struct Geometry {
  Camera camera;  ///< For the frame's size.
  Orientation orientation;
  Array2<float> inverse;                 ///< [cell rows][cell cols] Inverse depth; 0: unknown.
  Array2<std::int16_t> upright, facing;  ///< [cell rows][cell cols] Channel values; kUnknown where depth is unknown.

  GeometryView view() const { return {camera, &orientation, inverse.data(), upright.data(), facing.data()}; }
};

/// Cells with their normals.
struct Surfaces {
  Array2<float> inverse;       ///< With a margin of kPlaneRadius unknown cells on each side; 0: unknown.
  Array2<CellNormal> normals;  ///< [cell rows][cell cols] Undefined where depth is unknown.

  float inverse_of(std::size_t row, std::size_t col) const { return inverse(row + kPlaneRadius, col + kPlaneRadius); }

  /// Calls visit(row, column) for each cell of known depth.
  template <typename Visit>
  void for_each_known(const Visit& visit) const {
    for (std::size_t row = 0; row < normals.rows(); ++row)
      for (std::size_t col = 0; col < normals.cols(); ++col)
        if (inverse_of(row, col) > 0.0f) visit(row, col);
  }
};

/// @param depth_mm  [rows][cols], 0 = unknown.
/// @param camera    For frames of this size.
/// @param radius    Of the squares of cells to which planes are fitted, at most kPlaneRadius.
Surfaces find_surfaces(View2<const std::uint16_t> depth_mm, const Camera& camera, ThreadPool* pool = nullptr,
                       int radius = kPlaneRadius);

/// @param depth_mm  [rows][cols], 0 = unknown.
/// @param camera    For frames of any size.
/// @param up        Approximate up direction, where the search starts.
/// @param pool      Threads for most of the work; null: only the calling thread.
/// @param radius    As for find_surfaces().
Geometry measure_geometry(View2<const std::uint16_t> depth_mm, const Camera& camera, const Vector3& up,
                          ThreadPool* pool = nullptr, int radius = kPlaneRadius);

}  // namespace fernwood::image
