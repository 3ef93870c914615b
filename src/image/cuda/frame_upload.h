// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/cuda/buffer.h"
#include "fernwood/image/prepared_frame.h"
#include "image/cuda/frame_preparer.h"

namespace fernwood::image {

/// Brings frames to the GPU in use, one at a time, through page-locked memory: copies run beside other streams' work.
class FrameUpload {
 public:
  /// Enqueues the copies of what the channels of `preparation` read; fills depth by colourisation, if asked for,
  /// before. The frame may go afterwards; the next one must not come before the stream has passed this one.
  /// @throws Error as check_frame() does.
  RawFrame upload(const Frame& frame, const Preparation& preparation, const cuda::Stream& stream);

 private:
  cuda::PinnedBuffer<Rgb> pinned_color_;
  cuda::PinnedBuffer<std::uint16_t> pinned_depth_;
  cuda::GpuBuffer<Rgb> color_;
  cuda::GpuBuffer<std::uint16_t> depth_mm_;
};

}  // namespace fernwood::image
