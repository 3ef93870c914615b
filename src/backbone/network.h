// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A quantised convolutional network of the family of MobileNetV2 (Sandler et al. 2018, section 3) and
// EfficientNet-Lite, whose blocks are an expansion, a depthwise convolution and a linear projection.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "backbone/layer_formulas.h"

namespace fernwood::backbone {

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

}  // namespace fernwood::backbone
