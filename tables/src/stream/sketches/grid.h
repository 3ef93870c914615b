// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/messages.h"
#include "fernwood/core/arithmetic.h"
#include "fernwood/core/parallel.h"
#include "fernwood/records/table_reader.h"
#include "stream/sketches/log_linear.h"

namespace fernwood::stream {

/// Attributes, or other items, begin ... end - 1.
struct AttributeRange {
  std::size_t begin = 0, end = 0;

  std::size_t size() const { return end - begin; }
};
/// Part `index` of `count` items divided into `num_parts`.
inline AttributeRange part_of(std::size_t count, std::size_t index, std::size_t num_parts) {
  return {count * index / num_parts, count * (index + 1) / num_parts};
}

/// Bin of a value: the number of edges below it, so that a bin includes its upper edge. Unknown values have the bin
/// after the last one.
/// @param edges  [num_edges] Ascending, at most 254.
FW_HD std::uint8_t bin_of(float value, const float* edges, std::uint32_t num_edges) {
  if (is_nan(value)) return static_cast<std::uint8_t>(num_edges + 1);
  std::uint32_t begin = 0;
  for (std::uint32_t size = num_edges; size > 0;) {  // edges before begin are below, those from begin + size on are not
    const std::uint32_t half = size / 2, below = edges[begin + half] < value;
    begin += below * (half + 1);
    size = below ? size - half - 1 : half;
  }
  return static_cast<std::uint8_t>(begin);
}

/// The thresholds at which attributes can be split.
struct Grid {
  std::vector<std::uint32_t> starts = {0};  ///< [attribute + 1] Start of an attribute's edges.
  std::vector<float> edges;                 ///< Finite or infinite, ascending within an attribute; at most 254 each.

  std::size_t num_attributes() const { return starts.size() - 1; }
  std::span<const float> edges_of(std::size_t attribute) const {
    return std::span(edges).subspan(starts[attribute], starts[attribute + 1] - starts[attribute]);
  }
  /// Number of bins of known values.
  std::size_t num_bins(std::size_t attribute) const { return starts[attribute + 1] - starts[attribute] + 1; }
  bool operator==(const Grid&) const = default;
};

/// Whether the grid is valid for this number of attributes.
bool is_usable(const Grid& grid, std::size_t num_attributes);

/// Edges that divide the values of a sketch into at most `bins` bins of about equal counts: each lies midway between
/// two buckets. If there are no more buckets than bins, each bucket is a bin. A bin's count exceeds its even share by
/// less than the largest bucket in it, so a split at an edge misses no rank by more than a bin or the largest bucket.
/// An attribute with one bucket gets an edge that no value exceeds.
std::vector<float> even_edges(const LogLinearSketch& sketch, int bins);

/// Number of a sketch's values in each bin between edges. A bucket belongs to the bin of its largest value.
/// @return  [edges + 1]
std::vector<std::uint64_t> counts_between(const LogLinearSketch& sketch, std::span<const float> edges);

/// Chooses the thresholds at which attributes can be split, from the values of all records so far.
class GridPlanner {
 public:
  /// @param bins  Most bins of an attribute. @param pool  Must outlive this object.
  GridPlanner(int bins, ThreadPool& pool) : bins_(bins), pool_(pool) {}

  /// Counts the values of records. @param num_before  Number of earlier records, which have the value `absent` in
  /// attributes that are new.
  void observe(const records::RecordTable& batch, std::uint64_t num_before, float absent);
  /// Returns `grid` if it divides values at least half as well as a new one would, otherwise the new one.
  Grid review(const Grid& grid) const;

  void pack(Packer& packer) const;
  /// @throws Error for invalid data.
  void unpack(Unpacker& unpacker, std::size_t num_attributes);

 private:
  Grid make_grid() const;

  const int bins_;
  ThreadPool& pool_;
  std::vector<LogLinearSketch> observed_;  ///< [attribute]
};

}  // namespace fernwood::stream
