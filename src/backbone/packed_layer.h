// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What is compiled for several instruction sets sees this and no more.

#include <cstddef>
#include <cstdint>

namespace fernwood::backbone {

/// A layer as kernels read it: weights in the order of their loads, and for each vector of output channels bias, first
/// shift, multiplier, what is added before the shift, shift.
struct LayerView {
  std::int32_t in;   ///< Dense: inputs of a pixel, a multiple of 4. Depthwise: side of the kernel.
  std::int32_t out;  ///< Channels, a multiple of 8, or of 16 of a depthwise layer.
  const std::int8_t* weights;
  const std::int32_t* rescaling;  ///< [vector][5][lanes]
  const std::int32_t* residual;   ///< [vector][lanes], or null.
};

/// The loops that networks spend their time in, for one instruction set; all give the same numbers.
struct LayerKernels {
  std::int32_t lanes;       ///< Sums in a vector.
  std::int32_t subtracted;  ///< From each activation before it is multiplied; the biases make up for it.
  /// A dense layer on pixels side by side. @param in  [count][layer.in] @param residual  [count][layer.out], or null.
  /// @param out  [count][layer.out], written.
  void (*dense)(const LayerView& layer, const std::uint8_t* in, std::size_t count, const std::uint8_t* residual,
                std::uint8_t* out);
  /// A row of a depthwise layer. @param rows  [kernel] The first pixel that the first output sees; kSlack bytes may be
  /// read behind the last one. @param out  [count][layer.out], written.
  void (*depthwise)(const LayerView& layer, const std::uint8_t* const* rows, std::int32_t stride, std::size_t count,
                    std::uint8_t* out);
};

/// Bytes that kernels may read behind rows of activations.
inline constexpr std::size_t kSlack = 64;

/// Taps of a depthwise kernel that are multiplied together, the last ones by 0 where there are none.
inline constexpr std::int32_t kTaps = 4;
/// Vectors of output channels that a dense kernel has at hand.
inline constexpr std::int32_t kDenseVectors = 2;

}  // namespace fernwood::backbone
