// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/cuda/raw_frames.h"

#include <algorithm>

#include "image/prepare_steps.h"

namespace fernwood::train {

namespace {

template <typename T>
cuda::PinnedBuffer<T> pinned_copy(const Array2<T>& image) {
  cuda::PinnedBuffer<T> copy(image.size());
  std::copy(image.begin(), image.end(), copy.data());
  return copy;
}

}  // namespace

RawTrainFrame make_raw_frame(const image::Frame& frame, image::LabelImage labels,
                             const image::Preparation& preparation) {
  image::check_frame(frame, preparation);
  RawTrainFrame raw;
  raw.rows = static_cast<std::int32_t>(frame.rows());
  raw.cols = static_cast<std::int32_t>(frame.cols());
  raw.camera = image::camera_of(frame, preparation);
  raw.up = frame.up;
  raw.labels = std::move(labels);
  if (preparation.channels.needs_color()) raw.color = pinned_copy(frame.color);
  if (!preparation.channels.needs_depth()) return raw;
  const image::Frame filled =
      image::fills_depth(preparation) ? image::with_filled_depth(frame, preparation.depth_filling) : image::Frame{};
  const Array2<std::uint16_t>& depth_mm = filled.depth_mm.empty() ? frame.depth_mm : filled.depth_mm;
  raw.depth_mm = pinned_copy(depth_mm);
  raw.depth_complete = image::is_depth_complete(depth_mm, false);
  for (const std::uint16_t depth : depth_mm)
    if (depth <= image::kMaxDepthMm) raw.highest_depth_mm = std::max<std::int32_t>(raw.highest_depth_mm, depth);
  return raw;
}

}  // namespace fernwood::train
