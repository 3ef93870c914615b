// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// How well the steps of a depth image lie on the edges of its colour image, for each way in which depth might be moved
// and magnified. Whole numbers only: sums over frames are the same in any order.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/image/frame.h"

namespace fernwood::dataset {

/// Shifts are tried in cells, the size of which makes a picture 320 cells wide: up to 32 pixels of 640.
inline constexpr int kShiftReach = 16;
inline constexpr int kShiftSide = 2 * kShiftReach + 1;
inline constexpr std::size_t kNumShifts = static_cast<std::size_t>(kShiftSide) * kShiftSide;

/// Magnifications are powers of 1.02: at the border of a picture, steps of three cells. The widest take depth of a
/// RealSense D435, which sees 1.42 times as much as its colour camera.
inline constexpr int kScaleReach = 18;
inline constexpr std::size_t kNumScales = 2 * kScaleReach + 1;
inline constexpr std::int64_t kScaleOne = 65536;

/// What depth must be magnified by about the middle of the picture, in 1 / kScaleOne.
std::int64_t scale_at(std::size_t index);

struct EdgeAgreement {
  std::size_t cell_px = 0;                            ///< 0 when the frame is too small to say anything.
  std::array<std::uint32_t, kNumScales> num_edges{};  ///< Cells with a step of depth that the sums are over.
  /// [scale][dy][dx] strengths of colour edges at the cells with a step of depth, moved by dx - kShiftReach and
  /// dy - kShiftReach cells right and down.
  std::vector<std::uint32_t> sums = {};
};

/// @param depth_mm  [rows][cols] as colour is; 0 is unknown.
EdgeAgreement edge_agreement(const Array2<image::Rgb>& color, const Array2<std::uint16_t>& depth_mm);

}  // namespace fernwood::dataset
