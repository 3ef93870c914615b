// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cmath>
#include <iterator>

#include "backbone/import/float_network.h"
#include "forest/noise.h"

namespace fernwood::backbone {

inline const ErrorContext kPlace = {"w.pth", "; get it again", "the file", ErrorKind::kData};

/// State of an EfficientNet-Lite with few channels: seven stages, of which the third and the last have two blocks.
inline StateDict small_state(std::uint32_t seed) {
  forest::Noise noise(seed);
  StateDict state;
  const auto unit = [&] { return static_cast<float>(noise.between(-1000, 1000)) / 1000; };
  const auto add = [&](const std::string& name, const std::vector<std::int64_t>& shape, float spread, float middle) {
    Tensor tensor{shape, {}};
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    for (std::int64_t i = 0; i < count; ++i) tensor.values.push_back(middle + spread * unit());
    state[name] = tensor;
  };
  const auto add_layer = [&](const std::string& convolution, const std::string& normalization, int out, int in, int k) {
    add(convolution + ".weight", {out, in, k, k}, 1.5f / std::sqrt(static_cast<float>(in * k * k)), 0);
    add(normalization + ".weight", {out}, 0.3f, 1);
    add(normalization + ".bias", {out}, 0.5f, 0.5f);
    add(normalization + ".running_mean", {out}, 0.2f, 0);
    add(normalization + ".running_var", {out}, 0.2f, 0.6f);
  };
  add_layer("_conv_stem", "_bn0", 16, 3, 3);
  const int outs[] = {8, 16, 24, 24, 32, 40, 48, 56, 56}, kernels[] = {3, 3, 5, 5, 3, 5, 5, 3, 3};
  int in = 16;
  for (std::size_t b = 0; b < std::size(outs); ++b) {
    const std::string prefix = "_blocks." + std::to_string(b) + ".";
    const int expanded = b == 0 ? 16 : 48;
    if (b > 0) add_layer(prefix + "_expand_conv", prefix + "_bn0", expanded, in, 1);
    add_layer(prefix + "_depthwise_conv", prefix + "_bn1", expanded, 1, kernels[b]);
    add_layer(prefix + "_project_conv", prefix + "_bn2", outs[b], expanded, 1);
    in = outs[b];
  }
  add("_fc.weight", {10, 56}, 1, 0);
  return state;
}

}  // namespace fernwood::backbone
