// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Small networks for tests.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "backbone/network.h"
#include "fernwood/backbone/backbone.h"
#include "forest/noise.h"

namespace fernwood::backbone {

/// Shape of a block of a small network.
struct SmallBlock {
  int expanded, out, kernel, stride;
  bool residual, is_map;
};

/// A network of random weights in their valid ranges, whose activations are neither all saturated nor all equal.
inline Network noise_network(std::uint32_t seed,
                             const std::vector<SmallBlock>& blocks = {{16, 8, 3, 1, false, false},
                                                                      {48, 24, 5, 2, false, false},
                                                                      {80, 24, 3, 1, true, true},
                                                                      {16, 40, 3, 2, false, false},
                                                                      {144, 40, 5, 1, true, true}}) {
  forest::Noise noise(seed);
  Network network;
  network.name = "small";
  network.source = "random numbers";
  network.licence = "MIT";
  network.input_zero = 127;
  const auto fill = [&](std::vector<std::int8_t>& weights, std::vector<Rescaling>& rescaling, int out, int inputs) {
    for (int i = 0; i < out * inputs; ++i)
      weights.push_back(static_cast<std::int8_t>(noise.between(-kMaxWeight, kMaxWeight)));
    // Sums of this many products spread over some 100 steps of an activation.
    int bits = 0;
    while ((1 << 2 * bits) < inputs) ++bits;
    for (int c = 0; c < out; ++c) {
      const int whole = bits + noise.between(6, 8), first = std::max(0, whole - 8 + noise.between(0, 3));
      rescaling.push_back({noise.between(-4000, 4000), first, noise.between(1 << 13, 32767), whole - first + 14});
    }
  };
  int in = 3;
  for (const SmallBlock& shape : blocks) {
    Block block;
    const bool first = network.blocks.empty();
    block.expand = {in, shape.expanded, first ? 3 : 1, first ? 2 : 1, 0, {}, {}};
    block.depthwise = {shape.expanded, shape.kernel, shape.stride, (shape.kernel - shape.stride) / 2, {}, {}};
    block.project = {shape.expanded, shape.out, 1, 1, 0, {}, {}};
    fill(block.expand.weights, block.expand.rescaling, shape.expanded, block.expand.num_inputs());
    fill(block.depthwise.weights, block.depthwise.rescaling, shape.expanded, shape.kernel * shape.kernel);
    fill(block.project.weights, block.project.rescaling, shape.out, shape.expanded);
    if (shape.residual)
      for (int c = 0; c < shape.out; ++c) block.residual.push_back(noise.between(0, 900));
    block.is_map = shape.is_map;
    network.blocks.push_back(std::move(block));
    in = shape.out;
  }
  return network;
}

inline std::shared_ptr<const Backbone> noise_backbone(std::uint32_t seed, int reduction = 1) {
  return read_backbone(encode_network(noise_network(seed), "small"), "small", reduction);
}

/// Writes a backbone file into the folder and returns its path.
inline std::string write_backbone(std::uint32_t seed, const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "small.backbone";
  const std::vector<std::uint8_t> bytes = encode_network(noise_network(seed), "small");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path.string();
}

}  // namespace fernwood::backbone
