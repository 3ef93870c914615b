// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fernwood/records/table_reader.h"

namespace fernwood::records {

/// Weights of records as whole numbers, so that sums over samples are exact and do not depend on their order. Weights
/// that are whole numbers are kept; others are multiplied by a power of two, so that their sum has 30 bits, and
/// rounded, positive ones to at least 1.
class RecordWeights {
 public:
  /// @throws Error(kData) if the table's weights are not as RecordTable::weights states.
  explicit RecordWeights(const RecordTable& table);

  std::uint32_t operator[](std::size_t record) const {
    return ends_.empty() ? 1 : ends_[record] - (record > 0 ? ends_[record - 1] : 0);
  }
  std::uint32_t total() const { return ends_.empty() ? num_records_ : ends_.back(); }
  /// Number of records that a tree draws: if weights are whole numbers, their sum, else that of positive ones.
  std::uint32_t num_draws() const { return num_draws_; }
  /// The record at a place below total(), as if each were repeated by its weight.
  std::uint32_t record_at(std::uint32_t place) const;
  /// The whole number of a record that counts once: 1, or the mean of the positive ones.
  std::uint32_t unit() const { return unit_; }

 private:
  std::uint32_t num_records_, num_draws_, unit_ = 1;
  std::vector<std::uint32_t> ends_;  ///< [record] Sum up to this one; empty: all weights are 1.
};

}  // namespace fernwood::records
