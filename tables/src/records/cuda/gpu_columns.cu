// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Converts records to the tested columns. One thread for each record, one row of the grid for each column.
#include "records/cuda/gpu_columns.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/cuda/launch.cuh"

namespace fernwood::records {

/// Arguments of the kernel.
struct GpuColumnRules {
  View1<const MissingValues> missing;
  View1<const GpuColumns::Set> sets;
  const std::uint64_t* words;
  View1<const GpuColumns::Table> tables;
  const KeyPart* parts;
  const std::uint64_t* keys;
  const float* values;

  FW_HD float attribute(const RecordView& records, std::size_t record, std::size_t attribute) const {
    const float value = records.at(record, attribute);
    return missing[attribute].holds(value) ? not_a_number() : value;
  }
  FW_HD float column(const RecordView& records, std::size_t record, std::size_t column) const {
    if (column < records.num_attributes) return attribute(records, record, column);
    const std::size_t place = column - records.num_attributes;
    if (place >= sets.size) return column_of_table(records, record, place - sets.size);
    const GpuColumns::Set& set = sets[place];
    const std::uint32_t category = category_of(set.bounds, attribute(records, record, set.bounds.attribute));
    return column_of_set(set.bounds, words + set.first_word, set.num_words, category);
  }
  FW_HD float column_of_table(const RecordView& records, std::size_t record, std::size_t column) const {
    const GpuColumns::Table& table = tables[column];
    std::uint64_t key = 0;
    for (std::size_t p = table.first_part; p < table.first_part + table.num_parts; ++p)
      key = extend_key(key, parts[p], attribute(records, record, parts[p].attribute));
    const std::size_t row = find_key(keys + table.first_key, table.num_keys, key);
    return values[table.first_value + row * table.num_columns + (column - table.first_column)];
  }
};

namespace {

constexpr unsigned kColumnThreads = 256;
constexpr std::size_t kMaxColumnBytes = std::size_t{256} << 20;

__global__ void read_columns_kernel(RecordView records, GpuColumnRules rules, std::size_t num_columns, float* columns) {
  const std::size_t i = std::size_t{blockIdx.x} * kColumnThreads + threadIdx.x;
  if (i >= records.num_records) return;
  for (std::size_t column = blockIdx.y; column < num_columns; column += gridDim.y)
    columns[column * records.num_records + i] = rules.column(records, i, column);
}

}  // namespace

GpuColumns::GpuColumns(const EvaluationModel& model)
    : rules_(model.columns),
      num_columns_(model.forest.attributes.size()),
      most_records_(std::max<std::size_t>(1, kMaxColumnBytes / (num_columns_ * sizeof(float)))) {
  if (rules_.empty()) return;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<MissingValues> missing;
  for (std::size_t a = 0; a < model.num_attributes; ++a)
    missing.push_back({static_cast<std::uint16_t>(a), kInfinity, -kInfinity});
  for (const MissingValues& each : rules_.missing) missing[each.attribute] = each;
  const cuda::Stream stream;
  cuda::upload(missing, missing_, stream);
  upload_sets(stream);
  upload_tables(stream);
}

void GpuColumns::upload_sets(const cuda::Stream& stream) {
  std::vector<Set> sets;
  std::vector<std::uint64_t> words;
  for (const CategorySet& set : rules_.sets) {
    sets.push_back({set.bounds, words.size(), set.words.size()});
    words.insert(words.end(), set.words.begin(), set.words.end());
  }
  cuda::upload(sets, sets_, stream);
  cuda::upload(words, words_, stream);
}

void GpuColumns::upload_tables(const cuda::Stream& stream) {
  std::vector<Table> tables;
  std::vector<KeyPart> parts;
  std::vector<std::uint64_t> keys;
  std::vector<float> values;
  for (const CategoryTable& table : rules_.tables) {
    const std::size_t num_columns = table.num_columns();
    tables.insert(
        tables.end(), num_columns,
        {tables.size(), num_columns, parts.size(), table.parts.size(), keys.size(), table.keys.size(), values.size()});
    parts.insert(parts.end(), table.parts.begin(), table.parts.end());
    keys.insert(keys.end(), table.keys.begin(), table.keys.end());
    values.insert(values.end(), table.values.begin(), table.values.end());
  }
  cuda::upload(tables, tables_, stream);
  cuda::upload(parts, parts_, stream);
  cuda::upload(keys, keys_, stream);
  cuda::upload(values, values_, stream);
}

RecordView GpuColumns::read(const RecordView& records, const cuda::Stream& stream) {
  columns_.resize(records.num_records * num_columns_);
  const GpuColumnRules rules = {std::as_const(missing_).view(),
                                std::as_const(sets_).view(),
                                words_.data(),
                                std::as_const(tables_).view(),
                                parts_.data(),
                                keys_.data(),
                                values_.data()};
  const dim3 grid(cuda::blocks_for(records.num_records, kColumnThreads),
                  static_cast<unsigned>(std::min<std::size_t>(65535, num_columns_)));
  cuda::launch("columns", read_columns_kernel, grid, kColumnThreads, 0, stream, records, rules, num_columns_,
               columns_.data());
  return records_by_columns(columns_.data(), records.num_records, num_columns_);
}

}  // namespace fernwood::records
