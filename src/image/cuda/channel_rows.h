// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "core/cuda/runtime.h"
#include "fernwood/image/lab.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::cuda {

/// Channel sets that GPUs compute.
enum class ChannelKind : std::uint8_t { kLab, kRgb, kGradient, kDepth };

/// A channel set of a frame: its planes are `first_plane` and those behind it.
struct ChannelTask {
  ChannelKind kind;
  std::int32_t first_plane;
  std::int32_t count_plane;  ///< Plane that counts known pixels, or -1.
};

/// Depth as the depth channel reads it.
struct DepthSource {
  const std::uint16_t* depth_mm = nullptr;  ///< [rows][cols]
  const std::uint8_t* row_known = nullptr;  ///< [rows] 0: the row is like its nearest known one; null: all stand alone.
};

inline constexpr int kMaxChannelTasks = 8;

/// What the kernel reads and writes.
struct ChannelRowsArgs {
  FrameView layout;  ///< `planes` is not used.
  const Rgb* color;  ///< [rows][cols]
  DepthSource depth;
  const LabTables* lab_tables;
  std::uint32_t* planes;
  ChannelTask tasks[kMaxChannelTasks];
  std::int32_t num_tasks;
};

/// Computes the channels and sums each row of each plane up from its left end; the row above the first and the column
/// left of the first are 0.
void channel_rows(const ChannelRowsArgs& args, const Stream& stream);

}  // namespace fernwood::cuda
