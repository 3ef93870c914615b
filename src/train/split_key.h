// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/forest/region_feature.h"
#include "fernwood/train/score.h"

namespace fernwood::train {

/// Bin of a response: how many of 2^kSteps - 1 ascending thresholds lie below it. Fewer thresholds are made so many by
/// infinities behind them. NaN goes behind all.
/// @param thresholds  One every `stride` floats.
template <int kSteps>
FW_HD std::int32_t bin_of(float response, const float* thresholds, std::int32_t stride) {
  std::int32_t bin = 0;
  for (std::int32_t step = 1 << (kSteps - 1); step > 0; step /= 2)
    if (side(response, thresholds[(bin + step - 1) * stride]) == 1) bin += step;
  return bin;
}

/// A split as a number that is larger the sooner it is chosen (see is_better); 0 for none. Candidates are below 2^24,
/// thresholds below 2^8.
FW_HD std::uint64_t split_key(float score, std::int32_t candidate, std::int32_t threshold) {
  if (!(score > kLeastUsefulScore)) return 0;
  // The bits of positive floats are in the order of their values.
  return static_cast<std::uint64_t>(bits_of(score)) << 32 | static_cast<std::uint64_t>(0xffffff - candidate) << 8 |
         static_cast<std::uint64_t>(0xff - threshold);
}

FW_HD BestSplit split_of_key(std::uint64_t key) {
  if (key == 0) return {};
  return {float_of(static_cast<std::int32_t>(key >> 32)), static_cast<std::int32_t>(0xffffff - (key >> 8 & 0xffffff)),
          static_cast<std::int32_t>(0xff - (key & 0xff))};
}

}  // namespace fernwood::train
