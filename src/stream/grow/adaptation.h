// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <span>
#include <vector>

#include "stream/grow/adwin.h"
#include "stream/grow/open_leaves.h"

namespace fernwood::stream {

/// How far apart the error rates of two classifiers may be where neither is better (Bifet and Gavalda, Adaptive
/// learning from evolving data streams, IDA 2009, section 4.2: with probability 1 - significance): sqrt(2 e (1 - e)
/// ln(2 / significance) (1 / n0 + 1 / n1)), with the rate e of the first.
double switch_bound(const Errors& first, const Errors& second, double significance);

/// Schedule::kAdaptive: watches the errors of each node of a tree and of its alternates, test-then-train, begins an
/// alternate where errors have become more, and lets it replace its node when it is better by the bound. All is decided
/// from whole numbers that processes have added up, in the order of nodes, and so alike in all of them.
class Adaptation {
 public:
  explicit Adaptation(const StreamOptions& options) : options_(options) {}

  /// After a round: changes the tree. @param errors  [node] Of the records of a node in the round, of all processes.
  /// @return [node] Indices as StreamTree::replace() gives them; empty where they are the same.
  std::vector<std::int32_t> adapt(OpenLeaves& leaves, std::vector<Errors> errors);
  /// Ends all alternates.
  static std::vector<std::int32_t> end_alternates(OpenLeaves& leaves);

  const DriftCounts& counts() const { return counts_; }

  void pack(Packer& packer) const;
  /// @throws Error when what comes is nothing of the kind.
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
