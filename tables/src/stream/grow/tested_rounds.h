// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/messages.h"
#include "fernwood/stream/train_stream.h"
#include "stream/sketches/leaf_statistics.h"

namespace fernwood::stream {

/// A sum of whole numbers that may exceed 64 bits: exact, and so independent of the order.
class WideSum {
 public:
  void add(std::uint64_t number) {
    low_ += number & kLow;
    high_ += (number >> 32) + (low_ >> 32);
    low_ &= kLow;
  }
  WideSum& operator+=(const WideSum& other) {
    add(other.low_);
    high_ += other.high_;
    return *this;
  }
  double value() const { return static_cast<double>(high_) * 4294967296.0 + static_cast<double>(low_); }
  bool is_possible() const { return low_ <= kLow; }
  bool operator==(const WideSum&) const = default;

 private:
  static constexpr std::uint64_t kLow = 0xffffffff;
  std::uint64_t high_ = 0, low_ = 0;
};

/// Number of records whose targets were predicted before they were used for training, and errors of the predictions, in
/// numbers of TargetScale.
struct TargetErrors {
  std::uint64_t records = 0, absolute = 0;
  WideSum squared;
  std::int64_t sum = 0;  ///< Of the targets.
  WideSum squares;       ///< Of the targets.

  void add(std::int64_t target, std::int64_t predicted);
  TargetErrors& operator+=(const TargetErrors& other);
  /// @param unit  Of the numbers. Requires records > 0.
  PrequentialErrors in_units_of(double unit) const;
  bool operator==(const TargetErrors&) const = default;
};

/// Whether data of other processes and checkpoints is valid. An overflow of their sum is harmless or detected there.
bool is_possible(const TargetErrors& errors);

/// Results of all rounds, and of the last ones that make up a window. @tparam Sums  Errors or TargetErrors.
template <typename Sums>
class TestedRounds {
 public:
  /// @param window  Minimum number of records in the last rounds.
  explicit TestedRounds(std::uint64_t window) : window_(window) {}

  void add(const Sums& round) {
    if (round.records == 0) return;
    all_ += round;
    last_.push_back(round);
    recent_records_ += round.records;
    while (recent_records_ - last_.front().records >= window_) {
      recent_records_ -= last_.front().records;
      last_.pop_front();
    }
  }
  const Sums& all() const { return all_; }
  Sums recent() const {
    Sums sums;
    for (const Sums& round : last_) sums += round;
    return sums;
  }

  void pack(Packer& packer) const {
    packer.put(all_);
    packer.put(std::vector<Sums>(last_.begin(), last_.end()));
  }
  /// @throws Error(kModel) for invalid data.
  void unpack(Unpacker& unpacker) {
    std::vector<Sums> last;
    unpacker.get(all_);
    unpacker.get(last);
    recent_records_ = 0;
    bool possible = is_possible(all_);
    for (const Sums& round : last) {
      possible = possible && is_possible(round) && round.records <= all_.records - recent_records_;
      if (possible) recent_records_ += round.records;
    }
    FW_CHECK(possible, Model, "its counts of tested records are inconsistent");
    last_.assign(last.begin(), last.end());
  }

 private:
  std::uint64_t window_;
  Sums all_;
  std::deque<Sums> last_;  ///< Oldest first.
  std::uint64_t recent_records_ = 0;
};

}  // namespace fernwood::stream
