// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <span>
#include <vector>

#include "stream/grow/adwin.h"
#include "stream/grow/open_leaves.h"

namespace fernwood::stream {

/// Bound on the difference of the error rates of two classifiers of which neither is better (Bifet and Gavalda,
/// Adaptive learning from evolving data streams, IDA 2009, section 4.2: with probability 1 - significance): sqrt(2 e (1
/// - e) ln(2 / significance) (1 / n0 + 1 / n1)), with the rate e of the first.
double switch_bound(const Errors& first, const Errors& second, double significance);

/// Schedule::kAdaptive: monitors the prequential errors of each node of a tree and of its alternates, begins an
/// alternate where errors have increased, and replaces the node by it when it is better by the bound. All decisions
/// follow from whole numbers summed over processes, in the order of nodes, and so are the same in all processes.
class Adaptation {
 public:
  explicit Adaptation(const StreamOptions& options) : options_(options) {}

  /// Changes the tree after a round. @param errors  [node] Of the records of a node in the round, in all processes.
  /// @return [node] Indices as from StreamTree::replace(); empty if none changed.
  std::vector<std::int32_t> adapt(OpenLeaves& leaves, std::vector<Errors> errors);
  /// Removes all alternates.
  static std::vector<std::int32_t> end_alternates(OpenLeaves& leaves);

  const DriftCounts& counts() const { return counts_; }

  void pack(Packer& packer) const;
  /// @throws Error for invalid data.
  void unpack(Unpacker& unpacker, std::size_t num_nodes);

 private:
  std::vector<std::uint8_t> take_errors(const StreamTree& tree, std::vector<Errors> errors);
  void compare(StreamTree& tree, std::vector<std::uint8_t>& risen, std::vector<Alternate>& replacing,
               std::vector<Alternate>& dropped);
  void begin_alternates(OpenLeaves& leaves, const std::vector<std::uint8_t>& risen);
  std::vector<std::uint8_t> renumber(const std::vector<std::int32_t>& indices, const std::vector<std::uint8_t>& risen,
                                     std::size_t num_nodes);

  const StreamOptions options_;
  std::vector<Adwin> windows_;  ///< [node]
  DriftCounts counts_;
};

}  // namespace fernwood::stream
