// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>

#include "fernwood/core/arithmetic.h"

namespace fernwood::records {

/// A view of records in memory, stored by rows (record after record) or by columns (attribute after attribute); owns
/// nothing, so kernels may take it. Unknown values are NaN.
struct RecordView {
  const float* data = nullptr;
  std::size_t num_records = 0;
  std::size_t num_attributes = 0;
  std::size_t record_step = 0;     ///< Floats from a record to the next; 1: stored by columns.
  std::size_t attribute_step = 1;  ///< Floats from an attribute to the next; 1: stored by rows.

  FW_HD const float& at(std::size_t record, std::size_t attribute) const {
    return data[record * record_step + attribute * attribute_step];
  }
  /// Records begin ... begin + count.
  FW_HD RecordView part(std::size_t begin, std::size_t count) const {
    return {data + begin * record_step, count, num_attributes, record_step, attribute_step};
  }
};

/// Records one after another: data[record][attribute].
FW_HD RecordView records_by_rows(const float* data, std::size_t num_records, std::size_t num_attributes) {
  return {data, num_records, num_attributes, num_attributes, 1};
}
/// Attributes one after another: data[attribute][record].
FW_HD RecordView records_by_columns(const float* data, std::size_t num_records, std::size_t num_attributes) {
  return {data, num_records, num_attributes, 1, num_records};
}

}  // namespace fernwood::records
