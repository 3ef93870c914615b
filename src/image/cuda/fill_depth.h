// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "core/cuda/runtime.h"

namespace fernwood::image {

/// Depth to fill, [rows][cols] in GPU memory.
struct FillDepthArgs {
  const std::uint16_t* depth_mm;
  std::uint16_t* filled_mm;  ///< Written.
  std::uint8_t* row_known;   ///< [rows], written: whether the row has any known depth, and now no other.
  std::int32_t rows, cols;
};

/// The first two of the four passes of fill_depth_simple(), those along the rows; rows without any known depth are left
/// to who reads them (see DepthSource). Depth beyond kMaxDepthMm is unknown.
void fill_depth_rows(const FillDepthArgs& args, const cuda::Stream& stream);

}  // namespace fernwood::image
