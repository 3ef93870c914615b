// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/camera.h"

namespace fernwood::image {

/// A rotation followed by a translation, which transforms points from the coordinates of one camera to those of another
/// or, as a pose, to those of the room. In camera coordinates z is forward, x to the right and y down.
struct RigidMotion {
  Vector3 rotation[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};  ///< Rows.
  Vector3 translation = {};                                 ///< In metres.

  FW_HD Vector3 operator()(const Vector3& place) const {
    return {dot(rotation[0], place) + translation.x, dot(rotation[1], place) + translation.y,
            dot(rotation[2], place) + translation.z};
  }
  bool operator==(const RigidMotion&) const = default;
};

/// Describes an invalid parameter of a motion, with the remedy; empty if all are valid.
std::string problem_of(const RigidMotion& motion);

/// The motion that applies `first` and then `second`.
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
/// The inverse motion.
RigidMotion inverse(const RigidMotion& motion);

}  // namespace fernwood::image
