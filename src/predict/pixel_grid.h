// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/context.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::predict {

/// The pixels of a frame for which trees are evaluated: all of them, or one for each cell of `step` x `step` pixels.
struct PixelGrid {
  std::int32_t rows, cols;  ///< In cells.
  std::int32_t step;

  /// Coordinate of a cell's representative pixel, along one axis. @param pixels  Size of the frame along it.
  FW_HD std::int32_t pixel(std::int32_t cell, std::int32_t pixels) const {
    return image::cell_pixel(cell, step, pixels);
  }
};

/// One pixel for each cell. @param frame  A FrameView, or a type with the same members.
template <typename AnyFrame>
FW_HD PixelGrid grid_of(const AnyFrame& frame, std::int32_t step) {
  return {(frame.rows + step - 1) / step, (frame.cols + step - 1) / step, step};
}
/// Grid of the labelling stage.
template <typename AnyFrame>
FW_HD PixelGrid every_pixel(const AnyFrame& frame) {
  return grid_of(frame, 1);
}
/// Grid of context stages.
template <typename AnyFrame>
FW_HD PixelGrid context_grid(const AnyFrame& frame) {
  return grid_of(frame, image::kContextStep);
}

}  // namespace fernwood::predict
