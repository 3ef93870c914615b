// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>

#include "records/evaluate/block_columns.h"

namespace fernwood::records {

namespace {

constexpr std::size_t kFour = 4;
typedef float Four __attribute__((vector_size(kFour * sizeof(float))));

/// Selects four elements of two vectors; those of the second have the indices 4 to 7. GCC 11 has another name for this.
template <int kA, int kB, int kC, int kD>
Four pick(Four first, Four second) {
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
  typedef std::int32_t Places __attribute__((vector_size(sizeof(Four))));
  return __builtin_shuffle(first, second, Places{kA, kB, kC, kD});
#else
  return __builtin_shufflevector(first, second, kA, kB, kC, kD);
#endif
}

/// Transposes four values of four records into four columns.
void transpose(const float* rows, std::size_t record_step, float* columns, std::size_t column_step) {
  Four row[kFour];
  for (std::size_t i = 0; i < kFour; ++i) std::memcpy(&row[i], rows + i * record_step, sizeof(Four));
  const Four a = pick<0, 4, 1, 5>(row[0], row[1]);
  const Four b = pick<0, 4, 1, 5>(row[2], row[3]);
  const Four c = pick<2, 6, 3, 7>(row[0], row[1]);
  const Four d = pick<2, 6, 3, 7>(row[2], row[3]);
  const Four column[kFour] = {pick<0, 1, 4, 5>(a, b), pick<2, 3, 6, 7>(a, b), pick<0, 1, 4, 5>(c, d),
                              pick<2, 3, 6, 7>(c, d)};
  for (std::size_t i = 0; i < kFour; ++i) std::memcpy(columns + i * column_step, &column[i], sizeof(Four));
}

}  // namespace

FloatColumns::FloatColumns(const RecordForest& forest) {
  std::set<std::uint32_t> asked, fours;
  const std::size_t num_attributes = forest.attributes.size();
  for (const RecordTree& tree : forest.trees)
    for (const RecordNode& node : tree.nodes) {
      if (node.is_leaf()) continue;
      asked.insert(node.attribute);
      if (num_attributes < kFour) continue;  // records are too short for a group of four
      const std::size_t first = node.attribute / kFour * kFour;
      fours.insert(static_cast<std::uint32_t>(std::min(first, num_attributes - kFour)));
    }
  asked_.assign(asked.begin(), asked.end());
  fours_.assign(fours.begin(), fours.end());
}

BlockValues<float> FloatColumns::fill(const RecordView& block, BlockColumns<float>& columns) const {
  const std::size_t by_four = block.attribute_step == 1 && !fours_.empty() ? block.num_records / kFour * kFour : 0;
  for (std::size_t i = 0; i < by_four; i += kFour)  // record by record, to read their memory in order
    for (const std::uint32_t first : fours_)
      transpose(&block.at(i, first), block.record_step, columns.column(first) + i, columns.step());
  for (const std::uint32_t attribute : asked_)
    for (std::size_t i = by_four; i < block.num_records; ++i) columns.column(attribute)[i] = block.at(i, attribute);
  return columns.values(block.num_records);
}

namespace {

RankTable with_room_behind(RankTable table) {
  std::vector<float> thresholds;
  for (RankedAttribute& each : table.attributes) {
    const auto first = table.thresholds.begin() + each.first;
    each.first = static_cast<std::uint32_t>(thresholds.size());
    thresholds.insert(thresholds.end(), first, first + each.count);
    thresholds.insert(thresholds.end(), kMaxInBucket, std::numeric_limits<float>::infinity());
  }
  table.thresholds = std::move(thresholds);
  return table;
}

std::uint32_t most_in_bucket(const RankTable& table, const RankedAttribute& attribute) {
  std::uint32_t most = 0;
  for (std::uint32_t i = attribute.first_mark; i < attribute.first_mark + attribute.num_buckets; ++i)
    most = std::max(most, table.marks[i + 1] - table.marks[i]);
  return most;
}

}  // namespace

RankColumns::RankColumns(const RankTable& table)
    : table_(with_room_behind(table)), kernels_(evaluation_kernels(available_isas().back())) {
  for (const RankedAttribute& each : table_.attributes) {
    most_in_bucket_.push_back(most_in_bucket(table_, each));
    if (each.nan_rank == kNanRankUnknown) disputed_.push_back(each.attribute);
  }
}

bool RankColumns::meets_unknown(const RecordView& block) const {
  for (const std::uint32_t attribute : disputed_)
    for (std::size_t i = 0; i < block.num_records; ++i)
      if (is_nan(block.at(i, attribute))) return true;
  return false;
}

template <typename T>
void RankColumns::fill_column(std::size_t slot, const float* values, std::size_t step, std::size_t num_values,
                              T* ranks) const {
  const RankedAttribute& attribute = table_.attributes[slot];
  const RankArgs<T> args{values,
                         step,
                         num_values,
                         attribute,
                         most_in_bucket_[slot],
                         table_.thresholds.data() + attribute.first,
                         table_.marks.data() + attribute.first_mark,
                         ranks};
  if constexpr (std::is_same_v<T, std::uint8_t>)
    kernels_.rank->bytes(args);
  else
    kernels_.rank->words(args);
}

template <typename T>
BlockValues<T> RankColumns::fill(const RecordView& block, BlockColumns<T>& columns) const {
  for (std::size_t slot = 0; slot < num_columns(); ++slot)  // column by column, while its marks are in the cache
    fill_column(slot, &block.at(0, table_.attributes[slot].attribute), block.record_step, block.num_records,
                columns.column(slot));
  return columns.values(block.num_records);
}

template void RankColumns::fill_column(std::size_t, const float*, std::size_t, std::size_t, std::uint8_t*) const;
template BlockValues<std::uint16_t> RankColumns::fill(const RecordView&, BlockColumns<std::uint16_t>&) const;
template BlockValues<std::uint8_t> RankColumns::fill(const RecordView&, BlockColumns<std::uint8_t>&) const;

}  // namespace fernwood::records
