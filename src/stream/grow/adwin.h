// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "stream/grow/stream_tree.h"

namespace fernwood::stream {

/// Records that were classified before they were learnt from, and how many of them wrongly.
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

/// For what comes from elsewhere: counts that sums of cannot overflow.
inline bool is_possible(const Errors& errors) { return errors.records <= kMostSeen && errors.wrong <= errors.records; }

/// How far the error rates of two parts of a window may be apart where nothing has changed (Bifet and Gavalda, Learning
/// from time-changing data with adaptive windowing, SDM 2007, equation 3.1):
/// sqrt(2 / m * v * ln(2 / d)) + 2 / (3 m) * ln(2 / d), with 1 / m = 1 / n0 + 1 / n1 for parts of n0 and n1 records,
/// the variance v of the whole window of n records, and d = delta / ln(n).
class AdwinBound {
 public:
  /// @param window  Of at least one record. @param delta  (0, 1).
  AdwinBound(const Errors& window, double delta);
  /// @param older, newer  Records of the parts, at least one each.
  double operator()(std::uint64_t older, std::uint64_t newer) const;

 private:
  double variance_, log_;
};

/// ADWIN2: a window over the last errors that is cut where its older part surely differs from its newer one. Errors
/// come in portions of whole numbers; a bucket of size 2^i is made of so many portions, there are at most kBuckets of
/// each size, and the window may be cut between buckets. Memory and time grow with the logarithm of the window.
class Adwin {
 public:
  static constexpr int kBuckets = 5;                    ///< Of one size, at most.
  static constexpr std::uint64_t kPortionRecords = 32;  ///< Errors are kept until they are of so many records.

  /// Takes errors, and cuts the window where it must. @return Whether errors have become more: the window was cut, and
  /// the rate of what is left is above that of what it was.
  bool add(const Errors& errors, double delta);

  /// Of the window, without those that make no portion yet.
  const Errors& window() const { return window_; }

  void pack(Packer& packer) const;
  /// @throws Error(kModel) for what is no such window.
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
