// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/camera.h"

namespace fernwood::image {

/// A rotation and then a translation: of places as one camera sees them to places as another does, or, as a pose, to
/// places in the room. Cameras look along z, x is to the right and y down.
struct RigidMotion {
  Vector3 rotation[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};  ///< Rows.
  Vector3 translation = {};                                 ///< In metres.

  FW_HD Vector3 operator()(const Vector3& place) const {
    return {dot(rotation[0], place) + translation.x, dot(rotation[1], place) + translation.y,
            dot(rotation[2], place) + translation.z};
  }
  bool operator==(const RigidMotion&) const = default;
};

/// What is wrong with the numbers of a motion that somebody gave, with the remedy; empty when nothing is.
std::string problem_of(const RigidMotion& motion);

/// First `first`, then `second`.
FW_HD RigidMotion then(const RigidMotion& first, const RigidMotion& second) {
  RigidMotion both;
  for (int row = 0; row < 3; ++row) {
    const Vector3& r = second.rotation[row];
    const Vector3(&f)[3] = first.rotation;
    both.rotation[row] = {r.x * f[0].x + r.y * f[1].x + r.z * f[2].x, r.x * f[0].y + r.y * f[1].y + r.z * f[2].y,
                          r.x * f[0].z + r.y * f[1].z + r.z * f[2].z};
  }
  both.translation = second(first.translation);
  return both;
}
/// The way back.
RigidMotion inverse(const RigidMotion& motion);

}  // namespace fernwood::image
