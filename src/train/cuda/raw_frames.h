// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/cuda/buffer.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/image/prepared_frame.h"
#include "train/kept_frames.h"

namespace fernwood::train {

/// A frame as training on a GPU needs it: raw pixels in page-locked memory, with depth filled as asked for.
struct RawTrainFrame {
  std::int32_t rows = 0, cols = 0;
  cuda::PinnedBuffer<image::Rgb> color;        ///< [rows][cols], or empty
  cuda::PinnedBuffer<std::uint16_t> depth_mm;  ///< [rows][cols], or empty
  image::Camera camera;                        ///< See camera_of().
  image::Vector3 up;                           ///< As in Frame.
  bool depth_complete = false;
  std::int32_t highest_depth_mm = 0;
  cuda::PinnedBuffer<std::uint8_t> context;  ///< [class][cell rows][cell cols] See ContextMaps; or empty
  image::LabelImage labels;

  std::size_t pixel_bytes() const { return color.size_bytes() + depth_mm.size_bytes() + context.size_bytes(); }
  std::size_t size_bytes() const { return pixel_bytes() + labels.size() * sizeof(std::uint16_t); }
};

/// @param labels  Moved into the result.
/// @throws Error(kData) when the frame lacks what the channels need.
RawTrainFrame make_raw_frame(const image::Frame& frame, image::LabelImage labels,
                             const image::Preparation& preparation);

using RawFrames = KeptFrames<RawTrainFrame>;

}  // namespace fernwood::train
