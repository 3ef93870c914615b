// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fernwood/records/record_forest.h"

namespace fernwood::records {

/// read_columns() of many records. Sets of one attribute that lie side by side are looked up together: a category's row
/// has a bit for each of them.
class ColumnReader {
 public:
  /// @param rules  Must stay where they are.
  ColumnReader(const ColumnRules& rules, std::size_t num_attributes);
  ColumnReader(const ColumnReader&) = delete;
  ColumnReader& operator=(const ColumnReader&) = delete;

  std::size_t num_columns() const { return num_attributes_ + rules_.sets.size(); }
  /// @param rows  [record][num_columns()], written.
  void read(const RecordView& records, float* rows) const;

 private:
  /// Sets of one attribute whose values have the same categories.
  struct Group {
    CategoryBounds bounds;
    std::size_t first_set, num_sets;
    std::uint32_t num_categories;    ///< Of the largest set.
    std::vector<std::uint8_t> bits;  ///< [row][bytes_of(num_sets)] 1 where a set's column is.
  };
  static std::size_t bytes_of(std::size_t num_sets) { return (num_sets + 7) / 8; }
  /// Rows: categories, then larger, unknown and negative ones.
  static std::uint32_t row_of(const Group& group, std::uint32_t category);

  void find_groups();
  void fill_bits(Group& group) const;
  void read_attributes(const RecordView& records, float* rows) const;

  const ColumnRules& rules_;
  std::size_t num_attributes_;
  std::vector<Group> groups_;
};

}  // namespace fernwood::records
