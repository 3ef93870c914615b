// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "objects/boxes.h"

#include <cmath>
#include <numbers>

namespace fernwood::objects {

Directions::Directions() {
  for (std::size_t i = 0; i < kDirections; ++i) {
    const double angle = std::numbers::pi * static_cast<double>(i) / kDirections;
    across[i] = static_cast<float>(std::cos(angle));
    forward[i] = static_cast<float>(std::sin(angle));
  }
}

Box box_of(const PixelSums& sums, const ObjectSums& measured, const Directions& directions, const LevelFrame& level) {
  constexpr std::size_t kQuarterTurn = kDirections / 2;
  const auto circumference = [&](std::size_t k) { return measured.extent(k) + measured.extent(k + kQuarterTurn); };
  std::size_t first = 0;
  for (std::size_t k = 1; k < kQuarterTurn; ++k)
    if (circumference(k) < circumference(first)) first = k;
  const std::size_t second = first + kQuarterTurn;
  const auto direction = [&](std::size_t k) { return level.direction(directions.across[k], directions.forward[k], 0); };
  const bool swap = measured.extent(first) < measured.extent(second);
  Box box;
  box.axes = {direction(swap ? second : first), direction(swap ? first : second), level.direction(0, 0, 1)};
  box.size = {measured.extent(swap ? second : first) / 1000, measured.extent(swap ? first : second) / 1000,
              static_cast<float>(sums.highest.up - sums.lowest.up) / 1000};
  const float along = 0.5f * (measured.lowest[first] + measured.highest[first]),
              beside = 0.5f * (measured.lowest[second] + measured.highest[second]);
  box.center = place_of(level, along * directions.across[first] + beside * directions.across[second],
                        along * directions.forward[first] + beside * directions.forward[second],
                        0.5f * static_cast<float>(sums.lowest.up + sums.highest.up));
  return box;
}

Object moved(Object object, const image::RigidMotion& motion) {
  if (object.distance_m == 0) return object;
  object.place = motion(object.place);
  if (object.box == Box()) return object;  // of stuff, or with too few points
  object.box.center = motion(object.box.center);
  for (image::Vector3& axis : object.box.axes)
    axis = {dot(motion.rotation[0], axis), dot(motion.rotation[1], axis), dot(motion.rotation[2], axis)};
  return object;
}

}  // namespace fernwood::objects
