// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/float_columns.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace fernwood::records {

namespace {

constexpr std::size_t kFour = 4;
typedef float Four __attribute__((vector_size(kFour * sizeof(float))));

/// Four values of four records become four columns.
void transpose(const float* rows, std::size_t record_step, float* columns, std::size_t column_step) {
  Four row[kFour];
  for (std::size_t i = 0; i < kFour; ++i) std::memcpy(&row[i], rows + i * record_step, sizeof(Four));
  const Four a = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
  const Four b = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
  const Four c = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
  const Four d = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
  const Four column[kFour] = {__builtin_shufflevector(a, b, 0, 1, 4, 5), __builtin_shufflevector(a, b, 2, 3, 6, 7),
                              __builtin_shufflevector(c, d, 0, 1, 4, 5), __builtin_shufflevector(c, d, 2, 3, 6, 7)};
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
      if (num_attributes < kFour) continue;  // the last four end with the record
      const std::size_t first = node.attribute / kFour * kFour;
      fours.insert(static_cast<std::uint32_t>(std::min(first, num_attributes - kFour)));
    }
  asked_.assign(asked.begin(), asked.end());
  fours_.assign(fours.begin(), fours.end());
}

BlockValues<float> FloatColumns::fill(const RecordView& block, BlockColumns<float>& columns) const {
  const std::size_t by_four = block.attribute_step == 1 && !fours_.empty() ? block.num_records / kFour * kFour : 0;
  for (std::size_t i = 0; i < by_four; i += kFour)  // records in turn, so that their memory is read as it lies
    for (const std::uint32_t first : fours_)
      transpose(&block.at(i, first), block.record_step, columns.column(first) + i, columns.step());
  for (const std::uint32_t attribute : asked_)
    for (std::size_t i = by_four; i < block.num_records; ++i) columns.column(attribute)[i] = block.at(i, attribute);
  return columns.values(block.num_records);
}

}  // namespace fernwood::records
