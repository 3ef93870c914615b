// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json_field.h"

namespace fernwood::backbone {

/// A value that a pickle makes.
struct PickleValue {
  enum class Kind { kNone, kNumber, kText, kTuple, kList, kDict, kFunction, kCall, kStored };
  Kind kind = Kind::kNone;
  std::int64_t number = 0;                ///< Of a number; true is 1.
  std::string text;                       ///< Of a text; "module name" of a function; of a call, what it calls.
  std::vector<const PickleValue*> items;  ///< Of a tuple, list or call (its arguments); of what is stored its parts.
  std::vector<std::pair<const PickleValue*, const PickleValue*>> entries;  ///< Of a dictionary.
};

/// What remains of bytes that are read from front to back.
class ByteCursor {
 public:
  ByteCursor(std::span<const std::uint8_t> bytes, const ErrorContext& place) : bytes_(bytes), place_(place) {}
  /// The next bytes. @throws Error(kData) where there are fewer.
  std::span<const std::uint8_t> take(std::uint64_t count);
  /// The next bytes as a number without sign, the lowest one first. @param count  At most 8.
  std::uint64_t number(std::size_t count);
  /// The next bytes up to a line's end, which is passed over.
  std::string_view line();
  std::size_t num_left() const { return bytes_.size(); }
  const ErrorContext& place() const { return place_; }

 private:
  std::span<const std::uint8_t> bytes_;
  const ErrorContext& place_;
};

/// Values of pickles; owns them.
class Unpickler {
 public:
  /// Whether a function may be named, as "module name". It is not called: what it returns is a call.
  using Allows = bool (*)(std::string_view function);
  explicit Unpickler(Allows allows) : allows_(allows) {}
  /// The value of the next pickle, of protocols 2 to 4; valid while this lives.
  /// @throws Error(kData) for what is damaged, for instructions that data have no need of, and functions not allowed.
  const PickleValue& next(ByteCursor& bytes);

 private:
  PickleValue* make(PickleValue::Kind kind, const ErrorContext& place);

  Allows allows_;
  std::vector<std::unique_ptr<PickleValue>> values_;
};

}  // namespace fernwood::backbone
