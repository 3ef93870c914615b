// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fernwood {

/// Writes a message in the wire format of Protocol Buffers (protobuf.dev, "Encoding"), field by field.
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
  /// Appends a string, bytes or a nested message.
  ProtoWriter& bytes(std::uint32_t field, std::string_view value) {
    varint(std::uint64_t{field} << 3 | 2);
    varint(value.size());
    out_ += value;
    return *this;
  }
  /// Appends packed whole numbers, which readers accept for a repeated field.
  ProtoWriter& packed(std::uint32_t field, std::span<const std::int64_t> values) {
    ProtoWriter numbers;
    for (const std::int64_t value : values) numbers.varint(static_cast<std::uint64_t>(value));
    return bytes(field, numbers.text());
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
