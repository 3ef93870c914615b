// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace fernwood {

/// Callback for the progress of an operation, called by one thread at a time; may be empty. It may throw
/// Error(kInterrupted) to end the operation.
using ProgressCallback = std::function<void(std::size_t done, std::size_t total)>;

/// Time of a monotonic clock in seconds; only differences are meaningful.
inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A duration of that clock, at least 0 and at most a year: the integers that it counts in would overflow.
inline std::chrono::steady_clock::duration duration_of_seconds(double seconds) {
  constexpr double kYear_s = 366 * 24 * 3600;
  const std::chrono::duration<double> clamped(seconds < kYear_s ? std::max(seconds, 0.0) : kYear_s);
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(clamped);
}

/// Clock for code whose behaviour depends on time: seconds_now(), or a simulated clock in tests.
using SecondsClock = std::function<double()>;

/// Quantiles of durations to within half a percent, in constant memory.
class Durations {
 public:
  void add(double seconds) {
    const double place = std::log(std::max(seconds, kShortest_s) / kShortest_s) / std::log(kGrowth);
    ++counts_[std::min(static_cast<std::size_t>(place), kNumBins - 1)];
    ++num_;
  }
  std::size_t size() const { return num_; }
  /// The smallest duration, in seconds, that at least a `share` of all durations do not exceed; 0 if there are none.
  /// Durations are clamped to [1 us, 100 s]. @param share  In (0, 1].
  double quantile_s(double share) const {
    const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(num_)));
    std::uint64_t seen = 0;
    for (std::size_t bin = 0; bin < kNumBins; ++bin) {
      seen += counts_[bin];
      // The middle of the bin on the logarithmic scale.
      if (seen > 0 && seen >= wanted) return kShortest_s * std::pow(kGrowth, static_cast<double>(bin) + 0.5);
    }
    return 0;
  }
  double median_s() const { return quantile_s(0.5); }
  double p95_s() const { return quantile_s(0.95); }

 private:
  // The borders of the bins grow by 1 %; their number is ln(100 s / 1 us) / ln(1.01).
  static constexpr double kShortest_s = 1e-6, kGrowth = 1.01;
  static constexpr std::size_t kNumBins = 1852;
  std::array<std::uint64_t, kNumBins> counts_{};
  std::size_t num_ = 0;
};

}  // namespace fernwood
