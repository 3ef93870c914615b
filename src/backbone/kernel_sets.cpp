// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "backbone/run_network.h"

#include <algorithm>
#include <numeric>

#include "core/isa.h"
#include "fernwood/core/platform.h"

namespace fernwood::backbone {

FW_ISA_TABLES(LayerKernels, layer_kernels_table)

#if defined(FERNWOOD_HAS_ISA_vnni)
namespace isa_vnni {
extern const LayerKernels layer_kernels_table;
}
#endif
#if defined(FERNWOOD_HAS_ISA_dotprod)
namespace isa_dotprod {
extern const LayerKernels layer_kernels_table;
}
#endif

namespace {

std::vector<KernelSet> find_kernel_sets() {
  std::vector<KernelSet> sets;
  for (const Isa isa : available_isas()) sets.push_back({to_string(isa), &layer_kernels_table_of(isa)});
#if defined(FERNWOOD_HAS_ISA_vnni)
  if (available_isas().back() == Isa::kAvx512 && __builtin_cpu_supports("avx512vnni"))
    sets.push_back({"avx512 with VNNI", &isa_vnni::layer_kernels_table});
#endif
#if defined(FERNWOOD_HAS_ISA_dotprod)
  if (platform::has_dot_products()) sets.push_back({"baseline with dot products", &isa_dotprod::layer_kernels_table});
#endif
  return sets;
}

constexpr std::size_t round_up(std::size_t size, std::size_t step) { return (size + step - 1) / step * step; }

/// Correction of a sum of products whose activations were reduced by `subtracted`.
std::int32_t missing_in_sum(std::int32_t subtracted, const std::int8_t* weights, std::size_t num_weights) {
  return subtracted * std::accumulate(weights, weights + num_weights, std::int32_t{0});
}

/// Writes the rescaling of a channel. @param missing  From missing_in_sum(). @param vector  [5][lanes]
void pack_rescaling(const Rescaling& by, std::int32_t missing, std::int32_t zero, std::size_t lanes, std::size_t lane,
                    std::int32_t* vector) {
  vector[lane] = by.bias + missing + half_of(by.first_shift);
  vector[lanes + lane] = by.first_shift;
  vector[2 * lanes + lane] = by.multiplier;
  vector[3 * lanes + lane] = half_of(by.shift) + (zero << by.shift);
  vector[4 * lanes + lane] = by.shift;
}

}  // namespace

const std::vector<KernelSet>& kernel_sets() {
  static const std::vector<KernelSet> sets = find_kernel_sets();
  return sets;
}

PackedLayer pack_dense(const Dense& layer, const std::vector<std::int32_t>& residual, std::int32_t zero,
                       const LayerKernels& kernels) {
  const auto lanes = static_cast<std::size_t>(kernels.lanes), out = static_cast<std::size_t>(layer.out);
  const auto inputs = static_cast<std::size_t>(layer.num_inputs());
  const std::size_t in = round_up(inputs, 4), padded = round_up(out, lanes);
  PackedLayer packed = {static_cast<std::int32_t>(in), layer.out, {}, {}, residual};
  packed.weights.resize(in * padded);
  packed.rescaling.resize(5 * padded);
  if (!residual.empty()) packed.residual.resize(padded);
  std::int8_t* next = packed.weights.data();
  for (std::size_t first = 0; first < out; first += kDenseVectors * lanes) {
    const std::size_t num = std::min(padded - first, kDenseVectors * lanes);
    for (std::size_t k = 0; k < in; k += 4)
      for (std::size_t c = first; c < first + num; ++c)
        for (std::size_t i = k; i < k + 4; ++i, ++next)
          if (c < out && i < inputs) *next = layer.weights[c * inputs + i];
  }
  for (std::size_t c = 0; c < padded; ++c)
    pack_rescaling(c < out ? layer.rescaling[c] : Rescaling(),
                   c < out ? missing_in_sum(kernels.subtracted, layer.weights.data() + c * inputs, inputs) : 0, zero,
                   lanes, c % lanes, packed.rescaling.data() + c / lanes * 5 * lanes);
  return packed;
}

PackedLayer pack_depthwise(const Depthwise& layer, const LayerKernels& kernels) {
  const auto lanes = static_cast<std::size_t>(kernels.lanes), channels = static_cast<std::size_t>(layer.channels);
  const auto taps = static_cast<std::size_t>(layer.kernel * layer.kernel);
  const std::size_t chunk = 4 * lanes, padded = round_up(channels, chunk), groups = round_up(taps, kTaps) / kTaps;
  PackedLayer packed = {layer.kernel, layer.channels, {}, {}, {}};
  packed.weights.resize(padded * groups * kTaps);
  packed.rescaling.resize(5 * padded);
  std::int8_t* next = packed.weights.data();
  for (std::size_t first = 0; first < channels; first += chunk) {
    // Within 16 bytes of a vector, groups of four are interleaved: see Lanes::store_four().
    const auto channel = [&](std::size_t v, std::size_t lane) { return first + lane / 4 * 16 + v * 4 + lane % 4; };
    for (std::size_t g = 0; g < groups; ++g)
      for (std::size_t v = 0; v < 4; ++v)
        for (std::size_t lane = 0; lane < lanes; ++lane)
          for (std::size_t tap = g * kTaps; tap < (g + 1) * kTaps; ++tap, ++next)
            if (const std::size_t c = channel(v, lane); c < channels && tap < taps)
              *next = layer.weights[c * taps + tap];
    for (std::size_t v = 0; v < 4; ++v)
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::size_t c = channel(v, lane);
        pack_rescaling(c < channels ? layer.rescaling[c] : Rescaling(),
                       c < channels ? missing_in_sum(kernels.subtracted, layer.weights.data() + c * taps, taps) : 0, 0,
                       lanes, lane, packed.rescaling.data() + (first + v * lanes) * 5);
      }
  }
  return packed;
}

}  // namespace fernwood::backbone
