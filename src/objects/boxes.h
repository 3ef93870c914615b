// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "fernwood/image/camera.h"
#include "fernwood/objects/objects.h"
#include "objects/object_formulas.h"
#include "objects/pieces.h"

namespace fernwood::objects {

/// The level directions, over half a turn.
struct Directions {
  std::array<float, kDirections> across, forward;
  Directions();
};

/// What is measured of objects after pieces have been merged.
struct ObjectSums {
  std::array<float, kDirections> lowest, highest;  ///< Along the directions, mm.
  std::vector<std::int64_t> sureness;              ///< [class] or empty

  explicit ObjectSums(std::size_t num_classes) : sureness(num_classes, 0) {
    lowest.fill(static_cast<float>(kFar));
    highest.fill(-static_cast<float>(kFar));
  }
  void add(const ObjectSums& other) {
    for (std::size_t k = 0; k < kDirections; ++k) {
      lowest[k] = std::min(lowest[k], other.lowest[k]);
      highest[k] = std::max(highest[k], other.highest[k]);
    }
    for (std::size_t c = 0; c < sureness.size(); ++c) sureness[c] += other.sureness[c];
  }
  bool has_points() const { return lowest[0] <= highest[0]; }
  /// Rounds to whole mm, in which GPUs compare.
  void round() {
    for (std::size_t k = 0; k < kDirections && has_points(); ++k) {
      lowest[k] = static_cast<float>(round_to_int(lowest[k]));
      highest[k] = static_cast<float>(round_to_int(highest[k]));
    }
  }
  float extent(std::size_t direction) const { return highest[direction] - lowest[direction]; }
};

/// In coordinates of the camera, in metres.
inline image::Vector3 place_of(const LevelFrame& level, double across_mm, double forward_mm, double up_mm) {
  return level.direction(static_cast<float>(across_mm / 1000), static_cast<float>(forward_mm / 1000),
                         static_cast<float>(up_mm / 1000));
}

/// The upright box of least circumference among those along the directions: of two sides of a box that are seen, the
/// area of the base is as small along their diagonal.
Box box_of(const PixelSums& sums, const ObjectSums& measured, const Directions& directions, const LevelFrame& level);

}  // namespace fernwood::objects
