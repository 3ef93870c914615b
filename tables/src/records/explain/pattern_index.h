// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fernwood::records {

/// The distinct patterns of a block of records, in the order of their first occurrence.
class PatternIndex {
 public:
  explicit PatternIndex(std::size_t most_records);

  /// Removes all patterns. @param num_bits  Size of the patterns that follow.
  void clear(std::size_t num_bits);
  std::uint32_t place_of(std::uint64_t pattern) {
    std::size_t slot = pattern * factor_ >> shift_;
    while (rounds_[slot] == round_ && patterns_[places_[slot]] != pattern) slot = (slot + 1) & (rounds_.size() - 1);
    if (rounds_[slot] != round_) {
      rounds_[slot] = round_;
      places_[slot] = static_cast<std::uint32_t>(patterns_.size());
      patterns_.push_back(pattern);
    }
    return places_[slot];
  }
  std::vector<std::uint64_t>& patterns() { return patterns_; }

 private:
  std::vector<std::uint32_t> places_, rounds_;  ///< [slot] Index in patterns_; the round in which it was written.
  std::vector<std::uint64_t> patterns_;
  std::uint32_t round_ = 0;
  std::uint64_t factor_ = 1;
  int shift_ = 0;
};

}  // namespace fernwood::records
