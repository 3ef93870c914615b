// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <vector>

#include "backbone/network.h"
#include "backbone/packed_layer.h"

namespace fernwood::backbone {

/// A layer packed for kernels of a vector width.
struct PackedLayer {
  std::int32_t in = 0, out = 0;
  std::vector<std::int8_t> weights;
  std::vector<std::int32_t> rescaling, residual;

  LayerView view() const {
    return {in, out, weights.data(), rescaling.data(), residual.empty() ? nullptr : residual.data()};
  }
};

/// An instruction set and its kernels.
struct KernelSet {
  std::string name;  ///< "avx2"
  const LayerKernels* kernels;
};

/// Kernel sets that this processor can run, slowest first.
const std::vector<KernelSet>& kernel_sets();

/// @param residual  As in Block. @param zero  0, or kLinearZero. @param kernels  The kernels that the layer is packed
/// for.
PackedLayer pack_dense(const Dense& layer, const std::vector<std::int32_t>& residual, std::int32_t zero,
                       const LayerKernels& kernels);
PackedLayer pack_depthwise(const Depthwise& layer, const LayerKernels& kernels);

}  // namespace fernwood::backbone
