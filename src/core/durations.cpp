// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/durations.h"

#include <algorithm>
#include <cmath>

namespace fernwood {

namespace {

constexpr double kShortest = 1e-6, kGrowth = 1.01;

}  // namespace

void Durations::add(double seconds) {
  const double place = std::log(std::max(seconds, kShortest) / kShortest) / std::log(kGrowth);
  ++counts_[std::min(static_cast<std::size_t>(place), kNumBins - 1)];
  ++num_;
}

double Durations::quantile_s(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(num_)));
  std::uint64_t seen = 0;
  for (std::size_t bin = 0; bin < kNumBins; ++bin) {
    seen += counts_[bin];
    // The middle of the bin on its logarithmic scale.
    if (seen > 0 && seen >= wanted) return kShortest * std::pow(kGrowth, static_cast<double>(bin) + 0.5);
  }
  return 0;
}

}  // namespace fernwood
