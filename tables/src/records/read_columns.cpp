// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <vector>

#include "fernwood/records/record_forest.h"

namespace fernwood::records {

namespace {

/// @param columns  [column][record] Attributes and other columns. @param of_table  The table's columns, written.
void read_table_columns(const CategoryTable& table, const float* columns, std::size_t num_records, float* of_table) {
  for (std::size_t i = 0; i < num_records; ++i) {
    std::uint64_t key = 0;
    for (const KeyPart& part : table.parts) key = extend_key(key, part, columns[part.attribute * num_records + i]);
    const float* const row = table.values.row(find_key(table.keys.data(), table.keys.size(), key));
    for (std::size_t c = 0; c < table.num_columns(); ++c) of_table[c * num_records + i] = row[c];
  }
}

}  // namespace

void read_columns(const ColumnRules& rules, const RecordView& records, float* columns) {
  const std::size_t num_records = records.num_records;
  for (std::size_t a = 0; a < records.num_attributes; ++a) {
    float* const column = columns + a * num_records;
    for (std::size_t i = 0; i < num_records; ++i) column[i] = records.at(i, a);
  }
  for (const MissingValues& missing : rules.missing) {
    float* const column = columns + missing.attribute * num_records;
    std::replace_if(
        column, column + num_records, [&](float value) { return missing.holds(value); }, not_a_number());
  }
  float* of_set = columns + records.num_attributes * num_records;
  std::vector<std::uint32_t> categories;
  const CategoryBounds* read = nullptr;
  for (const CategorySet& set : rules.sets) {
    if (!read || !have_same_categories(*read, set.bounds)) {
      read = &set.bounds;
      const float* const values = columns + set.bounds.attribute * num_records;
      categories.resize(num_records);
      for (std::size_t i = 0; i < num_records; ++i) categories[i] = category_of(set.bounds, values[i]);
    }
    const std::uint64_t* const words = set.words.data();
    const std::size_t num_words = set.words.size();
    for (std::size_t i = 0; i < num_records; ++i)
      of_set[i] = column_of_set(set.bounds, words, num_words, categories[i]);
    of_set += num_records;
  }
  float* of_table = of_set;
  for (const CategoryTable& table : rules.tables) {
    read_table_columns(table, columns, num_records, of_table);
    of_table += table.num_columns() * num_records;
  }
}

}  // namespace fernwood::records
