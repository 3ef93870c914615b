// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. Includes only FW_HD formulas and plain data: any other
// function that this file emitted might be shared with other files.
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // false alarm: https://gcc.gnu.org/PR105593
#endif
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "backbone/packed_layer.h"

namespace fernwood::backbone::FW_ISA {

namespace {

// Vectors of sums. All variants do the same whole-number arithmetic.

#if defined(__AVX512BW__)

struct Lanes {
  static constexpr int kLanes = 16;
  static constexpr int kTile = 8;        ///< Pixels at a time: their sums, the weights and an input fill the registers.
  static constexpr int kSubtracted = 0;  ///< Subtracted from activations in dot(); see LayerKernels.
  using Ints = __m512i;                  ///< Sums.
  using Bytes = __m512i;                 ///< Four bytes for each sum.

  static Ints zero() { return _mm512_setzero_si512(); }
  static Bytes load(const void* from) { return _mm512_loadu_si512(from); }
  /// Repeats four bytes for each sum.
  static Bytes spread(const std::uint8_t* from) {
    std::int32_t four;
    std::memcpy(&four, from, sizeof(four));
    return _mm512_set1_epi32(four);
  }
  /// Adds four products to each sum.
  static Ints dot(Ints sums, Bytes activations, Bytes weights) {
#if defined(__AVX512VNNI__)
    return _mm512_dpbusd_epi32(sums, activations, weights);
#else
    // The sum of two products may exceed 16 bits, where the instruction saturates; one product does not.
    const __m512i ones = _mm512_set1_epi16(1), evens = _mm512_set1_epi16(0xff);
    const __m512i even = _mm512_maddubs_epi16(_mm512_and_si512(activations, evens), weights);
    const __m512i odd = _mm512_maddubs_epi16(_mm512_andnot_si512(evens, activations), weights);
    return _mm512_add_epi32(_mm512_add_epi32(sums, _mm512_madd_epi16(even, ones)), _mm512_madd_epi16(odd, ones));
#endif
  }
  static Ints add_scaled(Ints sums, const std::uint8_t* bytes, int count, const std::int32_t* factors) {
    const auto some = static_cast<__mmask16>((1u << count) - 1);
    const Ints wide = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(some, bytes));
    return _mm512_add_epi32(sums, _mm512_mullo_epi32(wide, load(factors)));
  }
  /// rescale() without the limits of 8 bits. @param by  [5][kLanes]
  static Ints rescaled(Ints sums, const std::int32_t* by) {
    const Ints shifted = _mm512_srav_epi32(_mm512_add_epi32(sums, load(by)), load(by + kLanes));
    const Ints cut = _mm512_max_epi32(_mm512_min_epi32(shifted, _mm512_set1_epi32(32767)), _mm512_set1_epi32(-32768));
    const Ints product = _mm512_madd_epi16(cut, load(by + 2 * kLanes));  // the multiplier's upper half is 0
    return _mm512_srav_epi32(_mm512_add_epi32(product, load(by + 3 * kLanes)), load(by + 4 * kLanes));
  }
  static void store(Ints values, std::uint8_t* to, int count) {
    const __m128i bytes = _mm512_cvtusepi32_epi8(_mm512_max_epi32(values, zero()));
    if (count >= kLanes)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
    else
      _mm_mask_storeu_epi8(to, static_cast<__mmask16>((1u << count) - 1), bytes);
  }
  static Bytes low8(Bytes a, Bytes b) { return _mm512_unpacklo_epi8(a, b); }
  static Bytes high8(Bytes a, Bytes b) { return _mm512_unpackhi_epi8(a, b); }
  static Bytes low16(Bytes a, Bytes b) { return _mm512_unpacklo_epi16(a, b); }
  static Bytes high16(Bytes a, Bytes b) { return _mm512_unpackhi_epi16(a, b); }
  /// Stores four vectors whose channels are in the order of low8() and high16(). @param count  In bytes.
  static void store_four(const Ints* values, std::uint8_t* to, int count) {
    const __m512i bytes =
        _mm512_packus_epi16(_mm512_packs_epi32(values[0], values[1]), _mm512_packs_epi32(values[2], values[3]));
    if (count >= 4 * kLanes)
      _mm512_storeu_si512(to, bytes);
    else
      _mm512_mask_storeu_epi8(to, (std::uint64_t{1} << count) - 1, bytes);
  }
};

#elif defined(__AVX2__)

struct Lanes {
  static constexpr int kLanes = 8;
  static constexpr int kTile = 4;
  static constexpr int kSubtracted = 0;
  using Ints = __m256i;
  using Bytes = __m256i;

