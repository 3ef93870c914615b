// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/explain/pattern_index.h"

#include <algorithm>
#include <bit>

namespace fernwood::records {

PatternIndex::PatternIndex(std::size_t most_records)
    : places_(std::bit_ceil(2 * most_records)), rounds_(places_.size(), 0) {}

void PatternIndex::clear(std::size_t num_bits) {
  const auto slot_bits = static_cast<std::size_t>(std::countr_zero(places_.size()));
  const bool is_slot = num_bits <= slot_bits;  // patterns are their own slots
  factor_ = is_slot ? 1 : 0x9e3779b97f4a7c15u;
  shift_ = is_slot ? 0 : static_cast<int>(64 - slot_bits);
  patterns_.clear();
  if (++round_ == 0) {
    std::ranges::fill(rounds_, 0);
    round_ = 1;
  }
}

}  // namespace fernwood::records
