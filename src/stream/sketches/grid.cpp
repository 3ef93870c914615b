// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/sketches/grid.h"

#include <limits>

#include "records/grow/split.h"

namespace fernwood {

std::vector<float> even_edges(const LogLinearSketch& sketch, int bins) {
  const std::vector<LogLinearSketch::Bucket> buckets = sketch.buckets();
  const auto end_of = [&](std::uint32_t key, bool high) {
    const float end = high ? highest_value(key, sketch.fraction_bits()) : lowest_value(key, sketch.fraction_bits());
    return end + sketch.centre();
  };
  std::vector<float> edges;
  const bool one_each = buckets.size() <= static_cast<std::size_t>(bins);
  double left = static_cast<double>(sketch.total()), count = 0;
  for (std::size_t i = 0; i + 1 < buckets.size(); ++i) {
    count += static_cast<double>(buckets[i].count);
    const double share = left / static_cast<double>(static_cast<std::size_t>(bins) - edges.size());
    const auto next = static_cast<double>(buckets[i + 1].count);
    // The next bucket joins unless the bin is then farther from its share than it is now.
    if (!one_each && (count + next / 2 < share || edges.size() + 1 == static_cast<std::size_t>(bins))) continue;
    const float edge = threshold_between(end_of(buckets[i].key, true), end_of(buckets[i + 1].key, false));
    if (edges.empty() || edges.back() < edge) edges.push_back(edge);
    left -= count, count = 0;
  }
  if (edges.empty()) edges.push_back(std::numeric_limits<float>::infinity());
  return edges;
}

}  // namespace fernwood
