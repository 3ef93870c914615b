// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/integral.h"

#include <algorithm>

#include "image/channel_formulas.h"

namespace fernwood::image {

namespace {

void integrate_row(const std::int16_t* values, std::size_t cols, const std::uint32_t* above, std::uint32_t* sums) {
  std::uint32_t sum = 0;
  sums[0] = 0;
  for (std::size_t x = 0; x < cols; ++x) {
    sum += known_value(values[x]);
    sums[x + 1] = above[x + 1] + sum;
  }
}

void integrate_known_row(const std::int16_t* values, std::size_t cols, const std::uint32_t* sums_above,
                         std::uint32_t* sums, const std::uint32_t* counts_above, std::uint32_t* counts) {
  std::uint32_t sum = 0, count = 0;
  sums[0] = counts[0] = 0;
  for (std::size_t x = 0; x < cols; ++x) {
    sum += known_value(values[x]);
    count += values[x] != kUnknown;
    sums[x + 1] = sums_above[x + 1] + sum;
    counts[x + 1] = counts_above[x + 1] + count;
  }
}

}  // namespace

void integrate(const ChannelImage& channel, std::uint32_t* sums, std::uint32_t* counts) {
  const std::size_t cols = channel.cols(), stride = cols + 1;
  std::fill_n(sums, stride, 0u);
  if (counts) std::fill_n(counts, stride, 0u);
  for (std::size_t y = 0; y < channel.rows(); ++y, sums += stride) {
    if (counts) {
      integrate_known_row(channel.row(y), cols, sums, sums + stride, counts, counts + stride);
      counts += stride;
    } else {
      integrate_row(channel.row(y), cols, sums, sums + stride);
    }
  }
}

}  // namespace fernwood::image
