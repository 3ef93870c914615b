// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "stream/grow/stream_tree.h"

namespace fernwood::stream {

/// Number of records that were classified before they were used for training, and number of those classified wrongly.
struct Errors {
  std::uint64_t records = 0, wrong = 0;

  double rate() const { return records == 0 ? 0 : static_cast<double>(wrong) / static_cast<double>(records); }
  Errors& operator+=(const Errors& other) {
    records += other.records, wrong += other.wrong;
    return *this;
  }
  Errors& operator-=(const Errors& other) {
    records -= other.records, wrong -= other.wrong;
    return *this;
  }
  bool operator==(const Errors&) const = default;
};

/// Whether data of other processes and checkpoints is valid: sums of such counts cannot overflow.
inline bool is_possible(const Errors& errors) { return errors.records <= kMaxSeen && errors.wrong <= errors.records; }

/// Bound on the difference of the error rates of two parts of a window without change (Bifet and Gavalda, Learning from
/// time-changing data with adaptive windowing, SDM 2007, equation 3.1):
/// sqrt(2 / m * v * ln(2 / d)) + 2 / (3 m) * ln(2 / d), with 1 / m = 1 / n0 + 1 / n1 for parts of n0 and n1 records,
/// the variance v of the whole window of n records, and d = delta / ln(n).
class AdwinBound {
 public:
  /// @param window  Of at least one record. @param delta  (0, 1).
  AdwinBound(const Errors& window, double delta);
  /// @param older, newer  Numbers of records of the parts, at least one each.
  double operator()(std::uint64_t older, std::uint64_t newer) const;

 private:
  double variance_, log_;
};

/// ADWIN2: a window over the last errors that is cut where its older part differs significantly from its newer one.
/// Errors come in portions of whole numbers; a bucket of size i holds 2^i portions, there are at most kBuckets of each
/// size, and the window may be cut between buckets. Memory and time grow with the logarithm of the window.
class Adwin {
 public:
  static constexpr int kBuckets = 5;                    ///< Most buckets of one size.
  static constexpr std::uint64_t kPortionRecords = 32;  ///< Errors are collected until they cover this many records.

  /// Adds errors, and cuts the window where required. @return Whether errors have increased: the window was cut, and
  /// the rate of the rest is above the previous rate of the window.
  bool add(const Errors& errors, double delta);

  /// Errors in the window, without those that do not make up a portion yet.
  const Errors& window() const { return window_; }

  void pack(Packer& packer) const;
  /// @throws Error(kModel) for invalid data.
  void unpack(Unpacker& unpacker);
  bool operator==(const Adwin&) const = default;

 private:
  struct Bucket {
    Errors errors;
    std::uint64_t size = 0;  ///< log2 of the number of portions.

    bool operator==(const Bucket&) const = default;
  };

  void merge_buckets();
  bool cut(double delta);

  std::vector<Bucket> buckets_;  ///< Oldest first; sizes descend.
  Errors window_, waiting_;
};

}  // namespace fernwood::stream
