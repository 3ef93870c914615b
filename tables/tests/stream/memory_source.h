// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <memory>

#include "fernwood/stream/record_source.h"

namespace fernwood::stream {

/// Reads the records of a table in order. Classes are known up to the highest label read so far.
class MemorySource : public RecordSource {
 public:
  /// @param table  Must outlive the source.
  explicit MemorySource(const records::RecordTable& table) : rows_(make_table_source("memory", table)) {}

  bool read(records::RecordTable& batch, std::size_t max_records) override {
    if (!rows_->read(batch, max_records)) return false;
    num_classes_ = std::max(num_classes_, *std::ranges::max_element(batch.labels) + 1);
    batch.classes.resize(static_cast<std::size_t>(num_classes_));
    return true;
  }
  bool can_rewind() const override { return true; }
  void rewind() override { rows_->rewind(); }
  const std::string& name() const override { return rows_->name(); }
  std::optional<double> fraction_read() const override { return {}; }

 private:
  const std::unique_ptr<RecordSource> rows_;
  std::int32_t num_classes_ = 0;
};

}  // namespace fernwood::stream
