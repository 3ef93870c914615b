// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "fernwood/core/array.h"
#include "fernwood/core/parallel.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/channels.h"

namespace fernwood::image {

/// The surfaces in a depth image: what the channels height, upright and facing are made from. Cells are kCellSize
/// pixels wide and high.
struct Geometry {
  Camera camera;                         ///< Of the frame's size.
  Vector3 up;                            ///< Of length 1.
  std::int32_t floor_mm = 0;             ///< Height of the floor against the camera.
  Array2<std::int16_t> upright, facing;  ///< [cell rows][cell cols] Values of the channels; kUnknown without depth.
};

/// @param depth_mm  [rows][cols], 0 = unknown.
/// @param camera    Of frames of any size.
/// @param up        About where up is: where the search begins.
/// @param pool      Whose threads do most of it; null: the calling one alone.
Geometry measure_geometry(const Array2<std::uint16_t>& depth_mm, const Camera& camera, const Vector3& up,
                          ThreadPool* pool = nullptr);

/// Fills a channel. @param height  [rows][cols] in mm above the floor, written.
void fill_height(const Array2<std::uint16_t>& depth_mm, const Geometry& geometry, ChannelImage& height);
/// Gives each pixel of known depth the value of its cell.
void fill_from_cells(const Array2<std::uint16_t>& depth_mm, const Array2<std::int16_t>& cells, ChannelImage& plane);

}  // namespace fernwood::image
