// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/context.h"

namespace fernwood::image {

void context_row(const ContextMap& map, const ContextPlace& down, std::int32_t cols, std::int16_t* values) {
  const std::uint8_t* above = map.values + down.first * map.cols;
  const std::uint8_t* below = map.values + down.second * map.cols;
  const auto between_rows = [&](std::int32_t cell) {
    return above[cell] * (8 - down.weight) + below[cell] * down.weight;
  };
  const auto from_the_start = [&](std::int32_t x) { return context_value(map, context_place(x, map.cols), down); };
  // Adjacent cell centres are four pixels apart; the first lies two pixels from the border.
  constexpr std::int32_t kBefore = kContextStep / 2;
  std::int32_t x = 0;
  for (; x < kBefore && x < cols; ++x) values[x] = from_the_start(x);
  std::int32_t left = between_rows(0);
  for (std::int32_t cell = 1; cell < map.cols && x + kContextStep <= cols; ++cell, x += kContextStep) {
    const std::int32_t right = between_rows(cell);
    for (std::int32_t i = 0; i < kContextStep; ++i)
      values[x + i] = static_cast<std::int16_t>(left * (7 - 2 * i) + right * (1 + 2 * i));
    left = right;
  }
  for (; x < cols; ++x) values[x] = from_the_start(x);
}

}  // namespace fernwood::image
