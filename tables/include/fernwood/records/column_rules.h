// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/core/arithmetic.h"
#include "fernwood/records/category_table.h"

namespace fernwood::records {

/// A range of values of an attribute that mean unknown, besides NaN: `low` to `high`, both included.
struct MissingValues {
  std::uint16_t attribute = 0;
  float low = 0, high = 0;

  FW_HD bool holds(float value) const { return low <= value && value <= high; }
  bool operator==(const MissingValues&) const = default;
};

/// Rules of a set for values that are not one of its categories.
struct CategoryBounds {
  std::uint16_t attribute = 0;
  float first = 0;           ///< At most 0. Values below it are negative; from it up to 1, they are category 0.
  bool negative_in = false;  ///< Whether negative values are in the set.
  bool large_in = false;     ///< Whether categories beyond the last bit are in the set.
  bool unknown_in = false;   ///< Whether unknown values are in the set.
  bool is_whole = false;     ///< Whether values with a fraction are unknown; otherwise the fraction is dropped.
  bool is_exact = false;     ///< Whether values with a fraction count as negative; overrides is_whole.

  auto operator<=>(const CategoryBounds&) const = default;
};

/// Whether category_of() is the same for every value with both bounds.
inline bool have_same_categories(const CategoryBounds& a, const CategoryBounds& b) {
  return a.attribute == b.attribute && a.first == b.first && a.is_whole == b.is_whole && a.is_exact == b.is_exact;
}

/// A set of categories of an attribute, which are whole numbers.
struct CategorySet {
  CategoryBounds bounds = {};
  std::vector<std::uint64_t> words = {};  ///< At least 1; category c is in the set if bit c % 64 of word c / 64 is 1.

  /// @param category  Below kMaxCategories.
  void add(std::uint32_t category) {
    if (category / 64 >= words.size()) words.resize(category / 64 + 1, 0);
    words[category / 64] |= std::uint64_t{1} << (category % 64);
  }
  auto operator<=>(const CategorySet&) const = default;
};
inline constexpr std::size_t kMaxCategories = std::size_t{1} << 24;  ///< Floats represent whole numbers up to it.

// Codes for values that are not categories; larger than any category.
inline constexpr std::uint32_t kUnknownCategory = 0xfffffffe, kNegativeCategory = 0xffffffff;

/// Category of a value, or kUnknownCategory or kNegativeCategory; kMaxCategories for all larger values.
FW_HD std::uint32_t category_of(const CategoryBounds& bounds, float value) {
  constexpr auto kMost = static_cast<float>(kMaxCategories);
  if (is_nan(value)) return kUnknownCategory;
  if (value < bounds.first) return kNegativeCategory;
  const auto category = static_cast<std::uint32_t>(value > 0.0f ? (value < kMost ? value : kMost) : 0.0f);
  const bool has_fraction = value < kMost && static_cast<float>(category) != value;
  if (has_fraction && bounds.is_exact) return kNegativeCategory;
  return has_fraction && bounds.is_whole ? kUnknownCategory : category;
}

/// Column of a set: 0 if the category is in it, else 1, so that tests with kSetThreshold send its categories left.
/// Without branches, since the order of categories is unpredictable.
/// @param words  [num_words], 1 to kMaxCategories / 64.
FW_HD float column_of_set(const CategoryBounds& bounds, const std::uint64_t* words, std::size_t num_words,
                          std::uint32_t category) {
  const auto size = static_cast<std::uint32_t>(64 * num_words);
  const std::uint32_t place = category < size ? category : 0;
  const auto bit = static_cast<std::uint32_t>(words[place / 64] >> (place % 64)) & 1u;
  std::uint32_t other = bounds.large_in ? 1u : 0u;
  other = category == kUnknownCategory ? (bounds.unknown_in ? 1u : 0u) : other;
  other = category == kNegativeCategory ? (bounds.negative_in ? 1u : 0u) : other;
  return static_cast<float>(static_cast<std::int32_t>(1u - (category < size ? bit : other)));
}
inline constexpr float kSetThreshold = 0.5f;

/// Conversion of records to the columns that trees test: values that mean unknown become NaN, and the attributes are
/// followed by a column for each set, 0 if the value is in it and else 1, then by the columns of each table.
struct ColumnRules {
  std::vector<MissingValues> missing;  ///< In ascending order of attributes, at most one each.
  std::vector<CategorySet> sets;       ///< Evaluation is fastest if sets of one attribute are adjacent.
  /// Attributes, ascending, whose values are value_of_category() of texts; only tables use them.
  std::vector<std::uint16_t> text_attributes = {};
  std::vector<CategoryTable> tables = {};

  bool empty() const { return missing.empty() && sets.empty() && text_attributes.empty() && tables.empty(); }
  /// Number of columns after the attributes.
  std::size_t num_columns() const {
    std::size_t count = sets.size();
    for (const CategoryTable& table : tables) count += table.num_columns();
    return count;
  }
  bool operator==(const ColumnRules&) const = default;
};

}  // namespace fernwood::records
