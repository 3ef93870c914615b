// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "fernwood/stream/record_source.h"
#include "stream/noise_values.h"

namespace fernwood::stream {

/// Reads records from memory.
class RowsSource : public RecordSource {
 public:
  explicit RowsSource(const records::RecordTable& table) : rows_(make_table_source("rows", table)) {}

  bool read(records::RecordTable& batch, std::size_t max_records) override {
    const bool any = rows_->read(batch, max_records);
    at_ += batch.values.rows();
    if (before_batch) before_batch(batch, at_);
    return any;
  }
  bool can_rewind() const override { return true; }
  void rewind() override { rows_->rewind(); }
  const std::string& name() const override { return rows_->name(); }
  std::optional<double> fraction_read() const override { return rows_->fraction_read(); }

  /// May change a batch, or throw. @param end  Number of records read so far, including the batch.
  std::function<void(records::RecordTable& batch, std::uint64_t end)> before_batch;

 private:
  const std::unique_ptr<RecordSource> rows_;
  std::uint64_t at_ = 0;
};

/// Records of uniform values in [0, 1), one in 50 of them unknown. The class depends on the first two attributes,
/// except for a share of noise.
inline records::RecordTable noisy_records(std::uint32_t series, std::size_t count, std::size_t num_attributes,
                                          std::size_t num_classes, double noise_share = 0.1) {
  records::RecordTable table;
  for (std::size_t a = 0; a < num_attributes; ++a) table.attributes.push_back("a" + std::to_string(a));
  for (std::size_t c = 0; c < num_classes; ++c) table.classes.push_back("c" + std::to_string(c));
  table.values = Array2<float>(count, num_attributes);
  std::ranges::copy(noise_values(series, static_cast<std::uint32_t>(count * num_attributes), 0, 1),
                    table.values.begin());
  for (std::uint32_t i = 0; i < count; ++i) {
    const float x = table.values(i, 0), y = table.values(i, num_attributes > 1 ? 1 : 0);
    std::size_t label = static_cast<std::size_t>(x * 4) + (y > 0.3f ? 1 : 0);
    if (noise(series + 1000, i) < noise_share * 4294967296.0) label = noise(series + 2000, i);
    table.labels.push_back(static_cast<std::int32_t>(label % num_classes));
    if (noise(series + 3000, i) % 50 == 0)
      table.values(i, noise(series + 4000, i) % num_attributes) = __builtin_nanf("");
  }
  return table;
}

/// The same records, with targets that depend on their classes.
inline records::RecordTable with_targets(records::RecordTable table) {
  for (std::uint32_t i = 0; i < table.labels.size(); ++i)
    table.targets.push_back(1.5 * table.labels[i] - noise_values(i, 1, 0, 1)[0]);
  table.classes.clear();
  table.labels.clear();
  table.target = "size";
  return table;
}

}  // namespace fernwood::stream
