// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

}  // namespace fernwood
