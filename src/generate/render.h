// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "fernwood/core/array.h"
#include "generate/scene.h"

namespace fernwood::generate {

/// What a perfect camera sees, [rows][cols] each.
struct Rendering {
  Array2<float> depth_m;      ///< Along the optical axis.
  Array2<float> facing;       ///< Cosine between the surface's normal and the direction to the camera, [0, 1].
  Array2<std::int32_t> part;  ///< Index into Scene::parts.
  Array2<Vec3> color;         ///< Linear light.
};

Rendering render(const Scene& scene, int width, int height);

}  // namespace fernwood::generate
