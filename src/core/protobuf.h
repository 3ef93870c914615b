// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/json_field.h"

namespace fernwood {

/// A field of a message in the wire format of Protocol Buffers (protobuf.dev, "Encoding").
struct ProtoField {
  std::uint32_t number = 0;
  std::uint64_t value = 0;              ///< A whole number, or the bits of a fixed-width one.
  std::span<const std::uint8_t> bytes;  ///< A string, bytes, a message or packed numbers; otherwise empty.
  bool has_bytes = false;

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

/// Iterates over the fields of a message. ONNX files are read by this class: libprotobuf with the generated code of
/// ONNX's schema would be larger than all other model readers. The input is untrusted: each length is checked against
/// the remaining bytes.
class ProtoReader {
 public:
  ProtoReader(std::span<const std::uint8_t> message, const ErrorContext& place) : left_(message), place_(&place) {}

  /// The next field; empty at the end. @throws Error(place.kind) for bytes that are not a message.
  std::optional<ProtoField> next();
  /// The next of packed whole numbers; empty at the end.
  std::optional<std::uint64_t> next_packed();

 private:
  std::uint64_t varint();
  [[noreturn]] void fail() const;
  std::span<const std::uint8_t> take(std::uint64_t size);

  std::span<const std::uint8_t> left_;
  const ErrorContext* place_;
};

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
