// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/column_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace fernwood::records {

namespace {

constexpr std::size_t kMaxGroupBytes = std::size_t{1} << 22;  // larger groups are divided, to stay in a cache
constexpr std::size_t kKeysAtOnce = 64;
constexpr std::size_t kEight = 8;
using Eight = std::array<float, kEight>;

/// [byte] The columns of eight sets for the bits of a byte.
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

KeyIndex::KeyIndex(const std::vector<std::uint64_t>& keys) {
  while (shift_ > 40 && std::size_t{1} << (64 - shift_) < keys.size()) --shift_;
  marks_.assign((std::size_t{1} << (64 - shift_)) + 1, 0);
  for (const std::uint64_t key : keys) ++marks_[(key >> shift_) + 1];
  std::partial_sum(marks_.begin(), marks_.end(), marks_.begin());
}

ColumnReader::ColumnReader(const ColumnRules& rules, std::size_t num_attributes)
    : rules_(rules), num_attributes_(num_attributes), num_columns_(num_attributes + rules.num_columns()) {
  find_groups();
  for (Group& group : groups_) fill_bits(group);
  for (const CategoryTable& table : rules_.tables) indices_.emplace_back(table.keys);
}

void ColumnReader::find_groups() {
  for (std::size_t s = 0; s < rules_.sets.size(); ++s) {
    const CategorySet& set = rules_.sets[s];
    const auto num_categories = static_cast<std::uint32_t>(64 * set.words.size());
    if (!groups_.empty() && have_same_categories(groups_.back().bounds, set.bounds)) {
      Group& last = groups_.back();
      const std::uint32_t most = std::max(last.num_categories, num_categories);
      if (most * bytes_of(last.num_sets + 1) <= kMaxGroupBytes) {
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
  const std::size_t step = num_columns_;
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
  read_sets(records.num_records, rows);
  read_tables(records.num_records, rows);
}

void ColumnReader::read_sets(std::size_t num_records, float* rows) const {
  for (const Group& group : groups_) {
    const std::size_t step = bytes_of(group.num_sets);
    for (std::size_t i = 0; i < num_records; ++i) {
      float* const row = rows + i * num_columns_;
      const std::uint32_t category = category_of(group.bounds, row[group.bounds.attribute]);
      expand(group.bits.data() + row_of(group, category) * step, group.num_sets,
             row + num_attributes_ + group.first_set);
    }
  }
}

void ColumnReader::read_tables(std::size_t num_records, float* rows) const {
  if (indices_.empty()) return;
  std::vector<float> attributes(num_attributes_ * kKeysAtOnce);  // by columns: many tables read them to build keys
  for (std::size_t begin = 0; begin < num_records; begin += kKeysAtOnce) {
    const std::size_t count = std::min(kKeysAtOnce, num_records - begin);
    float* row = rows + begin * num_columns_;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t a = 0; a < num_attributes_; ++a) attributes[a * kKeysAtOnce + i] = row[i * num_columns_ + a];
    row += num_attributes_ + rules_.sets.size();
    for (std::size_t t = 0; t < indices_.size(); ++t) {
      read_table(t, attributes.data(), count, row);
      row += rules_.tables[t].num_columns();
    }
  }
}

/// @param attributes  [attribute][kKeysAtOnce] @param row  The table's first column in the first record, written.
void ColumnReader::read_table(std::size_t t, const float* attributes, std::size_t num_records, float* row) const {
  const CategoryTable& table = rules_.tables[t];
  std::array<std::uint64_t, kKeysAtOnce> keys = {};
  for (const KeyPart& part : table.parts)
    for (std::size_t i = 0; i < num_records; ++i)
      keys[i] = extend_key(keys[i], part, attributes[part.attribute * kKeysAtOnce + i]);
  for (std::size_t i = 0; i < num_records; ++i) {  // tables are large: prefetch the rows
    const std::size_t first = indices_[t].first_like(keys[i]);
    __builtin_prefetch(table.keys.data() + first);
    __builtin_prefetch(table.values.row(first));
  }
  for (std::size_t i = 0; i < num_records; ++i)
    std::copy_n(table.values.row(indices_[t].find(table.keys, keys[i])), table.num_columns(), row + i * num_columns_);
}

}  // namespace fernwood::records