  static Ints zero() { return _mm256_setzero_si256(); }
  static Bytes load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
  static Bytes spread(const std::uint8_t* from) {
    std::int32_t four;
    std::memcpy(&four, from, sizeof(four));
    return _mm256_set1_epi32(four);
  }
  static Ints dot(Ints sums, Bytes activations, Bytes weights) {
    // The sum of two products may exceed 16 bits, where the instruction saturates; one product does not.
    const __m256i ones = _mm256_set1_epi16(1), evens = _mm256_set1_epi16(0xff);
    const __m256i even = _mm256_maddubs_epi16(_mm256_and_si256(activations, evens), weights);
    const __m256i odd = _mm256_maddubs_epi16(_mm256_andnot_si256(evens, activations), weights);
    return _mm256_add_epi32(_mm256_add_epi32(sums, _mm256_madd_epi16(even, ones)), _mm256_madd_epi16(odd, ones));
  }
  static Ints add_scaled(Ints sums, const std::uint8_t* bytes, int, const std::int32_t* factors) {
    const Ints wide = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes)));
    return _mm256_add_epi32(sums, _mm256_mullo_epi32(wide, load(factors)));
  }
  static Ints rescaled(Ints sums, const std::int32_t* by) {
    const Ints shifted = _mm256_srav_epi32(_mm256_add_epi32(sums, load(by)), load(by + kLanes));
    const Ints cut = _mm256_max_epi32(_mm256_min_epi32(shifted, _mm256_set1_epi32(32767)), _mm256_set1_epi32(-32768));
    const Ints product = _mm256_madd_epi16(cut, load(by + 2 * kLanes));  // the multiplier's upper half is 0
    return _mm256_srav_epi32(_mm256_add_epi32(product, load(by + 3 * kLanes)), load(by + 4 * kLanes));
  }
  static void store(Ints values, std::uint8_t* to, int) {
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(values), _mm256_extracti128_si256(values, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(words, words));
  }
  static Bytes low8(Bytes a, Bytes b) { return _mm256_unpacklo_epi8(a, b); }
  static Bytes high8(Bytes a, Bytes b) { return _mm256_unpackhi_epi8(a, b); }
  static Bytes low16(Bytes a, Bytes b) { return _mm256_unpacklo_epi16(a, b); }
  static Bytes high16(Bytes a, Bytes b) { return _mm256_unpackhi_epi16(a, b); }
  static void store_four(const Ints* values, std::uint8_t* to, int count) {
    const __m256i bytes =
        _mm256_packus_epi16(_mm256_packs_epi32(values[0], values[1]), _mm256_packs_epi32(values[2], values[3]));
    if (count >= 4 * kLanes) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
    } else {
      alignas(32) std::uint8_t all[4 * kLanes];
      _mm256_store_si256(reinterpret_cast<__m256i*>(all), bytes);
      std::memcpy(to, all, static_cast<std::size_t>(count));
    }
  }
};

#elif defined(__aarch64__)

struct Lanes {
  static constexpr int kLanes = 4;
  static constexpr int kTile = 8;
  static constexpr int kSubtracted = 128;
  using Ints = int32x4_t;
  using Bytes = uint8x16_t;

