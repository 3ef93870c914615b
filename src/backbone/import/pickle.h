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

/// A value created by a pickle.
struct PickleValue {
  enum class Kind { kNone, kNumber, kText, kTuple, kList, kDict, kFunction, kCall, kStored };
  Kind kind = Kind::kNone;
  std::int64_t number = 0;                ///< Of a number; true is 1.
  std::string text;                       ///< A string; "module name" of a function; the function of a call.
  std::vector<const PickleValue*> items;  ///< Elements of a tuple or list; of a call or an id only its tuple.
  std::vector<std::pair<const PickleValue*, const PickleValue*>> entries;  ///< Of a dictionary.
};

/// The remaining bytes of a sequential read.
class ByteCursor {
 public:
  ByteCursor(std::span<const std::uint8_t> bytes, const ErrorContext& place) : bytes_(bytes), place_(place) {}
  /// The next bytes. @throws Error(kData) if there are fewer.
  std::span<const std::uint8_t> take(std::uint64_t count);
  /// The next bytes as an unsigned little-endian number. @param count  At most 8.
  std::uint64_t number(std::size_t count);
  /// The next bytes up to a line feed, which is skipped.
  std::string_view line();
  std::size_t num_left() const { return bytes_.size(); }
  const ErrorContext& place() const { return place_; }

 private:
  std::span<const std::uint8_t> bytes_;
  const ErrorContext& place_;
};

/// Reads pickles and owns their values.
class Unpickler {
 public:
  /// Whether a function, given as "module name", is allowed. Functions are not called: the value of a call is a call.
  using Allows = bool (*)(std::string_view function);
  explicit Unpickler(Allows allows) : allows_(allows) {}
  /// The value of the next pickle, of protocols 2 to 4; valid as long as this object exists.
  /// @throws Error(kData) for damage, for instructions that data do not need, and for functions that are not allowed.
  const PickleValue& next(ByteCursor& bytes);

 private:
  PickleValue* make(PickleValue::Kind kind, const ErrorContext& place);

  Allows allows_;
  std::vector<std::unique_ptr<PickleValue>> values_;
};

}  // namespace fernwood::backbone
