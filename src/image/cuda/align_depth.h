// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <memory>

#include "core/cuda/buffer.h"
#include "fernwood/image/align_depth.h"

namespace fernwood::image {

/// DepthAligner::align() on the GPU in use, with bit-identical results, one frame at a time, for one stream; owns
/// tables and the z-buffer.
class GpuDepthAligner {
 public:
  /// Enqueues the work. @param depth_mm  [depth_rows][depth_cols] in GPU memory.
  /// @return  [color_rows][color_cols] in GPU memory, valid until the next call.
  const std::uint16_t* align(const std::shared_ptr<const DepthAligner>& aligner, const std::uint16_t* depth_mm,
                             const cuda::Stream& stream);

 private:
  std::shared_ptr<const DepthAligner> aligner_;  // whose rays are on the GPU
  cuda::GpuBuffer<float> rays_;
  cuda::GpuBuffer<std::uint32_t> nearest_;  // [color_rows][color_cols]
  cuda::GpuBuffer<std::uint16_t> aligned_;  // the same, in the 16 bits of a frame
};

}  // namespace fernwood::image
