// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "stream/sketches/grid.h"

namespace fernwood::stream {

/// Bins that follow a stream: they divide the values of the last records evenly, so that attributes whose range moves,
/// such as times, keep their resolution.
class RecentBins {
 public:
  explicit RecentBins(int bins) : bins_(bins) {}

  /// Adds records, and replaces the edges of attributes that divide the records since the last review badly.
  /// @return Whether grid() has changed.
  bool observe(const records::RecordTable& records, ThreadPool& pool);
  const Grid& grid() const { return grid_; }

  void pack(Packer& packer) const;
  /// @throws Error(kModel) for invalid data.
  void unpack(Unpacker& unpacker, std::size_t num_attributes);

 private:
  std::vector<float> edges_of(std::size_t attribute) const;
  bool divides_badly(std::size_t attribute) const;

  int bins_;
  Grid grid_;
  std::uint64_t num_records_ = 0, num_at_review_ = 0;
  std::vector<std::vector<float>> recent_;  ///< [attribute] Values of the last records, in a ring.
};

}  // namespace fernwood::stream
