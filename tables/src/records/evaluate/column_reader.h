// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fernwood/records/record_forest.h"

namespace fernwood::records {

/// An index for find_key() by the upper bits of keys. Keys are hashes, so only a few share these bits.
class KeyIndex {
 public:
  explicit KeyIndex(const std::vector<std::uint64_t>& keys);

  std::size_t find(const std::vector<std::uint64_t>& keys, std::uint64_t key) const {
    const std::size_t bucket = key >> shift_, begin = marks_[bucket], count = marks_[bucket + 1] - begin;
    const std::size_t found = find_key(keys.data() + begin, count, key);
    return found == count ? keys.size() : begin + found;
  }
  /// Index of the first key with the same upper bits.
  std::size_t first_like(std::uint64_t key) const { return marks_[key >> shift_]; }

 private:
  int shift_ = 63;
  std::vector<std::uint32_t> marks_;  ///< [bucket + 1] Number of keys in the preceding buckets.
};

/// read_columns() for many records. Adjacent sets of one attribute are looked up together: the row of a category has a
/// bit for each of them. Keys of tables are looked up by an index.
class ColumnReader {
 public:
  /// @param rules  Must outlive the reader and keep its address.
  ColumnReader(const ColumnRules& rules, std::size_t num_attributes);
  ColumnReader(const ColumnReader&) = delete;
  ColumnReader& operator=(const ColumnReader&) = delete;

  std::size_t num_columns() const { return num_columns_; }
  /// @param rows  [record][num_columns()], written.
  void read(const RecordView& records, float* rows) const;

 private:
  /// Sets of one attribute whose values have the same categories.
  struct Group {
    CategoryBounds bounds;
    std::size_t first_set, num_sets;
    std::uint32_t num_categories;    ///< In the largest set.
    std::vector<std::uint8_t> bits;  ///< [row][bytes_of(num_sets)] Bit i: the column's value for set i.
  };
  static std::size_t bytes_of(std::size_t num_sets) { return (num_sets + 7) / 8; }
  /// Rows: one for each category, then those of larger, unknown and negative categories.
  static std::uint32_t row_of(const Group& group, std::uint32_t category);

  void find_groups();
  void fill_bits(Group& group) const;
  void read_attributes(const RecordView& records, float* rows) const;
  void read_sets(std::size_t num_records, float* rows) const;
  void read_tables(std::size_t num_records, float* rows) const;
  void read_table(std::size_t table, const float* attributes, std::size_t num_records, float* row) const;

  const ColumnRules& rules_;
  std::size_t num_attributes_, num_columns_;
  std::vector<Group> groups_;
  std::vector<KeyIndex> indices_;  ///< [table]
};

}  // namespace fernwood::records
