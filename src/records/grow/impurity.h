// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/core/arithmetic.h"

namespace fernwood::records {

// Both measures are a sum of terms over the counts of classes. Sums are whole numbers, so they do not depend on the
// order in which samples came, and the purity that follows is the same on every machine.

/// Gini: n samples with counts c have the impurity 1 - sum(c^2) / n^2.
struct GiniTerms {
  FW_HD std::int64_t term(std::int64_t count) const { return count * count; }
  /// n times the impurity, but for a summand n, negated: sums over nodes tell which split is best.
  FW_HD double purity(std::int64_t sum, std::int64_t n) const {
    return static_cast<double>(sum) / static_cast<double>(n);
  }
};

/// Entropy: n samples with counts c have the impurity log2(n) - sum(c log2(c)) / n.
struct EntropyFormula {
  static constexpr double kUnit = 1 << 20;

  /// count log2(count) in units of 1 / kUnit. @param count  At most 2^31.
  FW_HD std::int64_t term(std::int64_t count) const {
    if (count < 2) return 0;
    const auto value = static_cast<double>(count);
    return static_cast<std::int64_t>(value * exact_log2(value) * kUnit + 0.5);
  }
  /// n times the impurity, negated.
  FW_HD double purity(std::int64_t sum, std::int64_t n) const { return static_cast<double>(sum - term(n)) / kUnit; }
};

/// EntropyFormula with the terms of small counts in a table.
class EntropyTerms {
 public:
  /// @param most  The largest count that is worth a place in the table.
  explicit EntropyTerms(std::size_t most);
  std::int64_t term(std::int64_t count) const {
    const auto place = static_cast<std::size_t>(count);
    return place < terms_.size() ? terms_[place] : EntropyFormula{}.term(count);
  }
  double purity(std::int64_t sum, std::int64_t n) const {
    return static_cast<double>(sum - term(n)) / EntropyFormula::kUnit;
  }

 private:
  std::vector<std::int64_t> terms_;  ///< [count]
};

}  // namespace fernwood::records
