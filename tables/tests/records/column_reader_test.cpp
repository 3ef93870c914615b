// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/column_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "records/record_models.h"

namespace fernwood::records {
namespace {

/// Checks that ColumnReader reads the same columns as read_columns(), but row by row.
void expect_columns_of_the_rule(const RecordForest& forest, const std::vector<float>& values) {
  const std::size_t num_attributes = forest.attributes.size(), num_columns = forest.num_columns();
  const RecordView records = records_by_rows(values.data(), values.size() / num_attributes, num_attributes);
  std::vector<float> rows(records.num_records * num_columns, -7), columns(rows.size());
  ColumnReader(forest.columns, num_attributes).read(records, rows.data());
  read_columns(forest.columns, records, columns.data());
  for (std::size_t i = 0; i < records.num_records; ++i)
    for (std::size_t c = 0; c < num_columns; ++c)
      ASSERT_EQ(bits_of(rows[i * num_columns + c]), bits_of(columns[c * records.num_records + i]))
          << "record " << i << ", column " << c;
}

TEST(ColumnReader, ReadsTheColumnsOfTheRule) {
  for (const int num_sets : {0, 1, 7, 8, 9, 40, 300})
    for (const bool is_sorted : {false, true}) {
      RecordForest forest = random_forest({.attributes = 3, .seed = 61, .sets = num_sets, .missing = 2});
      if (is_sorted)
        std::ranges::sort(forest.columns.sets, {}, [](const CategorySet& set) {
          return std::tuple(set.bounds.attribute, set.bounds.first, set.bounds.is_whole, set.bounds.is_exact);
        });
      expect_columns_of_the_rule(forest, tricky_records(forest, 333, 6));
    }
}

TEST(ColumnReader, ReadsTablesBehindTheSets) {
  RecordForest forest = random_forest({.trees = 3, .attributes = 3, .seed = 63, .sets = 0, .missing = 1, .tables = 30});
  expect_columns_of_the_rule(forest, tricky_records(forest, 999, 6));
  forest.columns.tables[0].keys.clear();
  forest.columns.tables[0].values = Array2<float>(1, forest.columns.tables[0].num_columns(), 3.0f);
  forest.columns.tables[1].keys = {0, 1, ~std::uint64_t{0}};
  forest.columns.tables[1].values = Array2<float>(4, forest.columns.tables[1].num_columns(), 4.0f);
  expect_columns_of_the_rule(forest, tricky_records(forest, 99, 6));
}

TEST(ColumnReader, SetsOfManyCategoriesAreParted) {
  RecordForest forest = random_forest({.attributes = 1, .seed = 62});
  std::vector<float> values = {-1, -0.5f, 0, 0.5f, 63, 64, 999999, 1e6f, 16777215, 16777216, 1e30f, not_a_number()};
  for (std::uint32_t s = 0; s < 40; ++s) {  // a million categories take one bit each
    CategorySet& set = forest.columns.sets.emplace_back();
    set.bounds.large_in = s % 3 == 0;
    set.bounds.unknown_in = s % 2 == 0;
    set.add(s % 2 == 0 ? 999999 : s);
    values.push_back(static_cast<float>(s));
  }
  expect_columns_of_the_rule(forest, values);
}

}  // namespace
}  // namespace fernwood::records
