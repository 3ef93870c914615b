// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fernwood/core/arithmetic.h"
#include "fernwood/core/array.h"

namespace fernwood::records {

// Categories that are texts. A record has 32 bits for each attribute: those of a text's hash, which are no number to
// calculate with. What tests ask of them are numbers that tables have for categories, and for combinations of several.

/// The category of a text, as CatBoost has it: the lower half of its CityHash64 (version 1.0). Of a whole number the
/// text is the decimal one.
std::uint32_t category_of_text(std::string_view text);

/// The value of an attribute whose records hold categories, and back. A value may be NaN to look at: copy, do not
/// calculate.
FW_HD float value_of_category(std::uint32_t category) { return float_of(static_cast<std::int32_t>(category)); }
FW_HD std::uint32_t category_of_value(float value) { return static_cast<std::uint32_t>(bits_of(value)); }

/// What a part of a key is.
enum class KeyKind : std::uint8_t {
  kCategory,    ///< The category of an attribute,
  kIsCategory,  ///< whether it is this one,
  kIsAbove      ///< or whether a number is above a threshold.
};

struct KeyPart {
  KeyKind kind = KeyKind::kCategory;
  std::uint16_t attribute = 0;
  std::uint32_t category = 0;  ///< Of kIsCategory.
  float threshold = 0;         ///< Of kIsAbove.
  bool unknown_above = false;  ///< Of kIsAbove: what NaN is.

  auto operator<=>(const KeyPart&) const = default;
};

/// A key with one more part. @param value  Of the part's attribute.
FW_HD std::uint64_t extend_key(std::uint64_t key, const KeyPart& part, float value) {
  constexpr std::uint64_t kFactor = 0x4906ba494954cb65;  // CatBoost's, whose tables hold such keys
  std::uint64_t next = 0;
  if (part.kind == KeyKind::kCategory)
    next = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits_of(value)));
  else if (part.kind == KeyKind::kIsCategory)
    next = category_of_value(value) == part.category ? 1 : 0;
  else
    next = is_nan(value) ? (part.unknown_above ? 1 : 0) : (value > part.threshold ? 1 : 0);
  return kFactor * (key + kFactor * next);
}

/// Where a key is among ascending ones; `count` where it is not.
FW_HD std::size_t find_key(const std::uint64_t* keys, std::size_t count, std::uint64_t key) {
  std::size_t first = 0;
  for (std::size_t size = count; size > 0;) {
    const std::size_t half = size / 2;
    const bool beyond = keys[first + half] < key;
    first = beyond ? first + half + 1 : first;
    size = beyond ? size - half - 1 : half;
  }
  return first < count && keys[first] == key ? first : count;
}

/// Columns of numbers by a key that is made of an attribute, or of several.
struct CategoryTable {
  std::vector<KeyPart> parts;       ///< At least 1.
  std::vector<std::uint64_t> keys;  ///< Ascending, no two the same.
  Array2<float> values;             ///< [key][column]; behind the keys' a row for all others.

  std::size_t num_columns() const { return values.cols(); }
  bool operator==(const CategoryTable&) const = default;
};

}  // namespace fernwood::records
