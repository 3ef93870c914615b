// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/sketches/grid.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "records/grow/split.h"

namespace fernwood::stream {

namespace {

constexpr std::size_t kMaxEdges = 254;
constexpr std::size_t kObservedTile = 128;  ///< Records whose rows stay in the cache while they are transposed.
constexpr std::size_t kCentreValues = 4096;
constexpr std::size_t kFewObserved = 16384;  ///< Fewer values are not worth waking threads.

/// @param step  Distance between the records used.
std::vector<float> known_values(const records::RecordTable& batch, std::size_t attribute, AttributeRange records,
                                std::size_t step = 1) {
  std::vector<float> values(records.size());
  std::size_t num_known = 0;
  for (std::size_t i = records.begin; i < records.end; i += step) {
    const float value = batch.values(i, attribute);
    values[num_known] = value;  // overwritten by the next value if it is unknown
    num_known += is_nan(value) ? 0 : 1;
  }
  values.resize(num_known);
  return values;
}

/// A typical value: the median. If one value makes up a quarter of all, such as the 0 of sparse data, the median of the
/// other values, since a single value does not need narrow buckets. 0 if no value is known, or the median is infinite.
float typical_value(std::vector<float> values) {
  std::ranges::sort(values);
  auto first = values.begin(), last = first;  // of the longest run
  for (auto run = values.begin(); run != values.end();) {
    const auto end = std::find_if(run, values.end(), [&](float value) { return value != *run; });
    if (end - run > last - first) first = run, last = end;
    run = end;
  }
  if (4 * (last - first) > std::ssize(values) && last - first < std::ssize(values)) values.erase(first, last);
  const float middle = values.empty() ? 0 : values[values.size() / 2];
  return std::isfinite(middle) ? middle : 0;
}

float low_end(const LogLinearSketch& sketch, std::uint32_t key) {
  return lowest_value(key, sketch.fraction_bits()) + sketch.centre();
}
float high_end(const LogLinearSketch& sketch, std::uint32_t key) {
  return highest_value(key, sketch.fraction_bits()) + sketch.centre();
}

}  // namespace

bool is_usable(const Grid& grid, std::size_t num_attributes) {
  if (grid.num_attributes() != num_attributes || grid.starts[0] != 0 || grid.starts.back() != grid.edges.size())
    return false;
  for (std::size_t a = 0; a < num_attributes; ++a) {
    const std::uint32_t begin = grid.starts[a], end = grid.starts[a + 1];
    if (begin >= end || end - begin > kMaxEdges || end > grid.edges.size()) return false;
    const std::span<const float> edges = grid.edges_of(a);
    if (std::ranges::any_of(edges, [](float edge) { return is_nan(edge); })) return false;
    if (std::ranges::adjacent_find(edges, std::greater_equal<>()) != edges.end()) return false;
  }
  return true;
}

std::vector<float> even_edges(const LogLinearSketch& sketch, int bins) {
  const std::vector<LogLinearSketch::Bucket> buckets = sketch.buckets();
  std::vector<float> edges;
  const bool one_each = buckets.size() <= static_cast<std::size_t>(bins);
  double left = static_cast<double>(sketch.total()), count = 0;
  for (std::size_t i = 0; i + 1 < buckets.size(); ++i) {
    count += static_cast<double>(buckets[i].count);
    const double share = left / static_cast<double>(static_cast<std::size_t>(bins) - edges.size());
    const auto next = static_cast<double>(buckets[i + 1].count);
    // The next bucket joins unless that moves the bin farther from its share.
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

namespace {

/// How evenly edges divide the values of a sketch.
struct Parting {
  std::uint64_t largest = 0;    ///< Number of values in the fullest bin.
  std::ptrdiff_t num_bins = 0;  ///< Number of bins with values.
};

Parting parting_of(const LogLinearSketch& sketch, std::span<const float> edges) {
  const std::vector<std::uint64_t> counts = counts_between(sketch, edges);
  return {std::ranges::max(counts), std::ranges::count_if(counts, [](std::uint64_t count) { return count > 0; })};
}

/// Whether edges divide values at least half as well as others would. The largest count is not sufficient: where nearly
/// all values are equal, a bin for the rest hardly reduces it.
bool fits(const LogLinearSketch& sketch, std::span<const float> edges, std::span<const float> others) {
  const Parting is = parting_of(sketch, edges), could_be = parting_of(sketch, others);
  return is.largest <= 2 * could_be.largest && 2 * is.num_bins > could_be.num_bins;
}

/// A sketch centred on a typical value of an attribute's first batch. @param num_before  Number of earlier records,
/// which have the value `absent`.
LogLinearSketch first_sketch(const records::RecordTable& batch, std::size_t attribute, std::uint64_t num_before,
                             float absent) {
  // A subset suffices for a typical value.
  const std::size_t step = std::max<std::size_t>(1, batch.values.rows() / kCentreValues);
  const float centre = typical_value(known_values(batch, attribute, {0, batch.values.rows()}, step));
  LogLinearSketch sketch(kMaxFractionBits, centre);
  if (!is_nan(absent)) sketch.update(absent, num_before);
  return sketch;
}

}  // namespace

void GridPlanner::observe(const records::RecordTable& batch, std::uint64_t num_before, float absent) {
  const std::size_t num_known = observed_.size();
  while (observed_.size() < batch.attributes.size()) observed_.emplace_back(kMaxFractionBits);
  const bool is_small = batch.values.size() < kFewObserved;
  const std::size_t num_parts =
      is_small ? 1 : std::min<std::size_t>(observed_.size(), static_cast<std::size_t>(pool_.num_threads()));
  pool_.for_each(num_parts, [&](std::size_t part, int) {
    const AttributeRange range = part_of(observed_.size(), part, num_parts);
    for (std::size_t a = std::max(range.begin, num_known); a < range.end; ++a)
      observed_[a] = first_sketch(batch, a, num_before, absent);
    for (std::size_t begin = 0; begin < batch.values.rows(); begin += kObservedTile)
      for (std::size_t a = range.begin; a < range.end; ++a)
        observed_[a].update(known_values(batch, a, {begin, std::min(begin + kObservedTile, batch.values.rows())}));
  });
}

Grid GridPlanner::make_grid() const {
  std::vector<std::vector<float>> edges(observed_.size());
  pool_.for_each(edges.size(), [&](std::size_t a, int) { edges[a] = even_edges(observed_[a], bins_); });
  Grid grid;
  for (const std::vector<float>& of_attribute : edges) {
    grid.edges.insert(grid.edges.end(), of_attribute.begin(), of_attribute.end());
    grid.starts.push_back(static_cast<std::uint32_t>(grid.edges.size()));
  }
  return grid;
}

Grid GridPlanner::review(const Grid& grid) const {
  Grid other = make_grid();
  // When edges change leaves lose their counts, so the present edges stay while they divide the records half as well.
  bool stays = other.num_attributes() == grid.num_attributes();
  for (std::size_t a = 0; stays && a < observed_.size(); ++a)
    stays = fits(observed_[a], grid.edges_of(a), other.edges_of(a));
  return stays ? grid : other;
}

void GridPlanner::pack(Packer& packer) const {
  for (const LogLinearSketch& sketch : observed_) {
    packer.put(sketch.centre());
    const std::vector<LogLinearSketch::Bucket> buckets = sketch.buckets();
    packer.put(std::uint64_t{buckets.size()});
    for (const LogLinearSketch::Bucket& bucket : buckets) packer.put(bucket.key), packer.put(bucket.count);
  }
}

void GridPlanner::unpack(Unpacker& unpacker, std::size_t num_attributes) {
  observed_.clear();
  while (observed_.size() < num_attributes) {
    LogLinearSketch& sketch = observed_.emplace_back(kMaxFractionBits, unpacker.get<float>());
    for (auto left = unpacker.get<std::uint64_t>(); left > 0; --left) {
      const auto key = unpacker.get<std::uint32_t>();
      sketch.add_bucket({key, unpacker.get<std::uint64_t>()});
    }
  }
}

}  // namespace fernwood::stream
