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

/// Leaf index of leaves without a slot; for others it is the slot.
inline constexpr std::int32_t kNoSlot = std::numeric_limits<std::int32_t>::max();

/// Most alternates of a node and those above it: a record is counted once in the tree and once in each alternate.
inline constexpr int kMaxNested = 3;

/// The leaf that a record reaches from a node.
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

/// The class with the most records, the first of equal ones. @param counts  [class]
inline std::size_t largest_class(std::span<const std::uint64_t> counts) {
  return static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

/// A tree that grows beside a part of the tree, which it may replace.
struct Alternate {
  std::int32_t node = 0;   ///< Node of the tree whose records the alternate receives.
  std::int32_t root = 0;   ///< Its own root, after all nodes that were created before it.
  std::int32_t tests = 0;  ///< Number of comparisons so far.

  bool operator==(const Alternate&) const = default;
};

/// A growing tree and its alternates: nodes in order of creation, each with the records seen in its part of the space.
class StreamTree {
 public:
  /// @param statistics  Kind of the rows of nodes.
  explicit StreamTree(LeafStatistics statistics = {});

  const LeafStatistics& statistics() const { return statistics_; }
  std::size_t num_classes() const { return statistics_.num_classes; }
  /// Increases the number of classes.
  void add_classes(std::size_t num_classes);

  const std::vector<records::RecordNode>& nodes() const { return nodes_; }
  /// Row of the records that a node has seen.
  std::span<const std::uint64_t> counts(std::int32_t node) const {
    return std::span(counts_).subspan(first_count(node), statistics_.size());
  }
  int depth(std::int32_t node) const { return depths_[static_cast<std::size_t>(node)]; }
  int greatest_depth() const;                             ///< Of the tree, without alternates.
  std::size_t num_leaves() const { return num_leaves_; }  ///< Including those of alternates.

  void set_slot(std::int32_t leaf, std::int32_t slot) { node(leaf).child = ~slot; }
  void clear_counts(std::int32_t leaf);
  /// Adds records to a leaf. @param counts  Their row.
  void add_counts(std::int32_t leaf, std::span<const std::uint64_t> counts);
  /// Turns a leaf into a test. The records that it has seen are divided between its children like those of the split.
  /// @param left, all  Rows of the records that the split sends left, and of all from which it was found.
  void split(std::int32_t leaf, const records::Split& split, std::span<const std::uint64_t> left,
             std::span<const std::uint64_t> all);
  /// [class] Records seen by all leaves under a node.
  std::vector<std::uint64_t> counts_below(std::int32_t node) const;
  /// Turns a test into a leaf. @param counts  [class] The records that it has seen.
  void cut(std::int32_t node, std::span<const std::uint64_t> counts);

  /// In order of creation.
  const std::vector<Alternate>& alternates() const { return alternates_; }
  std::vector<Alternate>& alternates() { return alternates_; }
  /// Begins an alternate of a node of the tree, from an empty leaf.
  void begin_alternate(std::int32_t node);
  /// Replaces nodes by their alternates, drops others, and removes all nodes that are no longer in use.
  /// Alternates of replaced parts are dropped, too.
  /// @return  [node] Its new index; -1: removed. A root that replaces a node gets that node's index.
  std::vector<std::int32_t> replace(std::span<const Alternate> replacing, std::span<const Alternate> dropped);
  /// Nodes that lead records, from the root, to the leaves of the alternates that have `num_above` others above their
  /// nodes; all other leaves have no slots.
  std::vector<records::RecordNode> nodes_to_alternates(int num_above) const;
  /// Largest number of alternates of a node and the nodes above it; 0 without alternates.
  int most_nested() const;
  /// @param marks  [node] Set for a node and all below.
  void mark_below(std::int32_t node, std::vector<std::uint8_t>& marks) const;
  /// @return  [node] Number of alternates of a node and of those above it; 0 for nodes of alternates.
  std::vector<std::uint8_t> num_alternates_above() const;

  /// @throws Error(kRuntime) if no record has reached a leaf, which only a message of another process can cause.
  void check_leaves() const;
  /// A tree whose leaves answer the shares of classes.
  records::RecordTree finish(int fraction_bits) const;
  /// A tree whose leaves answer the mean of their targets.
  records::RecordTree finish(const TargetScale& targets) const;

  void pack(Packer& packer) const;
  /// @throws Error for invalid data.
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

/// Description length, in bits, of the classes of n records whose counts are unknown (Mehta, Rissanen, Agrawal,
/// MDL-based Decision Tree Pruning, KDD 1995, section 3: Rissanen's stochastic complexity of k classes):
/// sum n_i log2(n / n_i) + (k - 1) / 2 log2(n / 2) + log2(pi^(k / 2) / Gamma(k / 2)), at least the first sum.
double class_bits(std::span<const std::uint64_t> counts);

/// Prunes tests, from the leaves up, whose description takes more bits than they save. A node takes one bit to
/// distinguish leaves from tests, a test also those of its attribute and of its threshold among `num_places`.
/// New leaves get the counts of all leaves that were below them.
void prune_by_mdl(StreamTree& tree, std::size_t num_attributes, std::size_t num_places);

}  // namespace fernwood::stream
