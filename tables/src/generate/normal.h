// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "fernwood/core/arithmetic.h"

namespace fernwood::generate {

namespace detail {

/// The normal quantile of 1/2 + q over [0, 15/32], within 1e-5 of its value; fitted to the minimal maximum relative
/// error.
FW_HD float central_normal(float q) {
  const float s = q * q;
  const float above = ((-13.391443f * s + 33.636234f) * s - 17.429213f) * s + 2.5066314f;
  const float below = ((-13.472269f * s + 19.485418f) * s - 8.0002003f) * s + 1.0f;
  return q * above / below;
}

/// The normal quantile of 1 - 2^-t for t in [5, 33], within 1e-5 of its value; fitted likewise. It is smooth as a
/// function of t, so that no root is needed.
FW_HD float normal_tail(float t) {
  const float s = t - 5.0f;
  const float above = ((6.895403e-4f * s + 0.050993115f) * s + 0.6531766f) * s + 1.8627353f;
  const float below = ((2.2957713e-5f * s + 6.605825e-3f) * s + 0.18545322f) * s + 1.0f;
  return above / below;
}

}  // namespace detail

/// A normally distributed number, mean 0 and variance 1, from 32 random bits: up to its sign, the quantile of (bits +
/// 1/2) / 2^32, in (-6.4, 6.4).
FW_HD float normal_of(std::uint32_t bits) {
  const float tail = (static_cast<float>(static_cast<std::int32_t>(bits & 0x7fffffffu)) + 0.5f) * 0x1p-32f;
  const float magnitude = tail >= 0x1p-5f ? detail::central_normal(0.5f - tail) : detail::normal_tail(-log2_of(tail));
  return bits >> 31 ? -magnitude : magnitude;
}

}  // namespace fernwood::generate
