// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace fernwood {

/// A message in the wire format of Protocol Buffers.
class ProtoWriter {
 public:
  ProtoWriter& whole(std::uint32_t field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3);
    varint(value);
    return *this;
  }
  ProtoWriter& real(std::uint32_t field, float value) {
    varint(std::uint64_t{field} << 3 | 5);
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int i = 0; i < 4; ++i) out_ += static_cast<char>(bits >> (8 * i));
    return *this;
  }
  ProtoWriter& real64(std::uint32_t field, double value) {
    varint(std::uint64_t{field} << 3 | 1);
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i) out_ += static_cast<char>(bits >> (8 * i));
    return *this;
  }
  ProtoWriter& bytes(std::uint32_t field, const std::string& value) {
    varint(std::uint64_t{field} << 3 | 2);
    varint(value.size());
    out_ += value;
    return *this;
  }
  const std::string& text() const { return out_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>((value & 0x7f) | 0x80);
    out_ += static_cast<char>(value);
  }
  std::string out_;
};

}  // namespace fernwood
