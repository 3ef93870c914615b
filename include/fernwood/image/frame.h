// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <optional>

#include "fernwood/core/array.h"
#include "fernwood/image/camera.h"

namespace fernwood::image {

/// 8-bit sRGB.
struct Rgb {
  std::uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Rgb&) const = default;
};

/// Depths above this are taken for unknown: a channel value has 15 bits and a sign (see ChannelPlanes).
inline constexpr int kMaxDepthMm = 32767;

/// One picture of a depth camera, as read: colour and depth registered to it. Either may be empty, not both;
/// when both are there they have the same size.
struct Frame {
  Array2<Rgb> color;                  ///< [rows][cols], or empty.
  Array2<std::uint16_t> depth_mm;     ///< [rows][cols], 0 = unknown, or empty.
  std::optional<Camera> camera = {};  ///< What took it, where that is known; for any size of frames.
  Vector3 up = kImageUp;              ///< About where up is, for example by an accelerometer; of any length but 0.

  std::size_t rows() const { return color.empty() ? depth_mm.rows() : color.rows(); }
  std::size_t cols() const { return color.empty() ? depth_mm.cols() : color.cols(); }
};

}  // namespace fernwood::image
