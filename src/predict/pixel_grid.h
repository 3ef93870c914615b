// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/context.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::predict {

/// The pixels of a frame that a stage is asked about: all of them, or one for each cell of `step` pixels each way.
struct PixelGrid {
  std::int32_t rows, cols;  ///< In cells.
  std::int32_t step;        ///< 1, or kContextStep.

  /// The pixel that speaks for a cell, along one side of the frame.
  FW_HD std::int32_t pixel(std::int32_t cell, std::int32_t pixels) const {
    return step == 1 ? cell : image::context_pixel(cell, pixels);
  }
};

/// For the stage that labels. @param frame  A FrameView, or the like.
template <typename AnyFrame>
FW_HD PixelGrid every_pixel(const AnyFrame& frame) {
  return {frame.rows, frame.cols, 1};
}
/// For the stages before it.
template <typename AnyFrame>
FW_HD PixelGrid context_grid(const AnyFrame& frame) {
  return {image::context_cells(frame.rows), image::context_cells(frame.cols), image::kContextStep};
}

}  // namespace fernwood::predict
