// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "fernwood/core/array.h"
#include "fernwood/core/parallel.h"
#include "fernwood/image/camera.h"
#include "image/geometry_formulas.h"

namespace fernwood::image {

/// The surfaces in a depth image: what the channels height, upright and facing are made from. Cells are kCellSize
/// pixels wide and high.
struct Geometry {
  Camera camera;  ///< Of the frame's size.
  Orientation orientation;
  Array2<std::int16_t> upright, facing;  ///< [cell rows][cell cols] Values of the channels; kUnknown without depth.

  GeometryView view() const { return {camera, &orientation, upright.data(), facing.data()}; }
};

/// @param depth_mm  [rows][cols], 0 = unknown.
/// @param camera    Of frames of any size.
/// @param up        About where up is: where the search begins.
/// @param pool      Whose threads do most of it; null: the calling one alone.
Geometry measure_geometry(const Array2<std::uint16_t>& depth_mm, const Camera& camera, const Vector3& up,
                          ThreadPool* pool = nullptr);

}  // namespace fernwood::image
