// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "core/cuda/buffer.h"
#include "core/cuda/runtime.h"
#include "image/cuda/depth_source.h"
#include "image/geometry_formulas.h"

namespace fernwood::image {

/// Where up is and how high the floor lies: see Geometry.
struct Orientation {
  Vector3 up;
  std::int32_t floor_mm;
};

/// The surfaces of a frame, in GPU memory.
struct GeometryView {
  Camera camera;                        ///< Of the frame's size.
  const CellNormal* normals = nullptr;  ///< [cell rows][cell cols]
  const Orientation* orientation = nullptr;
};

/// Measures the surfaces of frames as measure_geometry() does, bit for bit; owns the memory of one frame's.
class GeometryMeasure {
 public:
  /// Enqueues the work. @param camera  Of frames of any size. @param up  About where up is.
  /// @return  Valid until the next call.
  GeometryView measure(const DepthSource& depth, std::int32_t rows, std::int32_t cols, const Camera& camera,
                       const Vector3& up, const cuda::Stream& stream);

 private:
  cuda::GpuBuffer<float> inverse_;       ///< [cell rows][cell cols] 0: unknown.
  cuda::GpuBuffer<CellNormal> normals_;  ///< [cell rows][cell cols]
  cuda::GpuBuffer<Orientation> orientation_;
};

}  // namespace fernwood::image
