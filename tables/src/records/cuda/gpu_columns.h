// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>

#include "core/cuda/buffer.h"
#include "records/evaluate/evaluation_model.h"

namespace fernwood::records {

/// read_columns() on a GPU.
class GpuColumns {
 public:
  explicit GpuColumns(const EvaluationModel& model);

  /// Calls evaluate(columns of some records, index of the first) for all records, in the order of a stream; without
  /// column rules once, with the records themselves.
  template <typename Evaluate>
  void for_each_part(const RecordView& records, const cuda::Stream& stream, const Evaluate& evaluate) {
    const std::size_t at_once = rules_.empty() ? records.num_records : std::min(records.num_records, most_records_);
    for (std::size_t begin = 0; begin < records.num_records; begin += at_once) {
      const std::size_t count = std::min(at_once, records.num_records - begin);
      const RecordView part = records.part(begin, count);
      evaluate(rules_.empty() ? part : read(part, stream), begin);
    }
  }

 private:
  struct Set {
    CategoryBounds bounds;
    std::size_t first_word, num_words;
  };
  struct Table {
    std::size_t first_column, num_columns;  ///< After the columns of sets.
    std::size_t first_part, num_parts, first_key, num_keys, first_value;
  };
  friend struct GpuColumnRules;

  void upload_sets(const cuda::Stream& stream);
  void upload_tables(const cuda::Stream& stream);

  RecordView read(const RecordView& records, const cuda::Stream& stream);

  const ColumnRules& rules_;
  std::size_t num_columns_, most_records_;
  cuda::GpuBuffer<MissingValues> missing_;  ///< [attribute] An empty range for attributes without missing values.
  cuda::GpuBuffer<Set> sets_;
  cuda::GpuBuffer<std::uint64_t> words_;
  cuda::GpuBuffer<Table> tables_;  ///< [column] The table of the column.
  cuda::GpuBuffer<KeyPart> parts_;
  cuda::GpuBuffer<std::uint64_t> keys_;
  cuda::GpuBuffer<float> values_;
  cuda::GpuBuffer<float> columns_;
};

}  // namespace fernwood::records
