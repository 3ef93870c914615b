// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>

#include "fernwood/core/communicator.h"
#include "fernwood/stream/record_source.h"

namespace fernwood {

/// Records of a table one after another. Classes are known up to the highest label read so far.
class MemorySource : public RecordSource {
 public:
  /// @param table  Must outlive this.
  explicit MemorySource(const RecordTable& table) : table_(table) {}

  bool read(RecordTable& batch, std::size_t max_records) override {
    const std::size_t begin = at_;
    at_ = std::min(table_.values.rows(), begin + max_records);
    if (at_ == begin) return false;
    batch.attributes = table_.attributes;
    batch.values = Array2<float>(at_ - begin, table_.values.cols());
    std::copy(table_.values.row(begin), table_.values.row(at_), batch.values.begin());
    const auto labels = table_.labels.begin();
    batch.labels.assign(labels + static_cast<std::ptrdiff_t>(begin), labels + static_cast<std::ptrdiff_t>(at_));
    num_classes_ = std::max(num_classes_, *std::ranges::max_element(batch.labels) + 1);
    batch.classes.assign(table_.classes.begin(), table_.classes.begin() + num_classes_);
    return true;
  }
  bool can_rewind() const override { return true; }
  void rewind() override { at_ = 0; }
  const std::string& name() const override { return name_; }
  std::optional<double> fraction_read() const override { return {}; }

 private:
  const RecordTable& table_;
  const std::string name_ = "memory";
  std::size_t at_ = 0;
  std::int32_t num_classes_ = 0;
};

/// One process alone.
class LoneProcess : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override { return outgoing; }
  std::vector<Bytes> gather_all(const Bytes& mine) override { return {mine}; }
  void abandon(int) noexcept override {}
};

}  // namespace fernwood
