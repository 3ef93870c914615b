// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/cuda/buffer.h"
#include "core/cuda/runtime.h"
#include "image/registration_formula.h"

namespace fernwood::image {

/// Surfaces of a frame in the memory of the GPU in use, bit-identical to surfaces_of().
class GpuSurfaces {
 public:
  /// Enqueues the work. No pending work may still use the surfaces of a previous, smaller frame, whose memory is freed.
  /// @param depth_mm  [rows][cols] in GPU memory, 0 = unknown. @param camera  For frames of this size.
  void measure(const std::uint16_t* depth_mm, std::int32_t rows, std::int32_t cols, const Camera& camera,
               const cuda::Stream& stream);
  SurfaceView view() const;

 private:
  Camera camera_;
  std::int32_t rows_ = 0, cols_ = 0;     // in cells
  cuda::GpuBuffer<float> inverse_;       // [rows_][cols_]
  cuda::GpuBuffer<CellNormal> normals_;  // [rows_][cols_]
};

/// A motion in GPU memory, valid once the preceding work of the stream is done.
struct FoundMotion {
  RigidMotion motion;
  bool is_known = false;
};

/// register_surfaces() on the GPU in use, with bit-identical results.
class GpuRegistration {
 public:
  GpuRegistration();
  /// Enqueues the search, starting from `*start` and, if that fails, from no motion at all.
  /// @param start  In GPU memory. @param found  In GPU memory, output.
  void find(const SurfaceView& from, const SurfaceView& to, const RigidMotion* start, FoundMotion* found,
            const cuda::Stream& stream);

 private:
  cuda::GpuBuffer<std::byte> state_;  // passed from launch to launch
};

}  // namespace fernwood::image
