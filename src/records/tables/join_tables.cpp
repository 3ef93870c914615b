// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/tables/join_tables.h"

#include <algorithm>
#include <limits>

namespace fernwood::records {

RecordTable join_tables(std::vector<RecordTable>& blocks, const std::vector<std::string>& attributes,
                        const TableOptions& options) {
  const float absent = options.absent_is_unknown ? std::numeric_limits<float>::quiet_NaN() : 0.0f;
  RecordTable table;
  std::size_t num_records = 0, at = 0;
  for (const RecordTable& block : blocks) num_records += block.values.rows();
  table.attributes = attributes;
  table.classes = blocks.back().classes;
  table.values = Array2<float>(num_records, attributes.size(), absent);
  table.labels.reserve(num_records);
  for (RecordTable& block : blocks) {
    for (std::size_t i = 0; i < block.values.rows(); ++i)
      std::copy_n(block.values.row(i), block.values.cols(), table.values.row(at++));
    table.labels.insert(table.labels.end(), block.labels.begin(), block.labels.end());
    block = {};
  }
  return table;
}

}  // namespace fernwood::records
