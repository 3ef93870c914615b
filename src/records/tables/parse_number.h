// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace fernwood::records {

namespace detail {

inline constexpr std::array<float, 11> kPowersOfTen = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f,
                                                       1e6f, 1e7f, 1e8f, 1e9f, 1e10f};

/// What from_chars takes, and what is too small for a float: that is 0 or nearly so.
inline const char* parse_any_number(const char* begin, const char* end, float& value) {
  const auto [stop, failure] = std::from_chars(begin, end, value);
  if (failure == std::errc()) return stop;
  if (failure != std::errc::result_out_of_range) return nullptr;
  const double wide = std::strtod(std::string(begin, stop).c_str(), nullptr);
  value = static_cast<float>(wide);
  return std::isinf(value) ? nullptr : stop;
}

}  // namespace detail

/// Reads the number that text begins with: decimal, perhaps with an exponent, or nan, inf, infinity in any case,
/// rounded to the nearest float.
/// @return Behind it; nullptr when there is none or it is too large for a float.
inline const char* parse_number(const char* begin, const char* end, float& value) {
  const char* at = begin;
  const bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) ++at;
  const char* const digits = at;
  std::uint32_t mantissa = 0;
  const auto take_digits = [&] {
    // 8 digits cannot overflow; more are left to the general way.
    for (; at < end && at < digits + 9 && static_cast<unsigned char>(*at - '0') < 10; ++at)
      mantissa = mantissa * 10 + static_cast<std::uint32_t>(*at - '0');
  };
  take_digits();
  std::size_t num_decimals = 0, num_digits = static_cast<std::size_t>(at - digits);
  if (at < end && *at == '.') {
    const char* const point = at++;
    take_digits();
    num_decimals = static_cast<std::size_t>(at - point - 1);
    num_digits += num_decimals;
  }
  const bool more = at < end && (static_cast<unsigned char>(*at - '0') < 10 || *at == 'e' || *at == 'E');
  // Whole numbers below 2^24 and powers of ten up to 10^10 are floats, so that one division rounds once (Clinger, How
  // to Read Floating Point Numbers Accurately, 1990).
  if (num_digits > 0 && num_digits <= 8 && !more && mantissa < (1u << 24)) {
    const float magnitude = static_cast<float>(mantissa) / detail::kPowersOfTen[num_decimals];
    value = negative ? -magnitude : magnitude;
    return at;
  }
  if (begin < end && *begin == '+')
    return digits < end && *digits == '-' ? nullptr : detail::parse_any_number(digits, end, value);
  return detail::parse_any_number(begin, end, value);
}

/// Whether all of a text is a number.
inline bool is_number(std::string_view text, float& value) {
  return !text.empty() && parse_number(text.data(), text.data() + text.size(), value) == text.data() + text.size();
}

}  // namespace fernwood::records
