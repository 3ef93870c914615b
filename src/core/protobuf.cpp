// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/protobuf.h"

#include "fernwood/core/error.h"

namespace fernwood {

namespace {

enum WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

std::uint64_t number_of(std::span<const std::uint8_t> bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | bytes[i];
  return number;
}

}  // namespace

void ProtoReader::fail() const {
  throw Error(place_->kind, place_->file + " is not an ONNX file, or a damaged one" + place_->remedy);
}

std::span<const std::uint8_t> ProtoReader::take(std::uint64_t size) {
  if (size > left_.size()) fail();
  const auto taken = left_.first(static_cast<std::size_t>(size));
  left_ = left_.subspan(taken.size());
  return taken;
}

std::uint64_t ProtoReader::varint() {
  constexpr int kMaxBits = 64;
  std::uint64_t number = 0;
  for (int shift = 0; shift < kMaxBits; shift += 7) {
    const std::uint8_t byte = take(1)[0];
    number |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return number;
  }
  fail();
}

std::optional<ProtoField> ProtoReader::next() {
  if (left_.empty()) return std::nullopt;
  const std::uint64_t key = varint();
  ProtoField field;
  field.number = static_cast<std::uint32_t>(key >> 3);
  switch (key & 7) {
    case kVarint:
      field.value = varint();
      break;
    case kFixed64:
      field.value = number_of(take(sizeof(std::uint64_t)));
      break;
    case kFixed32:
      field.value = number_of(take(sizeof(std::uint32_t)));
      break;
    case kBytes:
      field.bytes = take(varint());
      field.has_bytes = true;
      break;
    default:
      fail();
  }
  return field;
}

std::optional<std::uint64_t> ProtoReader::next_packed() {
  if (left_.empty()) return std::nullopt;
  return varint();
}

}  // namespace fernwood
