// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/messages.h"
#include "fernwood/records/record_forest.h"
#include "records/grow/split.h"

namespace fernwood::stream {

/// Leaf index of leaves that count nothing; that of others is their slot.
inline constexpr std::int32_t kNoSlot = std::numeric_limits<std::int32_t>::max();

/// Records of a class that a node can have seen: such numbers are exact as double.
inline constexpr std::uint64_t kMostSeen = std::uint64_t{1} << 53;

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

/// A tree while it grows: nodes in order of creation, each with the records seen in its part of the space.
class StreamTree {
 public:
  explicit StreamTree(std::size_t num_classes = 0);

  std::size_t num_classes() const { return num_classes_; }
  /// More classes have been seen.
  void add_classes(std::size_t num_classes);

  const std::vector<records::RecordNode>& nodes() const { return nodes_; }
  std::span<const std::uint64_t> counts(std::int32_t node) const {
    return std::span(counts_).subspan(static_cast<std::size_t>(node) * num_classes_, num_classes_);
  }
  int depth(std::int32_t node) const { return depths_[static_cast<std::size_t>(node)]; }
  std::size_t num_leaves() const { return num_leaves_; }

  void set_slot(std::int32_t leaf, std::int32_t slot) { node(leaf).child = ~slot; }
  void clear_counts(std::int32_t leaf);
  /// Records were seen in a leaf. @param counts  [class]
  void add_counts(std::int32_t leaf, std::span<const std::uint32_t> counts);
  /// Makes a leaf a test. Its children share what it has seen as they share what the split was found from.
  /// @param left, all  [class] Records that the split sends left, and all that it was found from.
  void split(std::int32_t leaf, const records::Split& split, std::span<const std::uint32_t> left,
             std::span<const std::uint32_t> all);
  /// Makes a test a leaf. @param counts  [class] What it has seen.
  void cut(std::int32_t node, std::span<const std::uint64_t> counts);

  records::RecordTree finish(int fraction_bits) const;

  void pack(Packer& packer) const;
  /// @throws Error when what comes is no such tree.
  void unpack(Unpacker& unpacker, std::size_t num_attributes, std::size_t num_classes, int max_depth);

 private:
  records::RecordNode& node(std::int32_t index) { return nodes_[static_cast<std::size_t>(index)]; }
  void add_node(int depth);
  std::size_t leaves_under(std::int32_t node) const;

  std::size_t num_classes_, num_leaves_ = 1;
  std::vector<records::RecordNode> nodes_;
  std::vector<std::uint64_t> counts_;  ///< [node][class]
  std::vector<std::uint8_t> depths_;   ///< [node]
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
