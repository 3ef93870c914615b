// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "stream/online/leaf_logs.h"

namespace fernwood::stream {

/// The weight of records in a bin of a leaf, for naive Bayes. If an attribute fills all bins, it is likely to be
/// continuous: neighbouring bins are added with weights 1, 2, 2, 2, 1, mirrored at both ends, because few records make
/// the shares of single bins uncertain.
class BayesBin {
 public:
  static constexpr std::int64_t kWhole = 8;   ///< Sum of the weights of bins.
  static constexpr std::int64_t kUnseen = 4;  ///< Added to each sum, so that a class without records is not excluded.

  /// @param edges, counts  Of the attribute in the leaf: [bins], [bins + 1][class]. @param bin  bins: unknown values.
  BayesBin(std::span<const float> edges, const std::int64_t* counts, std::size_t bin, std::size_t num_classes) {
    const auto size = static_cast<std::ptrdiff_t>(edges.size()), at = static_cast<std::ptrdiff_t>(bin);
    is_smooth_ = size > 2 && at < size && edges[edges.size() - 2] != __builtin_huge_valf();
    rows_[2] = counts + bin * num_classes;
    if (!is_smooth_) return;
    for (const std::ptrdiff_t k : {-2, -1, 1, 2}) {
      std::ptrdiff_t place = at + k;
      if (place < 0) place = -1 - place;
      if (place >= size) place = 2 * size - 1 - place;
      rows_[static_cast<std::size_t>(k + 2)] = counts + place * static_cast<std::ptrdiff_t>(num_classes);
    }
  }
  /// Logarithm of the sum of a class.
  std::int64_t evidence(std::size_t label) const {
    if (!is_smooth_) return vote_log(kWhole * rows_[2][label] + kUnseen);
    const std::int64_t inner = rows_[1][label] + rows_[2][label] + rows_[3][label];
    return vote_log(2 * inner + rows_[0][label] + rows_[4][label] + kUnseen);
  }

 private:
  bool is_smooth_ = false;
  std::array<const std::int64_t*, 5> rows_;  ///< [neighbour][class] Only the middle one if it is not smooth.
};

}  // namespace fernwood::stream
