// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>

#include "fernwood/records/record_view.h"
#include "records/evaluate/aligned_vector.h"

namespace fernwood::records {

/// Values of a block of records as strategies read them: floats where they are, or columns in scratch memory.
template <typename T>
struct BlockValues {
  const T* data;
  std::size_t num_records, record_step, column_step;

  FW_HD const T* column(std::size_t index) const { return data + index * column_step; }
  FW_HD T at(std::size_t record, std::size_t index) const { return data[record * record_step + index * column_step]; }
};

inline BlockValues<float> values_of(const RecordView& block) {
  return {block.data, block.num_records, block.record_step, block.attribute_step};
}

/// Scratch memory for columns of up to `most_records` values. Columns do not begin at the same place of their cache
/// sets, as they would at a distance of a power of two.
template <typename T>
class BlockColumns {
 public:
  BlockColumns(std::size_t most_records, std::size_t num_columns)
      : step_(most_records + 64 / sizeof(T)), values_(step_ * num_columns) {}

  T* column(std::size_t index) { return values_.data() + index * step_; }
  std::size_t step() const { return step_; }
  BlockValues<T> values(std::size_t num_records) const { return {values_.data(), num_records, 1, step_}; }

 private:
  std::size_t step_;
  AlignedVector<T> values_;
};

}  // namespace fernwood::records
