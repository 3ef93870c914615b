// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Estimates whether depth is aligned to colour, from the edges of both in some frames. Labels are not used.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/image/frame.h"

namespace fernwood::dataset {

/// Range of the shifts, in cells. Images are 320 cells wide, so that shifts reach 32 pixels of 640.
inline constexpr int kShiftReach = 16;
inline constexpr int kShiftSide = 2 * kShiftReach + 1;
inline constexpr std::size_t kNumShifts = static_cast<std::size_t>(kShiftSide) * kShiftSide;

/// Magnifications are powers of 1.02: steps of three cells at the border of an image. The range covers a RealSense
/// D435, whose depth camera sees 1.42 times as much as its colour camera.
inline constexpr int kScaleReach = 18;
inline constexpr std::size_t kNumScales = 2 * kScaleReach + 1;
inline constexpr std::int64_t kScaleOne = 65536;

/// Magnification of depth about the centre of the image, in units of 1 / kScaleOne.
std::int64_t scale_at(std::size_t index);

struct EdgeAgreement {
  std::size_t cell_px = 0;                            ///< 0 when the frame is too small.
  std::array<std::uint32_t, kNumScales> num_edges{};  ///< Cells with a depth step over which the sums are taken.
  /// [scale][dy][dx] Strengths of colour edges, summed over the cells with a depth step, shifted by dx - kShiftReach
  /// and dy - kShiftReach cells right and down.
  std::vector<std::uint32_t> sums = {};
};

/// @param depth_mm  [rows][cols], aligned to colour; 0 is unknown.
EdgeAgreement edge_agreement(const Array2<image::Rgb>& color, const Array2<std::uint16_t>& depth_mm);

/// Number of frames that suffices to judge a data set; more only take longer.
inline constexpr std::size_t kMaxAligned = 24;

/// Position of depth relative to colour, in the centre of the image.
struct Misalignment {
  double right_px = 0, down_px = 0;  ///< Negative: left, up.
  double magnification = 1;          ///< Size of objects in depth, relative to colour.
  std::size_t num_frames = 0;        ///< Used for the estimate.
};

/// @param frames  In the order of the frames; those without enough edges are skipped.
/// @return        Empty where depth is aligned to colour within 3 pixels of 640, and where the edges are inconclusive:
///                fewer than 5 frames, no edges, or a different result for two halves of the frames.
std::optional<Misalignment> find_misalignment(std::span<const EdgeAgreement> frames);

/// "depth seems to lie 10 pixels left of colour (by the edges in 24 frames)".
std::string to_string(const Misalignment& found);

}  // namespace fernwood::dataset
