// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/utf8.h"

#include <cstddef>
#include <cstdint>

namespace fernwood {

namespace {

/// Number of bytes of a character, from its first byte; 0 if a character cannot begin with it.
std::size_t length_of(std::uint8_t first) {
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
}

/// Whether the second byte is allowed: it must not encode an overlong form, a surrogate or a code point above U+10FFFF.
bool may_follow(std::uint8_t first, std::uint8_t second) {
  const std::uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  return low <= second && second <= high;
}

}  // namespace

bool is_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = length_of(byte(i));
    if (length == 0 || length > text.size() - i) return false;
    if (length > 1 && !may_follow(byte(i), byte(i + 1))) return false;
    for (std::size_t k = 2; k < length; ++k)
      if ((byte(i + k) & 0xC0) != 0x80) return false;
    i += length;
  }
  return true;
}

}  // namespace fernwood
