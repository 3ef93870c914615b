// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A quantised convolutional network of the family of MobileNetV2 (Sandler et al. 2018, section 3) and
// EfficientNet-Lite, whose blocks are an expansion, a depthwise convolution and a linear projection.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/json_field.h"
#include "fernwood/core/arithmetic.h"

namespace fernwood::backbone {

// Number formats of a network: activations are unsigned 8-bit numbers, sums have 32 bits. After ReLU6, an activation of
// 0 represents 0 and 255 represents 6; the activations of a linear projection represent 0 by 128.

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

/// Most channels of a layer.
inline constexpr int kMaxChannels = 8192;

/// A convolution over all channels: of one pixel, or, for the stem, of `kernel` times `kernel` colours.
struct Dense {
  int in = 0, out = 0;                     ///< Channels.
  int kernel = 1, stride = 1, before = 0;  ///< Pixels; `before` counts those before the centre.
  std::vector<std::int8_t> weights;        ///< [out][kernel][kernel][in]
  std::vector<Rescaling> rescaling;        ///< [out]
  int num_inputs() const { return kernel * kernel * in; }
  bool operator==(const Dense&) const = default;
};

/// A convolution of each channel separately.
struct Depthwise {
  int channels = 0;
  int kernel = 3, stride = 1, before = 1;
  std::vector<std::int8_t> weights;  ///< [channel][kernel][kernel]
  std::vector<Rescaling> rescaling;  ///< [channel]
  bool operator==(const Depthwise&) const = default;
};

/// Expansion (or, in the first block, the stem), depthwise convolution, projection, and the addition of the block's
/// input.
struct Block {
  Dense expand;                        ///< With ReLU6.
  Depthwise depthwise;                 ///< With ReLU6.
  Dense project;                       ///< Linear.
  std::vector<std::int32_t> residual;  ///< [project.out] Factors of the block's input, added to sums; or empty.
  bool is_map = false;                 ///< Whether its activations are feature maps.
  int stride() const { return expand.stride * depthwise.stride; }
  bool operator==(const Block&) const = default;
};

struct Network {
  std::string name;             ///< "lite0"
  std::string source;           ///< Origin of its weights, with their version or checksum.
  std::string licence;          ///< Of the weights.
  std::uint8_t input_zero = 0;  ///< The colour beyond the border of an image.
  std::vector<Block> blocks;

  /// Side of a cell after the first blocks, in pixels. @param num_blocks  At least 1.
  int stride_of(std::size_t num_blocks) const {
    int stride = 1;
    for (std::size_t b = 0; b < num_blocks; ++b) stride *= blocks[b].stride();
    return stride;
  }
  int num_maps() const {
    int maps = 0;
    for (const Block& block : blocks) maps += block.is_map ? block.project.out : 0;
    return maps;
  }
  bool operator==(const Network&) const = default;
};

/// Checks that a network can be run without further checks: that layers fit together, numbers are in range and sums fit
/// into 32 bits. @throws Error(place.kind) naming block, rule and value.
void check_network(const Network& network, const ErrorContext& place);

/// The bytes of a backbone file, see docs/reference/model_file.md. @throws Error(kModel) for a network that a reader
/// would reject.
std::vector<std::uint8_t> encode_network(const Network& network, const std::string& name);

/// @param name  Name of the file, for messages. @throws Error(kModel) in one sentence for a damaged, foreign or newer
/// file.
Network decode_network(std::span<const std::uint8_t> bytes, const std::string& name);

}  // namespace fernwood::backbone
