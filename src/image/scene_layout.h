// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Position of surfaces in the room, shared by all devices: seen from above, in whole millimetres. Each cell is compared
// with the farthest surface in its direction over the floor, and with the surface that supports it; the result does not
// depend on how the camera is held.

#include <cstdint>

#include "fernwood/core/array.h"
#include "image/geometry.h"

namespace fernwood::image {

/// Directions along the floor, to the right and away from the camera, of length 1.
struct FloorAxes {
  Vector3 right, ahead;
};

/// Ahead is the viewing direction or, for a camera that looks straight down or up, the direction of the top of its
/// images.
FW_HD FloorAxes floor_axes(const Vector3& up) {
  const bool level = up.z * up.z < 0.98f;  // within 8 degrees of straight down or up, rounding would decide
  const Vector3 sight = level ? Vector3{0.0f, 0.0f, 1.0f} : kImageUp;
  const float climb = dot(sight, up);
  const Vector3 ahead = normalised({sight.x - climb * up.x, sight.y - climb * up.y, sight.z - climb * up.z});
  return {{ahead.y * up.z - ahead.z * up.y, ahead.z * up.x - ahead.x * up.z, ahead.x * up.y - ahead.y * up.x}, ahead};
}

/// Positions and distances along the floor are limited to this, so that sums of many pixels fit beside their count, as
/// with heights.
inline constexpr std::int32_t kFarthestMm = 16383;

/// Position seen from above, in mm from the camera.
struct FloorPlace {
  std::int32_t right, ahead;
};

FW_HD std::int32_t floor_mm(float place) {
  constexpr auto kFarthest = static_cast<float>(kFarthestMm);
  return round_to_int(place < -kFarthest ? -kFarthest : place > kFarthest ? kFarthest : place);
}

/// Position of a point on the ray (u, v, 1).
FW_HD FloorPlace floor_place(float depth_mm, const FloorAxes& axes, float u, float v) {
  const Vector3 sight = {u, v, 1.0f};
  const float right = dot(axes.right, sight), ahead = dot(axes.ahead, sight);
  return {floor_mm(depth_mm * right), floor_mm(depth_mm * ahead)};
}

FW_HD std::int32_t distance_mm(const FloorPlace& place) {
  const std::int32_t distance = integer_sqrt(place.right * place.right + place.ahead * place.ahead);
  return distance < kFarthestMm ? distance : kFarthestMm;
}

/// Directions along the floor are divided into bins, equally many in each quarter of the circle.
inline constexpr std::int32_t kMaxBinsOfQuarter = 128;

/// The number of bins for which a bin is two cells wide straight ahead: narrower bins would separate cells that lie one
/// above the other.
FW_HD std::int32_t bins_of_quarter(const Camera& camera) {
  const float bins = camera.fx * (0.5f / static_cast<float>(kCellSize));
  return bins < 1.0f                                    ? 1
         : bins < static_cast<float>(kMaxBinsOfQuarter) ? static_cast<std::int32_t>(bins)
                                                        : kMaxBinsOfQuarter;
}

/// The bin of a direction, clockwise from straight ahead. |right| + |ahead| replaces the distance, so that whole
/// numbers suffice; bins are thus equally wide on a square, not on the circle. The camera's own position falls into the
/// first bin. @param quarter  Bins per quarter.
FW_HD std::int32_t direction_bin(const FloorPlace& place, std::int32_t quarter) {
  const std::int32_t across = place.right < 0 ? -place.right : place.right;
  const std::int32_t along = place.ahead < 0 ? -place.ahead : place.ahead;
  const std::int32_t sum = across + along;
  const std::int32_t turn = sum > 0 ? across * quarter / sum : 0;                // from straight ahead or back
  const std::int32_t turned = place.ahead >= 0 ? turn : 2 * quarter - 1 - turn;  // from straight ahead
  return place.right >= 0 ? turned : 4 * quarter - 1 - turned;
}

/// Distance of a cell along the floor, and the bin of its direction.
struct CellReach {
  std::int16_t distance_mm, direction;
};

/// @param inverse  Inverse depth, > 0.
/// @param quarter  Bins per quarter.
FW_HD CellReach cell_reach(float inverse, const FloorAxes& axes, std::int32_t quarter, float u, float v) {
  const FloorPlace place = floor_place(cell_depth_mm(inverse), axes, u, v);
  return {static_cast<std::int16_t>(distance_mm(place)), static_cast<std::int16_t>(direction_bin(place, quarter))};
}

/// Value of a cell in the channel behind. @param farthest_mm  Maximum distance in its direction.
FW_HD std::int16_t behind_value(const CellReach& reach, std::int32_t farthest_mm) {
  return static_cast<std::int16_t>(farthest_mm - reach.distance_mm);
}

/// Whether a surface is level enough to support objects: within 37 degrees.
FW_HD bool is_level(std::int16_t upright) { return upright > 3277; }

/// The rows or the columns of cells, whichever are closer to vertical, so that objects in a line stand above one
/// another.
struct CellLines {
  std::int32_t lines, steps;               ///< Steps go upwards.
  std::int32_t first, per_line, per_step;  ///< Row-major index of a cell: first + line * per_line + step * per_step.

  FW_HD std::int32_t cell(std::int32_t line, std::int32_t step) const {
    return first + line * per_line + step * per_step;
  }
};

/// @param rows, cols  Of cells.
FW_HD CellLines cell_lines(const Vector3& up, std::int32_t rows, std::int32_t cols) {
  if (up.y * up.y >= up.x * up.x)
    return up.y <= 0.0f ? CellLines{cols, rows, (rows - 1) * cols, 1, -cols} : CellLines{cols, rows, 0, 1, cols};
  return up.x < 0.0f ? CellLines{rows, cols, cols - 1, cols, -1} : CellLines{rows, cols, 0, cols, 1};
}

/// Scene layout around each cell as read by the channels, in the memory of one device.
struct RoomView {
  const std::int16_t *behind = nullptr, *above = nullptr;  ///< [cell rows][cell cols] kUnknown where depth is unknown.
};

/// Positions of a frame's surfaces in the room.
struct SceneLayout {
  Array2<std::int16_t> behind, above;  ///< [cell rows][cell cols] Channel values; kUnknown where depth is unknown.

  RoomView view() const { return {behind.data(), above.data()}; }
};

SceneLayout measure_scene_layout(const Geometry& geometry);

}  // namespace fernwood::image
