// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The whole numbers of a network: activations have 8 bits without sign, sums 32. Behind ReLU6 an activation of 0 is 0
// and 255 is 6; the activations of a linear projection have their 0 at 128.

#include <cstdint>

#include "fernwood/core/arithmetic.h"

namespace fernwood::backbone {

/// Greatest magnitude of a weight.
inline constexpr int kMostWeight = 127;
/// Greatest magnitude of a bias, and of the factor of a block's input: with them no sum leaves 32 bits, see
/// check_network().
inline constexpr std::int32_t kMostBias = 1 << 29, kMostResidual = 1 << 16;
/// Longest side of a kernel.
inline constexpr int kMostKernel = 5;
/// What stands for 0 in the activations of a projection.
inline constexpr int kLinearZero = 128;

/// How the sum of products of one output channel becomes 8 bits.
struct Rescaling {
  std::int32_t bias = 0;         ///< Added to the sum.
  std::int32_t first_shift = 0;  ///< Then shifted right by this, [0, 24], and cut to 16 bits.
  std::int32_t multiplier = 1;   ///< Then times this, [1, 32767].
  std::int32_t shift = 1;        ///< Then shifted right by this, [1, 22].
  bool operator==(const Rescaling&) const = default;
};

/// What is added before a shift to the right, so that it rounds to the nearest number, halves up.
FW_HD constexpr std::int32_t half_of(std::int32_t shift) { return (1 << shift) >> 1; }

/// The 8 bits of a sum, the one rounding rule of networks. Shifts to the right keep the sign.
/// @param zero  0, or kLinearZero.
FW_HD std::uint8_t rescale(std::int32_t sum, const Rescaling& by, std::int32_t zero) {
  const std::int32_t shifted = (sum + by.bias + half_of(by.first_shift)) >> by.first_shift;
  const std::int32_t cut = shifted < -32768 ? -32768 : shifted > 32767 ? 32767 : shifted;
  const std::int32_t value = zero + ((cut * by.multiplier + half_of(by.shift)) >> by.shift);
  return static_cast<std::uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

/// Pixels or cells along a side behind a convolution.
FW_HD constexpr std::int32_t strided(std::int32_t size, std::int32_t stride) { return (size + stride - 1) / stride; }

/// A value of a feature map, from an activation of a projection: in steps of 1/128, so that maps have the range of
/// other channels.
FW_HD std::int16_t map_value_of(std::uint8_t activation) {
  return static_cast<std::int16_t>((static_cast<std::int32_t>(activation) - kLinearZero) * 128);
}

}  // namespace fernwood::backbone
