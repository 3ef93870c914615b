// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "fernwood/core/error.h"

namespace fernwood::ros {

/// Reads successive numbers and texts in the encodings of ROS recordings and messages. Does not own the bytes.
class ByteReader {
 public:
  /// @param place  Name of the bytes in error messages; kept by reference.
  ByteReader(std::span<const std::uint8_t> bytes, const std::string& place) : bytes_(bytes), place_(place) {}

  /// Counts alignment from the current position: numbers lie at multiples of their size, limited to `most` bytes.
  /// @param is_big_endian  Byte order of numbers.
  void align_from_here(std::size_t most, bool is_big_endian) {
    bytes_ = bytes_.subspan(at_);
    at_ = 0;
    most_alignment_ = most;
    is_big_endian_ = is_big_endian;
  }

  std::size_t left() const { return bytes_.size() - at_; }

  /// Returns the next bytes, and advances past them. @throws Error(kData) if fewer bytes are left.
  std::span<const std::uint8_t> take(std::uint64_t size_bytes) {
    FW_CHECK(size_bytes <= left(), Data,
             place_ << " is damaged (" << size_bytes << " bytes should follow byte " << at_ << ", " << left()
                    << " do); copy the recording again from its source");
    at_ += static_cast<std::size_t>(size_bytes);
    return bytes_.subspan(at_ - static_cast<std::size_t>(size_bytes), static_cast<std::size_t>(size_bytes));
  }

  template <typename Number>
  Number number() {
    if (most_alignment_ > 0) {
      const std::size_t step = std::min(sizeof(Number), most_alignment_);
      take(std::min((step - at_ % step) % step, left()));
    }
    std::uint8_t raw[sizeof(Number)];
    std::memcpy(raw, take(sizeof(Number)).data(), sizeof(Number));
    if (is_big_endian_ != (std::endian::native == std::endian::big)) std::reverse(raw, raw + sizeof(Number));
    Number value;
    std::memcpy(&value, raw, sizeof(Number));
    return value;
  }

  /// Bytes preceded by their number, of 32 bits.
  std::span<const std::uint8_t> counted_bytes() { return take(number<std::uint32_t>()); }
  std::string_view counted_text() {
    const auto bytes = counted_bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::span<const std::uint8_t> bytes_;
  const std::string& place_;
  std::size_t at_ = 0;
  std::size_t most_alignment_ = 0;  // 0: numbers are not aligned
  bool is_big_endian_ = false;
};

}  // namespace fernwood::ros
