// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Elementary functions with the same bits on every processor and GPU: only + - * /, comparisons and bit casts, so that
// results depend neither on library functions nor on fused multiply-adds.

#include <cstdint>

/// Marks a function that is compiled for host and device; the only macro that depends on the compiler. On the host the
/// function is always inlined, so that a file compiled for a newer instruction set does not emit a copy of a shared
/// formula that would run on an older processor.
#if defined(__CUDACC__)
#define FW_HD __host__ __device__ __forceinline__
#else
#define FW_HD __attribute__((always_inline)) inline
#endif

namespace fernwood {

FW_HD std::int32_t bits_of(float value) { return __builtin_bit_cast(std::int32_t, value); }
FW_HD float float_of(std::int32_t bits) { return __builtin_bit_cast(float, bits); }
FW_HD float not_a_number() { return float_of(0x7fc00000); }
FW_HD bool is_nan(float value) { return value != value; }

/// An integer with the same order as floats; equal for 0 and -0. @param value  Not NaN.
FW_HD std::uint32_t ordered_bits(float value) {
  const std::int32_t bits = bits_of(value + 0.0f);  // -0 + 0 is 0
  return static_cast<std::uint32_t>(bits) ^ (static_cast<std::uint32_t>(bits >> 31) | 0x80000000u);
}
/// Inverse of ordered_bits().
FW_HD float float_of_ordered(std::uint32_t ordered) {
  return float_of(static_cast<std::int32_t>(ordered & 0x80000000u ? ordered & 0x7fffffffu : ~ordered));
}

/// Side of a test that a value falls on: 0 left, 1 right. NaN goes right, in training as in prediction (thesis 4.1).
FW_HD int side(float value, float threshold) { return value <= threshold ? 0 : 1; }

/// Number of set bits.
FW_HD std::int32_t count_bits(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  return __popc(word);
#else
  return __builtin_popcount(word);
#endif
}

/// The nearest whole number, halves to even. @param value  |value| < 2^22.
FW_HD std::int32_t round_to_int(float value) {
  // Floats in [2^23, 2^24) are whole numbers: adding 1.5 * 2^23 rounds and leaves the result in the low bits.
  return bits_of(value + 12582912.0f) - 0x4B400000;
}

/// a / b, correctly rounded. @param a  0 or 1 <= |a| < 2^32. @param b  1 <= b < 2^24.
FW_HD float divide(float a, float b) {
#if defined(__CUDA_ARCH__)
  // The compiler's code for a / b, without the branch for very large or small numbers.
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
  r = __fmaf_rn(__fmaf_rn(-b, r, 1.0f), r, r);
  const float q = a * r;
  return __fmaf_rn(__fmaf_rn(-b, q, a), r, q);
#else
  return a / b;
#endif
}

/// Base-2 logarithm with an error below 1e-14: log(m) = 2 artanh(s), s = (m - 1) / (m + 1), m in [1, 2).
/// @param value  >= 1.
FW_HD double exact_log2(double value) {
  const std::int64_t bits = __builtin_bit_cast(std::int64_t, value);
  const double m = __builtin_bit_cast(double, (bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int k = 29; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return static_cast<double>((bits >> 52) - 1023) + 2 * s * sum * 1.4426950408889634;
}

/// Base-2 logarithm of a positive normal number: log2(m 2^e) = e + log2(m) with m in [0.707, 1.414), and
/// log2(m) = f P(f) with f = m - 1 and P the minimax polynomial of degree 7; the error of log2(m) is below 1e-7.
/// Without a division, so that loops over it run at the rate of multiplications. Exact at powers of two.
FW_HD float log2_of(float value) {
  const std::int32_t shifted = bits_of(value) - 0x3f3504f3;  // 0x3f3504f3: sqrt(1/2)
  const std::int32_t exponent = shifted >> 23;
  const float f = float_of((shifted & 0x007fffff) + 0x3f3504f3) - 1.0f;
  float p = -0.14574462f;
  p = p * f + 0.23689041f;
  p = p * f - 0.25006899f;
  p = p * f + 0.28670746f;
  p = p * f - 0.36008722f;
  p = p * f + 0.48093945f;
  p = p * f - 0.72135717f;
  p = p * f + 1.4426948f;
  return static_cast<float>(exponent) + f * p;
}

/// Exponential of a number <= 0, with a relative error below 5e-7; 0 below -87, near the smallest normal float.
/// e^x = 2^n e^r with integer n and |r| <= log(2) / 2; n log(2) is subtracted in two parts, so that no bit is lost; e^r
/// is a Taylor polynomial.
FW_HD float exp_of(float value) {
  const float inside = value > -87.0f ? value : -87.0f;
  const std::int32_t whole = round_to_int(inside * 1.44269504f);
  const auto n = static_cast<float>(whole);
  const float r = (inside - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  return value > -87.0f ? float_of(bits_of(p) + whole * (1 << 23)) : 0.0f;
}

}  // namespace fernwood
