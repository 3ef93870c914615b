// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace fernwood::records {

/// Digits of sort_by_upper_half(): the fewest that have at most 11 bits each.
struct Digits {
  /// @param range  Largest minus smallest upper half.
  explicit Digits(std::uint32_t range)
      : count((std::bit_width(range) + 10) / 11), bits(count == 0 ? 0 : (std::bit_width(range) + count - 1) / count) {}
  int count, bits;
  /// Number of steps to sort n numbers.
  std::size_t work(std::size_t n) const { return static_cast<std::size_t>(count) * (2 * n + (std::size_t{1} << bits)); }
};

/// Sorts numbers stably by their upper 32 bits, digit by digit, the lowest first.
/// @param other  As large as `keys`, overwritten.
/// @param low, high  The smallest and largest upper half that occurs.
/// @return  Whichever of the two spans holds the result.
inline std::span<std::uint64_t> sort_by_upper_half(std::span<std::uint64_t> keys, std::span<std::uint64_t> other,
                                                   std::uint32_t low, std::uint32_t high) {
  const Digits digits(high - low);
  const std::uint32_t num_values = 1u << digits.bits;
  std::array<std::uint32_t, 2048> starts;
  for (int i = 0; i < digits.count; ++i) {
    const auto digit_of = [=, shift = i * digits.bits](std::uint64_t key) {
      return ((static_cast<std::uint32_t>(key >> 32) - low) >> shift) & (num_values - 1);
    };
    std::fill_n(starts.begin(), num_values, 0u);
    for (const std::uint64_t key : keys) ++starts[digit_of(key)];
    std::uint32_t sum = 0;
    for (std::uint32_t v = 0; v < num_values; ++v) starts[v] = std::exchange(sum, sum + starts[v]);
    for (const std::uint64_t key : keys) other[starts[digit_of(key)]++] = key;
    std::swap(keys, other);
  }
  return keys;
}

/// The same by radix or comparison sort, whichever takes fewer steps; the latter also orders by the lower halves.
inline std::span<std::uint64_t> sort_keys(std::span<std::uint64_t> keys, std::span<std::uint64_t> other,
                                          std::uint32_t low, std::uint32_t high) {
  // Mispredicted branches make comparisons expensive, so their number is not halved.
  const std::size_t comparing_work = keys.size() * static_cast<std::size_t>(std::bit_width(keys.size()));
  if (keys.size() >= 16 && comparing_work >= Digits(high - low).work(keys.size()))
    return sort_by_upper_half(keys, other, low, high);
  std::ranges::sort(keys);
  return keys;
}

}  // namespace fernwood::records
