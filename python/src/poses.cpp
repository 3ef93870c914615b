// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "python/src/poses.h"

namespace fernwood::python {

nb::object camera_numbers(const std::optional<image::Camera>& camera, std::size_t rows, std::size_t cols) {
  if (!camera) return nb::none();
  const image::Camera own = scaled(*camera, cols, rows);
  return nb::make_tuple(own.fx, own.fy, own.cx, own.cy);
}

nb::object motion_numbers(const std::optional<image::RigidMotion>& motion) {
  if (!motion) return nb::none();
  const image::Vector3(&r)[3] = motion->rotation;
  const image::Vector3& t = motion->translation;
  return nb::make_tuple(r[0].x, r[0].y, r[0].z, t.x, r[1].x, r[1].y, r[1].z, t.y, r[2].x, r[2].y, r[2].z, t.z);
}

}  // namespace fernwood::python
