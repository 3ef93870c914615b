// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "objects/boxes.h"

#include <cmath>
#include <numbers>

namespace fernwood::objects {

Directions::Directions() {
  for (std::size_t i = 0; i < kDirections; ++i) {
    const double angle = std::numbers::pi * static_cast<double>(i) / kDirections;
    across[i] = static_cast<std::int32_t>(std::lround(kDirectionScale * std::cos(angle)));
    forward[i] = static_cast<std::int32_t>(std::lround(kDirectionScale * std::sin(angle)));
  }
}

Box box_of(const PixelSums& sums, const ObjectSums& measured, const Directions& directions, const ResultFrame& frame) {
  constexpr std::size_t kQuarterTurn = kDirections / 2;
  const auto base = [&](std::size_t k) { return std::int64_t{measured.extent(k)} * measured.extent(k + kQuarterTurn); };
  std::size_t first = 0;
  for (std::size_t k = 1; k < kQuarterTurn; ++k)
    if (base(k) < base(first)) first = k;
  const std::size_t second = first + kQuarterTurn;
  const auto direction = [&](std::size_t k) {
    return frame.direction(static_cast<float>(directions.across[k]) / kDirectionScale,
                           static_cast<float>(directions.forward[k]) / kDirectionScale, 0);
  };
  const bool swap = measured.extent(first) < measured.extent(second);
  Box box;
  box.axes = {direction(swap ? second : first), direction(swap ? first : second), frame.direction(0, 0, 1)};
  box.size = {static_cast<float>(measured.extent(swap ? second : first)) / 1000,
              static_cast<float>(measured.extent(swap ? first : second)) / 1000,
              static_cast<float>(sums.highest.up - sums.lowest.up) / 1000};
  const auto middle = [](std::int32_t low, std::int32_t high) { return 0.5 * (low + high); };
  const double along = middle(measured.lowest[first], measured.highest[first]),
               beside = middle(measured.lowest[second], measured.highest[second]);
  const auto unit = [](std::int32_t coordinate) { return static_cast<double>(coordinate) / kDirectionScale; };
  box.center = frame.place(along * unit(directions.across[first]) + beside * unit(directions.across[second]),
                           along * unit(directions.forward[first]) + beside * unit(directions.forward[second]),
                           middle(sums.lowest.up, sums.highest.up));
  return box;
}

}  // namespace fernwood::objects
