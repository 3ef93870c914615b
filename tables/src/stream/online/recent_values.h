// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/messages.h"
#include "fernwood/core/parallel.h"
#include "fernwood/records/table_reader.h"

namespace fernwood::stream {

/// An interval of values: low is outside, high inside.
struct ValueRange {
  float low = -__builtin_huge_valf(), high = __builtin_huge_valf();
};

/// The values of the last records of a stream, from which new leaves choose the edges of their bins.
class RecentValues {
 public:
  /// Adds records. They appear in edges at the next review, when a quarter of the values is new.
  void observe(const records::RecordTable& records, ThreadPool& pool);
  /// Edges that divide the recent values of a range evenly, or if few are different, exactly.
  /// @param edges  Written; from the first one that is not needed on, infinity, which no value exceeds.
  void divide(std::size_t attribute, ValueRange range, std::span<float> edges) const;

  void pack(Packer& packer) const;
  /// @throws Error(kModel) for invalid data.
  void unpack(Unpacker& unpacker, std::size_t num_attributes);

 private:
  std::uint64_t num_records_ = 0, num_at_review_ = 0;
  std::vector<std::vector<float>> recent_;  ///< [attribute] Values of the last records, in a ring.
  std::vector<std::vector<float>> sorted_;  ///< [attribute] Those that were known at the last review.
};

}  // namespace fernwood::stream
