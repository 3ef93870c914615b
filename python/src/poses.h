// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <optional>

#include "fernwood/image/camera.h"
#include "python/src/bindings.h"

namespace fernwood::python {

/// None, or fx, fy, cx, cy in pixels, scaled to frames of this size.
nb::object camera_numbers(const std::optional<image::Camera>& camera, std::size_t rows, std::size_t cols);

/// None, or twelve numbers: rotation and translation, row by row.
nb::object motion_numbers(const std::optional<image::RigidMotion>& motion);

}  // namespace fernwood::python
