// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/records/record_view.h"

namespace fernwood::records {

inline constexpr std::int32_t kNoClass = -1;  ///< Label of a record whose class is not known.

/// Records in memory with their classes.
struct RecordTable {
  std::vector<std::string> attributes;  ///< Names.
  std::vector<std::string> classes;     ///< Names.
  Array2<float> values;                 ///< [record][attribute]; unknown: NaN.
  std::vector<std::int32_t> labels;     ///< [record] index into classes, or kNoClass.

  RecordView view() const { return records_by_rows(values.data(), values.rows(), values.cols()); }
};

}  // namespace fernwood::records
