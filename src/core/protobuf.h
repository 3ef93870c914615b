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
  std::uint64_t value = 0;              ///< Of a whole number, or the bits of a fixed one.
  std::span<const std::uint8_t> bytes;  ///< Of a text, bytes, a message or packed numbers; else empty.
  bool has_bytes = false;

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

/// The fields of a message, one after another. ONNX files are read by this: libprotobuf with the code of ONNX's schema
/// would be larger than all else that reads models. Nothing is believed: each length is checked against what is there.
class ProtoReader {
 public:
  ProtoReader(std::span<const std::uint8_t> message, const ErrorContext& place) : left_(message), place_(&place) {}

  /// Empty at the end. @throws Error(place.kind) for what is no message.
  std::optional<ProtoField> next();
  /// A whole number of packed ones; empty at the end.
  std::optional<std::uint64_t> next_packed();

 private:
  std::uint64_t varint();
  [[noreturn]] void fail() const;
  std::span<const std::uint8_t> take(std::uint64_t size);

  std::span<const std::uint8_t> left_;
  const ErrorContext* place_;
};

}  // namespace fernwood
