// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/sketches/grid.h"

#include <limits>

#include "records/grow/split.h"

namespace fernwood::stream {

namespace {

float low_end(const LogLinearSketch& sketch, std::uint32_t key) {
  return lowest_value(key, sketch.fraction_bits()) + sketch.centre();
}
float high_end(const LogLinearSketch& sketch, std::uint32_t key) {
  return highest_value(key, sketch.fraction_bits()) + sketch.centre();
}

}  // namespace

std::vector<float> even_edges(const LogLinearSketch& sketch, int bins) {
  const std::vector<LogLinearSketch::Bucket> buckets = sketch.buckets();
  std::vector<float> edges;
  const bool one_each = buckets.size() <= static_cast<std::size_t>(bins);
  double left = static_cast<double>(sketch.total()), count = 0;
  for (std::size_t i = 0; i + 1 < buckets.size(); ++i) {
    count += static_cast<double>(buckets[i].count);
    const double share = left / static_cast<double>(static_cast<std::size_t>(bins) - edges.size());
    const auto next = static_cast<double>(buckets[i + 1].count);
    // The next bucket joins unless the bin is then farther from its share than it is now.
    if (!one_each && (count + next / 2 < share || edges.size() + 1 == static_cast<std::size_t>(bins))) continue;
    const float edge =
        records::threshold_between(high_end(sketch, buckets[i].key), low_end(sketch, buckets[i + 1].key));
    if (edges.empty() || edges.back() < edge) edges.push_back(edge);
    left -= count, count = 0;
  }
  if (edges.empty()) edges.push_back(std::numeric_limits<float>::infinity());
  return edges;
}

std::vector<std::uint64_t> counts_between(const LogLinearSketch& sketch, std::span<const float> edges) {
  std::vector<std::uint64_t> counts(edges.size() + 1);
  std::size_t bin = 0;
  for (const LogLinearSketch::Bucket& bucket : sketch.buckets()) {
    while (bin < edges.size() && edges[bin] < high_end(sketch, bucket.key)) ++bin;
    counts[bin] += bucket.count;
  }
  return counts;
}

}  // namespace fernwood::stream
