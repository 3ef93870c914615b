// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Arithmetic on numbers of files, which anybody may have written. A result too large becomes the largest number, so
// that a comparison with what a file has still fails.

#include <cstdint>

namespace fernwood {

constexpr std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) {
  return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

constexpr std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

}  // namespace fernwood