  static Ints zero() { return vdupq_n_s32(0); }
  static Bytes load(const void* from) { return vld1q_u8(static_cast<const std::uint8_t*>(from)); }
  static Ints load_ints(const std::int32_t* from) { return vld1q_s32(from); }
  static Bytes spread(const std::uint8_t* from) {
    std::uint32_t four;
    std::memcpy(&four, from, sizeof(four));
    return vreinterpretq_u8_u32(vdupq_n_u32(four));
  }
  static Ints dot(Ints sums, Bytes activations, Bytes weights) {
    // Both factors must be signed, or both unsigned: 128 is subtracted from activations by flipping their highest bit.
    const int8x16_t values = vreinterpretq_s8_u8(veorq_u8(activations, vdupq_n_u8(0x80)));
    const int8x16_t factors = vreinterpretq_s8_u8(weights);
#if defined(__ARM_FEATURE_DOTPROD)
    return vdotq_s32(sums, values, factors);
#else
    // The sum of two products fits into 16 bits, since no weight is -128.
    const int16x8_t low = vmull_s8(vget_low_s8(values), vget_low_s8(factors));
    const int16x8_t high = vmull_high_s8(values, factors);
    return vpadalq_s16(sums, vpaddq_s16(low, high));
#endif
  }
  static Ints add_scaled(Ints sums, const std::uint8_t* bytes, int, const std::int32_t* factors) {
    std::uint32_t four;
    std::memcpy(&four, bytes, sizeof(four));
    const uint16x8_t words = vmovl_u8(vcreate_u8(four));
    return vmlaq_s32(sums, vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(words))), load_ints(factors));
  }
  static Ints rescaled(Ints sums, const std::int32_t* by) {
    const Ints shifted = vshlq_s32(vaddq_s32(sums, load_ints(by)), vnegq_s32(load_ints(by + kLanes)));
    const Ints cut = vmaxq_s32(vminq_s32(shifted, vdupq_n_s32(32767)), vdupq_n_s32(-32768));
    const Ints product = vmlaq_s32(load_ints(by + 3 * kLanes), cut, load_ints(by + 2 * kLanes));
    return vshlq_s32(product, vnegq_s32(load_ints(by + 4 * kLanes)));
  }
  static void store(Ints values, std::uint8_t* to, int) {
    const uint16x4_t words = vqmovun_s32(values);
    const std::uint32_t four = vget_lane_u32(vreinterpret_u32_u8(vqmovn_u16(vcombine_u16(words, words))), 0);
    std::memcpy(to, &four, sizeof(four));
  }
  static Bytes low8(Bytes a, Bytes b) { return vzip1q_u8(a, b); }
  static Bytes high8(Bytes a, Bytes b) { return vzip2q_u8(a, b); }
  static Bytes low16(Bytes a, Bytes b) {
    return vreinterpretq_u8_u16(vzip1q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
  }
  static Bytes high16(Bytes a, Bytes b) {
    return vreinterpretq_u8_u16(vzip2q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
  }
  static void store_four(const Ints* values, std::uint8_t* to, int) {  // channels are a multiple of 16
    const uint16x8_t low = vcombine_u16(vqmovun_s32(values[0]), vqmovun_s32(values[1]));
    const uint16x8_t high = vcombine_u16(vqmovun_s32(values[2]), vqmovun_s32(values[3]));
    vst1q_u8(to, vcombine_u8(vqmovn_u16(low), vqmovn_u16(high)));
  }
};

#else

struct Lanes {
  static constexpr int kLanes = 4;
  static constexpr int kTile = 4;
  static constexpr int kSubtracted = 0;
  struct Ints {
    std::int32_t at[kLanes];
  };
  struct Bytes {
    std::uint8_t at[4 * kLanes];
  };

  static Ints zero() { return {}; }
  static Bytes load(const void* from) {
    Bytes bytes;
    std::memcpy(&bytes, from, sizeof(bytes));
    return bytes;
  }
  static Bytes spread(const std::uint8_t* from) {
    Bytes bytes;
    for (int i = 0; i < kLanes; ++i) std::memcpy(bytes.at + 4 * i, from, 4);
    return bytes;
  }
  static Ints dot(Ints sums, Bytes activations, Bytes weights) {
    for (int i = 0; i < kLanes; ++i)
      for (int k = 4 * i; k < 4 * i + 4; ++k)
        sums.at[i] += static_cast<std::int32_t>(activations.at[k]) * static_cast<std::int8_t>(weights.at[k]);
    return sums;
  }
  static Ints add_scaled(Ints sums, const std::uint8_t* bytes, int, const std::int32_t* factors) {
    for (int i = 0; i < kLanes; ++i) sums.at[i] += bytes[i] * factors[i];
    return sums;
  }
  static Ints rescaled(Ints sums, const std::int32_t* by) {
    for (int i = 0; i < kLanes; ++i) {
      const std::int32_t shifted = (sums.at[i] + by[i]) >> by[kLanes + i];
      const std::int32_t cut = shifted < -32768 ? -32768 : shifted > 32767 ? 32767 : shifted;
      sums.at[i] = (cut * by[2 * kLanes + i] + by[3 * kLanes + i]) >> by[4 * kLanes + i];
    }
    return sums;
  }
  static std::uint8_t byte_of(std::int32_t value) {
    return static_cast<std::uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
  }
  static void store(Ints values, std::uint8_t* to, int) {
    for (int i = 0; i < kLanes; ++i) to[i] = byte_of(values.at[i]);
  }
  /// Interleaves units of kSize bytes of one half of two vectors.
  template <int kSize>
  static Bytes by_turns(const Bytes& a, const Bytes& b, int from) {
    Bytes both;
    for (int i = 0; i < 2 * kLanes; i += kSize) {
      std::memcpy(both.at + 2 * i, a.at + from + i, kSize);
      std::memcpy(both.at + 2 * i + kSize, b.at + from + i, kSize);
    }
    return both;
  }
  static Bytes low8(const Bytes& a, const Bytes& b) { return by_turns<1>(a, b, 0); }
  static Bytes high8(const Bytes& a, const Bytes& b) { return by_turns<1>(a, b, 2 * kLanes); }
  static Bytes low16(const Bytes& a, const Bytes& b) { return by_turns<2>(a, b, 0); }
  static Bytes high16(const Bytes& a, const Bytes& b) { return by_turns<2>(a, b, 2 * kLanes); }
  static void store_four(const Ints* values, std::uint8_t* to, int count) {
    for (int i = 0; i < count; ++i) to[i] = byte_of(values[i / kLanes].at[i % kLanes]);
  }
};

#endif

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
