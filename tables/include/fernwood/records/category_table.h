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

// Categories that are texts. A record stores the 32-bit hash of the text in place of a number. Trees test numbers that
// tables assign to categories, or to combinations of several attributes.

/// The category of a text as in CatBoost: the lower half of its CityHash64 (version 1.0). A whole number is hashed as
/// decimal text.
std::uint32_t category_of_text(std::string_view text);

/// Conversion of a category to an attribute value with the same bits, and back. The value may be a NaN: it may be
/// copied, but not used in arithmetic.
FW_HD float value_of_category(std::uint32_t category) { return float_of(static_cast<std::int32_t>(category)); }
FW_HD std::uint32_t category_of_value(float value) { return static_cast<std::uint32_t>(bits_of(value)); }

/// Kind of a part of a key.
enum class KeyKind : std::uint8_t {
  kCategory,    ///< The category of an attribute.
  kIsCategory,  ///< Whether the category of an attribute equals KeyPart::category.
  kIsAbove      ///< Whether the value of an attribute is above KeyPart::threshold.
};

struct KeyPart {
  KeyKind kind = KeyKind::kCategory;
  std::uint16_t attribute = 0;
  std::uint32_t category = 0;  ///< For kIsCategory.
  float threshold = 0;         ///< For kIsAbove.
  bool unknown_above = false;  ///< For kIsAbove: whether NaN counts as above.

  auto operator<=>(const KeyPart&) const = default;
};

/// Extends a key by one part. @param value  The value of the part's attribute.
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

/// Index of a key among ascending keys; `count` if it is absent.
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

/// A table from keys, which are computed from one or several attributes, to the values of columns.
struct CategoryTable {
  std::vector<KeyPart> parts;       ///< At least 1.
  std::vector<std::uint64_t> keys;  ///< Strictly ascending.
  Array2<float> values;             ///< [key][column], and a last row for all other keys.

  std::size_t num_columns() const { return values.cols(); }
  bool operator==(const CategoryTable&) const = default;
};

}  // namespace fernwood::records
