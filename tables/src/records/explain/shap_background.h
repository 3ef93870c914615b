// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "records/explain/pattern_index.h"
#include "records/explain/shap_kernels.h"

namespace fernwood::records {

/// Patterns of background records in a group, with the share of the records that have them.
using WeightedPatterns = std::vector<std::pair<std::uint64_t, double>>;

/// Rows of patterns where attributes that are not known have the values of background records, all with the same
/// weight (interventional TreeSHAP; Lundberg et al., Nature Machine Intelligence 2, 2020, Methods).
///
/// In the game of a record and one background record, a leaf of value v needs the a elements that only the record
/// satisfies, and must not have the b elements that only the background record does; if neither satisfies an element,
/// it is reached in no set. Then each of the a adds v (a - 1)! b! / (a + b)!, each of the b adds -v a! (b - 1)! /
/// (a + b)!.
class BackgroundRowFinder {
 public:
  BackgroundRowFinder();

  /// @param args  As for ShapKernels::find_rows() for players; points and columns are not used.
  /// @param background  At least one; equal patterns are merged.
  void find(const ShapRowArgs& args, WeightedPatterns& background);

 private:
  /// Shares of the leaf's elements in its value, for a record that satisfies the elements `met`. @param shares Written.
  void find_shares(std::size_t num_elements, std::uint64_t met, double* shares) const;

  std::vector<double> weights_;  ///< [a][b] a! b! / (a + b + 1)!
  // Of the current leaf.
  WeightedPatterns masks_;  ///< Elements that background records satisfy.
  PatternIndex known_{4096};
  std::vector<double> shares_;  ///< [place in known_][element]
};

}  // namespace fernwood::records
