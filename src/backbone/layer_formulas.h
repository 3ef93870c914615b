// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Number formats of a network: activations are unsigned 8-bit numbers, sums have 32 bits. After ReLU6, an activation of
// 0 represents 0 and 255 represents 6; the activations of a linear projection represent 0 by 128.

#include <cstdint>

#include "fernwood/core/arithmetic.h"

namespace fernwood::backbone {

/// Maximum magnitude of a weight.
inline constexpr int kMaxWeight = 127;
/// Maximum magnitudes of a bias, and of the factor of a block's input: with them all sums fit into 32 bits, see
/// check_network().
inline constexpr std::int32_t kMaxBias = 1 << 29, kMaxResidual = 1 << 16;
/// Maximum side of a kernel.
inline constexpr int kMaxKernel = 5;
/// Represents 0 in the activations of a projection.
inline constexpr int kLinearZero = 128;

/// Conversion of the sum of one output channel to 8 bits.
struct Rescaling {
  std::int32_t bias = 0;         ///< Added to the sum.
  std::int32_t first_shift = 0;  ///< Then shifted right by this, [0, 24], and clamped to 16 bits.
  std::int32_t multiplier = 1;   ///< Then multiplied by this, [1, 32767].
  std::int32_t shift = 1;        ///< Then shifted right by this, [1, 22].
  bool operator==(const Rescaling&) const = default;
};

/// The offset added before a right shift, so that it rounds to nearest, halves up.
FW_HD constexpr std::int32_t half_of(std::int32_t shift) { return (1 << shift) >> 1; }

/// Rescales a sum to 8 bits; this is the only rounding rule of networks. Right shifts are arithmetic.
/// @param zero  0, or kLinearZero.
FW_HD std::uint8_t rescale(std::int32_t sum, const Rescaling& by, std::int32_t zero) {
  const std::int32_t shifted = (sum + by.bias + half_of(by.first_shift)) >> by.first_shift;
  const std::int32_t cut = shifted < -32768 ? -32768 : shifted > 32767 ? 32767 : shifted;
  const std::int32_t value = zero + ((cut * by.multiplier + half_of(by.shift)) >> by.shift);
  return static_cast<std::uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

/// Number of pixels or cells along a side after a convolution.
FW_HD constexpr std::int32_t strided(std::int32_t size, std::int32_t stride) { return (size + stride - 1) / stride; }

/// Converts an activation of a projection to a value of a feature map: in steps of 1/128, so that maps have the range
/// of other channels.
FW_HD std::int16_t map_value_of(std::uint8_t activation) {
  return static_cast<std::int16_t>((static_cast<std::int32_t>(activation) - kLinearZero) * 128);
}

}  // namespace fernwood::backbone
