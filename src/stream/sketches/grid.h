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

/// Attributes, or other items, begin ... end.
struct AttributeRange {
  std::size_t begin = 0, end = 0;

  std::size_t size() const { return end - begin; }
};
/// Part `index` of `count` items that are shared among `num_parts`.
inline AttributeRange part_of(std::size_t count, std::size_t index, std::size_t num_parts) {
  return {count * index / num_parts, count * (index + 1) / num_parts};
}

/// Number of edges below a value: the bin that it is in, where a bin's upper edge belongs to it; behind the last bin
/// for unknown values.
/// @param edges  [num_edges] ascending, at most 254.
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

/// The places at which attributes can be split.
struct Grid {
  std::vector<std::uint32_t> starts = {0};  ///< [attribute + 1] Where an attribute's edges begin.
  std::vector<float> edges;                 ///< Finite or infinite, ascending within an attribute; at most 254 each.

  std::size_t num_attributes() const { return starts.size() - 1; }
  std::span<const float> edges_of(std::size_t attribute) const {
    return std::span(edges).subspan(starts[attribute], starts[attribute + 1] - starts[attribute]);
  }
  /// Known values fall into so many bins.
  std::size_t num_bins(std::size_t attribute) const { return starts[attribute + 1] - starts[attribute] + 1; }
  bool operator==(const Grid&) const = default;
};

/// Whether bins of so many attributes can be made of it.
bool is_usable(const Grid& grid, std::size_t num_attributes);

/// Edges that part what a sketch has counted into at most `bins` bins of about equal counts: each lies midway between
/// two buckets. Where there are no more buckets than bins, each bucket is a bin. A bin's count exceeds its even share
/// by less than the largest bucket in it, so a split at an edge misses no rank by more than a bin or the largest
/// bucket. An attribute of one bucket gets an edge that no value exceeds.
std::vector<float> even_edges(const LogLinearSketch& sketch, int bins);

/// How many of a sketch's values lie in each bin between edges, where a bucket lies where its largest value does.
/// @return  [edges + 1]
std::vector<std::uint64_t> counts_between(const LogLinearSketch& sketch, std::span<const float> edges);

/// Chooses the places at which attributes can be split from the values of all records so far.
class GridPlanner {
 public:
  /// @param bins  Of an attribute, at most. @param pool  Must outlive this.
  GridPlanner(int bins, ThreadPool& pool) : bins_(bins), pool_(pool) {}

  /// Counts the values of records. @param num_before  Records before these, which have the value `absent` in attributes
  /// that are new.
  void observe(const records::RecordTable& batch, std::uint64_t num_before, float absent);
  /// The grid while it parts values at least half as well as another would, else the other.
  Grid review(const Grid& grid) const;

  void pack(Packer& packer) const;
  /// @throws Error when what comes is nothing of the kind.
  void unpack(Unpacker& unpacker, std::size_t num_attributes);

 private:
  Grid make_grid() const;

  const int bins_;
  ThreadPool& pool_;
  std::vector<LogLinearSketch> observed_;  ///< [attribute]
};

}  // namespace fernwood::stream
