// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/source/clock_offset.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "fernwood/core/statistics.h"

namespace fernwood::dataset {

namespace {

/// Time differences between depth and colour of the images paired in sequence when `ahead_s` is subtracted from depth.
std::vector<double> paired_differences(std::span<const double> color_s, std::span<const double> depth_s, double ahead_s,
                                       double max_difference_s) {
  std::vector<double> differences;
  for (std::size_t c = 0, d = 0; c < color_s.size() && d < depth_s.size();) {
    const double difference = depth_s[d] - ahead_s - color_s[c];
    if (std::abs(difference) < max_difference_s) {
      differences.push_back(depth_s[d++] - color_s[c++]);
    } else if (difference < 0) {
      ++d;
    } else {
      ++c;
    }
  }
  return differences;
}

}  // namespace

std::optional<ClockOffset> find_clock_offset(std::span<const double> color_s, std::span<const double> depth_s,
                                             double max_difference_s, std::size_t num_pairs) {
  constexpr std::size_t kFewestPairs = 10, kTried = 16;  // recordings start within a few frames of each other
  const std::size_t most = std::min(color_s.size(), depth_s.size());
  if (most < kFewestPairs || 4 * num_pairs > most) return std::nullopt;
  std::vector<double> best;
  for (std::size_t c = 0; c < std::min(color_s.size(), kTried); ++c)
    for (std::size_t d = 0; d < std::min(depth_s.size(), kTried); ++d) {
      std::vector<double> differences = paired_differences(color_s, depth_s, depth_s[d] - color_s[c], max_difference_s);
      if (differences.size() > best.size()) best = std::move(differences);
    }
  if (best.size() < kFewestPairs || 10 * best.size() < 9 * most) return std::nullopt;
  const std::size_t pairs = best.size();
  return ClockOffset{median_of(std::move(best)), pairs};
}

}  // namespace fernwood::dataset
