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

/// Told how much of a piece of work is done; called from one thread at a time. Empty: nobody listens.
/// May throw Error(kInterrupted) to end the work.
using ProgressCallback = std::function<void(std::size_t done, std::size_t total)>;

/// Seconds of a clock that only goes forward; differences are durations.
inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What is asked for the time where time decides: seconds_now(), or in tests a clock that they set.
using SecondsClock = std::function<double()>;

/// How long something took, time after time: quantiles to within half a percent, in memory that does not grow.
class Durations {
 public:
  void add(double seconds) {
    const double place = std::log(std::max(seconds, kShortest_s) / kShortest_s) / std::log(kGrowth);
    ++counts_[std::min(static_cast<std::size_t>(place), kNumBins - 1)];
    ++num_;
  }
  std::size_t size() const { return num_; }
  /// The smallest duration that at least a `share` of all do not exceed, (0, 1]; 0 when there is none. Between 1 us and
  /// 100 s; what is shorter or longer counts as these.
  double quantile_s(double share) const {
    const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(num_)));
    std::uint64_t seen = 0;
    for (std::size_t bin = 0; bin < kNumBins; ++bin) {
      seen += counts_[bin];
      // The middle of the bin on its logarithmic scale.
      if (seen > 0 && seen >= wanted) return kShortest_s * std::pow(kGrowth, static_cast<double>(bin) + 0.5);
    }
    return 0;
  }
  double median_s() const { return quantile_s(0.5); }
  double p95_s() const { return quantile_s(0.95); }

 private:
  // Bins whose borders grow by 1 %: ln(100 s / 1 us) / ln(1.01) of them.
  static constexpr double kShortest_s = 1e-6, kGrowth = 1.01;
  static constexpr std::size_t kNumBins = 1852;
  std::array<std::uint64_t, kNumBins> counts_{};
  std::size_t num_ = 0;
};

}  // namespace fernwood
