// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/column_reader.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace fernwood::records {

namespace {

constexpr std::size_t kMostGroupBytes = std::size_t{1} << 22;  // sets of many categories are parted, to stay in a cache
constexpr std::size_t kEight = 8;
using Eight = std::array<float, kEight>;

/// The columns that a byte's bits stand for.
constexpr std::array<Eight, 256> make_columns_of_bytes() {
  std::array<Eight, 256> columns{};
  for (std::size_t byte = 0; byte < columns.size(); ++byte)
    for (std::size_t bit = 0; bit < kEight; ++bit) columns[byte][bit] = static_cast<float>(byte >> bit & 1);
  return columns;
}
constexpr std::array<Eight, 256> kColumnsOfBytes = make_columns_of_bytes();

void expand(const std::uint8_t* bits, std::size_t count, float* columns) {
  const std::size_t num_whole = count / kEight;
  for (std::size_t i = 0; i < num_whole; ++i)
    std::memcpy(columns + i * kEight, kColumnsOfBytes[bits[i]].data(), sizeof(Eight));
  if (count % kEight > 0)
    std::copy_n(kColumnsOfBytes[bits[num_whole]].data(), count % kEight, columns + num_whole * kEight);
}

}  // namespace

ColumnReader::ColumnReader(const ColumnRules& rules, std::size_t num_attributes)
    : rules_(rules), num_attributes_(num_attributes) {
  find_groups();
  for (Group& group : groups_) fill_bits(group);
}

void ColumnReader::find_groups() {
  for (std::size_t s = 0; s < rules_.sets.size(); ++s) {
    const CategorySet& set = rules_.sets[s];
    const auto num_categories = static_cast<std::uint32_t>(64 * set.words.size());
    if (!groups_.empty() && have_same_categories(groups_.back().bounds, set.bounds)) {
      Group& last = groups_.back();
      const std::uint32_t most = std::max(last.num_categories, num_categories);
      if (most * bytes_of(last.num_sets + 1) <= kMostGroupBytes) {
        ++last.num_sets;
        last.num_categories = most;
        continue;
      }
    }
    groups_.push_back({set.bounds, s, 1, num_categories, {}});
  }
}

std::uint32_t ColumnReader::row_of(const Group& group, std::uint32_t category) {
  const std::uint32_t other = category == kUnknownCategory ? 1 : category == kNegativeCategory ? 2 : 0;
  return category < group.num_categories ? category : group.num_categories + other;
}

void ColumnReader::fill_bits(Group& group) const {
  const std::size_t step = bytes_of(group.num_sets);
  group.bits.assign((std::size_t{group.num_categories} + 3) * step, 0);
  const auto fill = [&](std::uint32_t category) {
    std::uint8_t* const row = group.bits.data() + row_of(group, category) * step;
    for (std::size_t s = 0; s < group.num_sets; ++s) {
      const CategorySet& set = rules_.sets[group.first_set + s];
      if (column_of_set(set.bounds, set.words.data(), set.words.size(), category) != 0)
        row[s / kEight] = static_cast<std::uint8_t>(row[s / kEight] | 1u << s % kEight);
    }
  };
  for (std::uint32_t category = 0; category <= group.num_categories; ++category) fill(category);
  fill(kUnknownCategory);
  fill(kNegativeCategory);
}

void ColumnReader::read_attributes(const RecordView& records, float* rows) const {
  const std::size_t step = num_columns();
  for (std::size_t i = 0; i < records.num_records; ++i)
    for (std::size_t a = 0; a < num_attributes_; ++a) rows[i * step + a] = records.at(i, a);
  for (const MissingValues& missing : rules_.missing)
    for (std::size_t i = 0; i < records.num_records; ++i) {
      float& value = rows[i * step + missing.attribute];
      value = missing.holds(value) ? not_a_number() : value;
    }
}

void ColumnReader::read(const RecordView& records, float* rows) const {
  read_attributes(records, rows);
  for (const Group& group : groups_) {
    const std::size_t step = bytes_of(group.num_sets);
    for (std::size_t i = 0; i < records.num_records; ++i) {
      float* const row = rows + i * num_columns();
      const std::uint32_t category = category_of(group.bounds, row[group.bounds.attribute]);
      expand(group.bits.data() + row_of(group, category) * step, group.num_sets,
             row + num_attributes_ + group.first_set);
    }
  }
}

}  // namespace fernwood::records
