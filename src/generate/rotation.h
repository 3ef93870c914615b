// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Rotations without sin and cos, whose last bits differ between C libraries: a rotation by the angle a is given by
// t = tan(a / 2), so that cos a = (1 - t^2) / (1 + t^2) and sin a = 2 t / (1 + t^2). With + - * / and sqrt alone, which
// IEEE 754 rounds alike everywhere, a scene has the same bits on every machine.

#include "generate/vec3.h"

namespace fernwood::generate {

/// The cosine and sine of an angle.
struct Turn {
  float cos = 1, sin = 0;
};

/// @param half_tangent  tan(a / 2); for small angles half of the angle in radians.
inline Turn turn_of(float half_tangent) {
  const float t2 = half_tangent * half_tangent;
  return {(1.0f - t2) / (1.0f + t2), 2.0f * half_tangent / (1.0f + t2)};
}

/// The direction of `v` turned about the vertical.
inline Vec3 turned(const Vec3& v, const Turn& turn) {
  return {v.x * turn.cos + v.z * turn.sin, v.y, v.z * turn.cos - v.x * turn.sin};
}

/// Where something stands: its origin and its own axes, as unit vectors of the room.
struct Pose {
  Vec3 origin;
  Vec3 axis_x{1, 0, 0}, axis_y{0, 1, 0}, axis_z{0, 0, 1};

  Vec3 direction(const Vec3& local) const { return axis_x * local.x + axis_y * local.y + axis_z * local.z; }
  Vec3 point(const Vec3& local) const { return origin + direction(local); }
};

/// Upright at `origin`, with its z axis (a chair's front) along the horizontal unit vector `front`.
inline Pose facing(const Vec3& origin, const Vec3& front) {
  return {origin, cross({0, 1, 0}, front), {0, 1, 0}, front};
}

/// A pose given in the coordinates of another.
inline Pose placed(const Pose& inner, const Pose& outer) {
  return {outer.point(inner.origin), outer.direction(inner.axis_x), outer.direction(inner.axis_y),
          outer.direction(inner.axis_z)};
}

}  // namespace fernwood::generate
