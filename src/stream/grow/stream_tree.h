// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/messages.h"
#include "fernwood/records/record_forest.h"
#include "records/grow/split.h"
#include "stream/sketches/leaf_statistics.h"

namespace fernwood::stream {

/// Leaf index of leaves that count nothing; that of others is their slot.
inline constexpr std::int32_t kNoSlot = std::numeric_limits<std::int32_t>::max();

/// Alternates of a node and those above it, at most: a record is counted once in the tree and once in each.
inline constexpr int kMostNested = 3;

/// The leaf under a node that a record is in.
/// @param value_of  value_of(attribute) is the record's value.
template <typename ValueOf>
FW_HD std::int32_t descend(const records::RecordNode* nodes, std::int32_t from, const ValueOf& value_of) {
  while (!nodes[from].is_leaf())
    from = nodes[from].child + records::side_of(nodes[from], value_of(nodes[from].attribute));
  return from;
}
/// Slot of a leaf; -1: none.
FW_HD std::int32_t slot_of(const records::RecordNode& leaf) {
  return leaf.leaf_index() == kNoSlot ? -1 : leaf.leaf_index();
}

/// The class of most records, of several the first. @param counts  [class]
inline std::size_t largest_class(std::span<const std::uint64_t> counts) {
  return static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

/// A tree that grows beside the part of a tree that it may replace.
struct Alternate {
  std::int32_t node = 0;   ///< Of the tree, whose records it sees.
  std::int32_t root = 0;   ///< Its own, behind all nodes that were there before it.
  std::int32_t tests = 0;  ///< Comparisons so far.

  bool operator==(const Alternate&) const = default;
};

/// A tree while it grows, and its alternates: nodes in order of creation, each with the records seen in its part of the
/// space.
class StreamTree {
 public:
  /// @param statistics  Of what nodes see.
  explicit StreamTree(LeafStatistics statistics = {});

  const LeafStatistics& statistics() const { return statistics_; }
  std::size_t num_classes() const { return statistics_.num_classes; }
  /// More classes have been seen.
  void add_classes(std::size_t num_classes);

  const std::vector<records::RecordNode>& nodes() const { return nodes_; }
  /// Row of what a node has seen.
  std::span<const std::uint64_t> counts(std::int32_t node) const {
    return std::span(counts_).subspan(first_count(node), statistics_.size());
  }
  int depth(std::int32_t node) const { return depths_[static_cast<std::size_t>(node)]; }
  int greatest_depth() const;                             ///< Of the tree, without alternates.
  std::size_t num_leaves() const { return num_leaves_; }  ///< Those of alternates included.

  void set_slot(std::int32_t leaf, std::int32_t slot) { node(leaf).child = ~slot; }
  void clear_counts(std::int32_t leaf);
  /// Records were seen in a leaf. @param counts  Their row.
  void add_counts(std::int32_t leaf, std::span<const std::uint64_t> counts);
  /// Makes a leaf a test. Its children share what it has seen as they share what the split was found from.
  /// @param left, all  Rows of the records that the split sends left, and of all that it was found from.
  void split(std::int32_t leaf, const records::Split& split, std::span<const std::uint64_t> left,
             std::span<const std::uint64_t> all);
  /// [class] What all leaves under a node have seen.
  std::vector<std::uint64_t> counts_below(std::int32_t node) const;
  /// Makes a test a leaf. @param counts  [class] What it has seen.
  void cut(std::int32_t node, std::span<const std::uint64_t> counts);

  /// In order of creation.
  const std::vector<Alternate>& alternates() const { return alternates_; }
  std::vector<Alternate>& alternates() { return alternates_; }
  /// Begins an alternate of a node of the tree, from a leaf that has seen nothing.
  void begin_alternate(std::int32_t node);
  /// Puts alternates into the places of their nodes, ends others, and leaves out all nodes that are in use no more.
  /// Alternates of what was replaced end, too.
  /// @return  [node] Its index from now on; -1: it is gone. A root that replaces a node gets that node's index.
  std::vector<std::int32_t> replace(std::span<const Alternate> replacing, std::span<const Alternate> dropped);
  /// Nodes by which records find, from the root, the leaves of alternates that have `num_above` others above their
  /// nodes; all others count nothing.
  std::vector<records::RecordNode> nodes_to_alternates(int num_above) const;
  /// Of alternates of one another's nodes and those above, how many at most; 0: there is none.
  int most_nested() const;
  /// @param marks  [node] Set for a node and all below.
  void mark_below(std::int32_t node, std::vector<std::uint8_t>& marks) const;
  /// @return  [node] Alternates of a node and of those above it; 0 for nodes of alternates.
  std::vector<std::uint8_t> num_alternates_above() const;

  /// @throws Error(kRuntime) if no record has reached a leaf, which only a message of another process can cause.
  void check_leaves() const;
  /// A tree that answers the shares of a leaf's classes.
  records::RecordTree finish(int fraction_bits) const;
  /// A tree that answers the mean of a leaf's targets.
  records::RecordTree finish(const TargetScale& targets) const;

  void pack(Packer& packer) const;
  /// @throws Error when what comes is no such tree.
  void unpack(Unpacker& unpacker, std::size_t num_attributes, const LeafStatistics& statistics, int max_depth);

 private:
  std::size_t first_count(std::int32_t node) const { return static_cast<std::size_t>(node) * statistics_.size(); }
  records::RecordNode& node(std::int32_t index) { return nodes_[static_cast<std::size_t>(index)]; }
  void add_node(int depth);
  std::size_t leaves_under(std::int32_t node) const;
  std::vector<std::int32_t> keep(const std::vector<std::uint8_t>& stays);
  void check_alternate(const Alternate& alternate, const std::vector<std::uint8_t>& tree_of) const;
  void check_node(std::size_t node, std::vector<std::uint8_t>& tree_of, std::size_t num_attributes, int max_depth);

  LeafStatistics statistics_;
  std::size_t num_leaves_ = 1;
  std::vector<records::RecordNode> nodes_;
  std::vector<std::uint64_t> counts_;  ///< [node] Rows.
  std::vector<std::uint8_t> depths_;   ///< [node]
  std::vector<Alternate> alternates_;
};

/// Bits that tell the classes of n records whose counts are not known before (Mehta, Rissanen, Agrawal, MDL-based
/// Decision Tree Pruning, KDD 1995, section 3: Rissanen's stochastic complexity of k classes):
/// sum n_i log2(n / n_i) + (k - 1) / 2 log2(n / 2) + log2(pi^(k / 2) / Gamma(k / 2)), at least those of the first sum.
double class_bits(std::span<const std::uint64_t> counts);

/// Cuts tests back, from the leaves up, that take more bits to tell than they save. A node takes one bit to say whether
/// it is a leaf, a test those of its attribute and of its place among `num_places`.
/// Leaves that were cut back to have the counts of all leaves that were below.
void prune_by_mdl(StreamTree& tree, std::size_t num_attributes, std::size_t num_places);

}  // namespace fernwood::stream
