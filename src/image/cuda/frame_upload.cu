// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/cuda/frame_upload.h"

#include <algorithm>

#include "image/prepare_steps.h"

namespace fernwood::image {

namespace {

template <typename T>
const T* upload_image(const Array2<T>& image, cuda::PinnedBuffer<T>& pinned, cuda::GpuBuffer<T>& gpu,
                      const cuda::Stream& stream) {
  pinned.resize(image.size());
  gpu.resize(image.size());
  std::copy(image.begin(), image.end(), pinned.data());
  cuda::copy_to_gpu(pinned.data(), image.size(), gpu.data(), stream);
  return gpu.data();
}

}  // namespace

RawFrame FrameUpload::upload(const Frame& frame, const Preparation& preparation, const cuda::Stream& stream) {
  check_frame(frame, preparation);
  RawFrame raw = {.rows = static_cast<std::int32_t>(frame.rows()),
                  .cols = static_cast<std::int32_t>(frame.cols()),
                  .camera = camera_of(frame, preparation),
                  .up = frame.up};
  // Colour is on its way while depth is looked at.
  if (preparation.channels.needs_color()) raw.color = upload_image(frame.color, pinned_color_, color_, stream);
  if (!preparation.channels.needs_depth()) return raw;
  if (preparation.depth_filling == DepthFilling::kColorized) {
    const Frame filled = with_filled_depth(frame, preparation.depth_filling);
    raw.depth_mm = upload_image(filled.depth_mm, pinned_depth_, depth_mm_, stream);
    raw.depth_complete = is_depth_complete(filled.depth_mm, false);
  } else {
    raw.depth_mm = upload_image(frame.depth_mm, pinned_depth_, depth_mm_, stream);
    raw.depth_complete = is_depth_complete(frame.depth_mm, preparation.depth_filling == DepthFilling::kSimple);
  }
  return raw;
}

}  // namespace fernwood::image
