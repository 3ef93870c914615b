// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fernwood {

/// How long something took, time after time: quantiles to within half a percent, in memory that does not grow.
class Durations {
 public:
  void add(double seconds);
  std::size_t size() const { return num_; }
  /// The smallest duration that at least a `share` of all do not exceed, (0, 1]; 0 when there is none. Between 1 us and
  /// 100 s; what is shorter or longer counts as these.
  double quantile_s(double share) const;
  double median_s() const { return quantile_s(0.5); }
  double p95_s() const { return quantile_s(0.95); }

 private:
  // Bins whose borders grow by 1 %: ln(100 s / 1 us) / ln(1.01) of them.
  static constexpr std::size_t kNumBins = 1852;
  std::array<std::uint64_t, kNumBins> counts_{};
  std::size_t num_ = 0;
};

}  // namespace fernwood
