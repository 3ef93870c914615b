// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "core/cuda/runtime.h"
#include "fernwood/image/lab.h"
#include "fernwood/image/prepared_frame.h"
#include "image/cuda/measure_geometry.h"

namespace fernwood::image {

/// Channel sets that GPUs compute.
enum class ChannelKind : std::uint8_t { kLab, kRgb, kGradient, kDepth, kHeight, kUpright, kFacing, kKnown };

/// A channel set of a frame, or the count of pixels whose depth is known: its planes are `first_plane` and those behind
/// it.
struct ChannelTask {
  ChannelKind kind;
  std::int32_t first_plane;
};

inline constexpr int kMaxChannelTasks = 12;

/// What the kernel reads and writes.
struct ChannelRowsArgs {
  FrameView layout;  ///< `planes` is not used.
  const Rgb* color;  ///< [rows][cols]
  DepthSource depth;
  GeometryView geometry;  ///< Of the frame, if a task needs it.
  const LabTables* lab_tables;
  std::uint32_t* planes;
  ChannelTask tasks[kMaxChannelTasks];
  std::int32_t num_tasks;
};

/// Computes the channels and sums each row of each plane up from its left end; the row above the first and the column
/// left of the first are 0.
void channel_rows(const ChannelRowsArgs& args, const cuda::Stream& stream);

}  // namespace fernwood::image
