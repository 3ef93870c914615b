// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Included by code that is compiled for several instruction sets, and therefore minimal.

#include <cstddef>
#include <cstdint>

namespace fernwood::backbone {

/// A layer in the layout of kernels: weights in the order of their loads, and for each vector of output channels the
/// bias, the first shift, the multiplier, the number added before the shift, and the shift.
struct LayerView {
  std::int32_t in;   ///< Dense: inputs of a pixel, a multiple of 4. Depthwise: side of the kernel.
  std::int32_t out;  ///< Number of channels, a multiple of 8, or of 16 for a depthwise layer.
  const std::int8_t* weights;
  const std::int32_t* rescaling;  ///< [vector][5][lanes]
  const std::int32_t* residual;   ///< [vector][lanes], or null.
};

/// The hot loops of networks for one instruction set; all sets give the same numbers.
struct LayerKernels {
  std::int32_t lanes;       ///< Sums in a vector.
  std::int32_t subtracted;  ///< From each activation before the multiplication; biases compensate for it.
  /// A dense layer on adjacent pixels. @param in  [count][layer.in] @param residual  [count][layer.out], or null.
  /// @param out  [count][layer.out], output.
  void (*dense)(const LayerView& layer, const std::uint8_t* in, std::size_t count, const std::uint8_t* residual,
                std::uint8_t* out);
  /// A row of a depthwise layer. @param rows  [kernel] The first pixel that the first output reads; kSlack bytes after
  /// the last one may be read. @param out  [count][layer.out], output.
  void (*depthwise)(const LayerView& layer, const std::uint8_t* const* rows, std::int32_t stride, std::size_t count,
                    std::uint8_t* out);
};

/// Bytes that kernels may read after rows of activations.
inline constexpr std::size_t kSlack = 64;

/// Taps of a depthwise kernel that are multiplied together; missing ones have weight 0.
inline constexpr std::int32_t kTaps = 4;
/// Vectors of output channels that a dense kernel processes at a time.
inline constexpr std::int32_t kDenseVectors = 2;

}  // namespace fernwood::backbone
