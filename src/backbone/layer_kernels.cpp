// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. Includes only FW_HD formulas and plain data: any other
// function that this file emitted might be shared with other files.
#include "backbone/lanes.h"
#include "backbone/packed_layer.h"

namespace fernwood::backbone::FW_ISA {

namespace {

using Ints = Lanes::Ints;
using Bytes = Lanes::Bytes;
constexpr int kLanes = Lanes::kLanes, kTile = Lanes::kTile;
constexpr int kRescalingSize = 5 * kLanes;

/// Computes some pixels and vectors of output channels of a dense layer, with their sums in registers.
/// @param weights  [in / 4][kVectors][kLanes][4] @param first  Output channel.
template <int kVectors, int kPixels>
void dense_tile(const LayerView& layer, const std::int8_t* weights, int first, const std::uint8_t* in,
                const std::uint8_t* residual, std::uint8_t* out) {
  Ints sums[kPixels][kVectors];
  for (int p = 0; p < kPixels; ++p)
    for (int v = 0; v < kVectors; ++v) sums[p][v] = Lanes::zero();
  for (int k = 0; k < layer.in; k += 4) {
    Bytes of_outputs[kVectors];
    for (int v = 0; v < kVectors; ++v) of_outputs[v] = Lanes::load(weights + (k * kVectors + 4 * v) * kLanes);
    for (int p = 0; p < kPixels; ++p) {
      const Bytes four = Lanes::spread(in + p * layer.in + k);
      for (int v = 0; v < kVectors; ++v) sums[p][v] = Lanes::dot(sums[p][v], four, of_outputs[v]);
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    const int channel = first + v * kLanes, left = layer.out - channel, count = left < kLanes ? left : kLanes;
    const std::int32_t* by = layer.rescaling + channel * 5;
    for (int p = 0; p < kPixels; ++p) {
      Ints sum = sums[p][v];
      const int at = p * layer.out + channel;
      if (residual) sum = Lanes::add_scaled(sum, residual + at, count, layer.residual + channel);
      Lanes::store(Lanes::rescaled(sum, by), out + at, count);
    }
  }
}

template <int kVectors>
void dense_vectors(const LayerView& layer, const std::int8_t* weights, int first, const std::uint8_t* in,
                   std::size_t count, const std::uint8_t* residual, std::uint8_t* out) {
  std::size_t p = 0;
  const auto tile = [&](auto pixels, auto of_tile) {
    for (; p + pixels <= count; p += pixels)
      of_tile(layer, weights, first, in + p * static_cast<std::size_t>(layer.in),
              residual ? residual + p * static_cast<std::size_t>(layer.out) : nullptr,
              out + p * static_cast<std::size_t>(layer.out));
  };
  tile(std::size_t{kTile}, dense_tile<kVectors, kTile>);
  tile(std::size_t{kTile / 2}, dense_tile<kVectors, kTile / 2>);
  tile(std::size_t{1}, dense_tile<kVectors, 1>);
}

void dense(const LayerView& layer, const std::uint8_t* in, std::size_t count, const std::uint8_t* residual,
           std::uint8_t* out) {
  const std::int8_t* weights = layer.weights;
  for (int first = 0; first < layer.out;) {
    const bool both = layer.out - first > kLanes;
    (both ? dense_vectors<kDenseVectors> : dense_vectors<1>)(layer, weights, first, in, count, residual, out);
    const int vectors = both ? kDenseVectors : 1;
    weights += static_cast<std::ptrdiff_t>(layer.in) * vectors * kLanes;
    first += vectors * kLanes;
  }
}

/// @tparam kKernel  Side of the kernel.
template <int kKernel>
void depthwise_row(const LayerView& layer, const std::uint8_t* const* rows, std::int32_t stride, std::size_t count,
                   std::uint8_t* out) {
  constexpr int kAll = kKernel * kKernel, kGroups = (kAll + kTaps - 1) / kTaps, kChunk = 4 * kLanes;
  const std::ptrdiff_t channels = layer.out;
  for (int first = 0; first < layer.out; first += kChunk) {
    const std::int8_t* weights = layer.weights + static_cast<std::ptrdiff_t>(first) * kGroups * kTaps;
    const std::int32_t* by = layer.rescaling + static_cast<std::ptrdiff_t>(first) * 5;
    const int left = layer.out - first, num = left < kChunk ? left : kChunk;
    for (std::size_t x = 0; x < count; ++x) {
      const std::ptrdiff_t corner = static_cast<std::ptrdiff_t>(x) * stride * channels + first;
      Ints sums[4] = {Lanes::zero(), Lanes::zero(), Lanes::zero(), Lanes::zero()};
      for (int g = 0; g < kGroups; ++g) {
        Bytes taps[kTaps];
        for (int t = 0; t < kTaps; ++t) {
          // After the last tap any tap will do: its weights are 0.
          const int tap = g * kTaps + t < kAll ? g * kTaps + t : kAll - 1;
          taps[t] = Lanes::load(rows[tap / kKernel] + corner + tap % kKernel * channels);
        }
        const Bytes low_first = Lanes::low8(taps[0], taps[1]), low_second = Lanes::low8(taps[2], taps[3]);
        const Bytes high_first = Lanes::high8(taps[0], taps[1]), high_second = Lanes::high8(taps[2], taps[3]);
        const Bytes fours[4] = {Lanes::low16(low_first, low_second), Lanes::high16(low_first, low_second),
                                Lanes::low16(high_first, high_second), Lanes::high16(high_first, high_second)};
        for (int v = 0; v < 4; ++v)
          sums[v] = Lanes::dot(sums[v], fours[v], Lanes::load(weights + (g * 4 + v) * kChunk));
      }
      for (int v = 0; v < 4; ++v) sums[v] = Lanes::rescaled(sums[v], by + v * kRescalingSize);
      Lanes::store_four(sums, out + static_cast<std::ptrdiff_t>(x) * channels + first, num);
    }
  }
}

void depthwise(const LayerView& layer, const std::uint8_t* const* rows, std::int32_t stride, std::size_t count,
               std::uint8_t* out) {
  (layer.in == 3 ? depthwise_row<3> : depthwise_row<5>)(layer, rows, stride, count, out);
}

}  // namespace

extern const LayerKernels layer_kernels_table;
const LayerKernels layer_kernels_table = {kLanes, Lanes::kSubtracted, dense, depthwise};

}  // namespace fernwood::backbone::FW_ISA
