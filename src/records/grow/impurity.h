// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

namespace fernwood {

// Both measures are a sum of terms over the counts of classes. Sums are whole numbers, so they do not depend on the
// order in which samples came, and the purity that follows is the same on every machine.

/// Gini: n samples with counts c have the impurity 1 - sum(c^2) / n^2.
struct GiniTerms {
  std::int64_t term(std::int64_t count) const { return count * count; }
  /// n times the impurity, but for a summand n, negated: sums over nodes tell which split is best.
  double purity(std::int64_t sum, std::int64_t n) const { return static_cast<double>(sum) / static_cast<double>(n); }
};

/// Entropy: n samples with counts c have the impurity log2(n) - sum(c log2(c)) / n.
class EntropyTerms {
 public:
  /// @param most  The largest count.
  explicit EntropyTerms(std::size_t most);
  std::int64_t term(std::int64_t count) const { return terms_[static_cast<std::size_t>(count)]; }
  /// n times the impurity, negated.
  double purity(std::int64_t sum, std::int64_t n) const { return static_cast<double>(sum - term(n)) / kUnit; }

 private:
  static constexpr double kUnit = 1 << 20;
  std::vector<std::int64_t> terms_;  ///< [count] count log2(count) in units of 1 / kUnit.
};

}  // namespace fernwood
