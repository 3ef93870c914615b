// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/forest/region_feature.h"

namespace fernwood::forest {

/// A test (inner node) or the end of a path (leaf). 20 bytes, stored as they are in model files.
struct Node {
  std::int32_t child = -1;  ///< Inner node: index of the left child, the right one follows it. Leaf: ~leaf index.
  float threshold = 0;      ///< Responses up to it go left.
  RegionFeature feature{};
  std::uint16_t unused = 0;

  FW_HD bool is_leaf() const { return child < 0; }
  FW_HD std::int32_t leaf_index() const { return ~child; }
  bool operator==(const Node&) const = default;
};
static_assert(sizeof(Node) == 20);

/// A decision tree: nodes in breadth-first order, the root first; children come after their parent.
struct Tree {
  std::vector<Node> nodes;
  Array2<std::uint32_t> leaf_counts;  ///< [leaf][class] training samples that ended there.

  std::size_t num_leaves() const { return leaf_counts.rows(); }
  /// Levels below the root.
  int depth() const;
  bool operator==(const Tree&) const = default;
};

/// [node][class] training samples that came to each node of a tree.
Array2<std::uint64_t> node_counts(const Tree& tree);

/// Index of the leaf that a pixel ends in: the loop of thesis algorithm 6.
/// @param nodes  `nodes[i]` is a Node: a pointer, or the like.
/// @param frame  A FrameView, or the like.
template <typename Nodes, typename AnyFrame>
FW_HD std::int32_t find_leaf(const Nodes& nodes, const AnyFrame& frame, const PixelSite& site) {
  for (std::int32_t index = 0;;) {
    const Node& node = nodes[index];
    if (node.is_leaf()) return node.leaf_index();
    index = node.child + side(response(node.feature, frame, site), node.threshold);
  }
}

}  // namespace fernwood::forest
