// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/camera.h"

#include <cmath>

namespace fernwood::image {

std::string problem_of(const RigidMotion& motion) {
  constexpr float kMost = 0.01f;  // tolerance for rotations written with three digits
  const Vector3(&r)[3] = motion.rotation;
  const Vector3 cross = {r[0].y * r[1].z - r[0].z * r[1].y, r[0].z * r[1].x - r[0].x * r[1].z,
                         r[0].x * r[1].y - r[0].y * r[1].x};
  const auto is_near = [](float value, float wanted) { return std::abs(value - wanted) <= kMost; };
  for (int row = 0; row < 3; ++row)
    if (!is_near(dot(r[row], r[row]), 1) || !is_near(dot(r[row], r[(row + 1) % 3]), 0) || !is_near(dot(cross, r[2]), 1))
      return "does not rotate: its first three columns must have length 1 and right angles, and not be mirrored";
  const Vector3& moved = motion.translation;
  if (!std::isfinite(moved.x) || !std::isfinite(moved.y) || !std::isfinite(moved.z))
    return "has a position that is not finite; give metres";
  return "";
}

RigidMotion inverse(const RigidMotion& motion) {
  const Vector3(&r)[3] = motion.rotation;
  RigidMotion back = {{{r[0].x, r[1].x, r[2].x}, {r[0].y, r[1].y, r[2].y}, {r[0].z, r[1].z, r[2].z}}};
  const Vector3& moved = motion.translation;
  back.translation = {-dot(back.rotation[0], moved), -dot(back.rotation[1], moved), -dot(back.rotation[2], moved)};
  return back;
}

}  // namespace fernwood::image
