// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Vectors of sums for the instruction set of the including file, used by layer_kernels.cpp. All variants do the same
// whole-number arithmetic.

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

namespace fernwood::backbone::FW_ISA {

namespace {

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

}  // namespace

}  // namespace fernwood::backbone::FW_ISA
