// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "records/evaluate/packed_forest.h"

namespace fernwood::records {

/// Nodes of two siblings, of which a side takes one.
__device__ inline PackedNode take(const uint4& pair, int side) {
  return side ? PackedNode{pair.z, pair.w} : PackedNode{pair.x, pair.y};
}

/// Walks a thread's records down one tree, side by side: while the values of their tests are on the way, one load of 16
/// bytes brings both children of each.
/// @param pair_of   pair_of(slot): the nodes at an even slot of the tree and behind it.
/// @param value_of  value_of(record, attribute): as Held says.
/// @param node      The leaves, written.
template <typename Held, unsigned kRecords, typename PairOf, typename ValueOf>
__device__ void walk_pairs(const PackedBits& bits, const PairOf& pair_of, const ValueOf& value_of,
                           PackedNode (&node)[kRecords]) {
  const PackedNode root = take(pair_of(0), 1);
#pragma unroll
  for (unsigned r = 0; r < kRecords; ++r) node[r] = root;
  for (bool walking = !PackedBits::is_leaf(root.link); walking;) {
    walking = false;
#pragma unroll
    for (unsigned r = 0; r < kRecords; ++r) {
      const std::uint32_t link = node[r].link;
      if (PackedBits::is_leaf(link)) continue;
      const uint4 children = pair_of(bits.children(link));
      const auto value = value_of(r, bits.attribute(link));
      node[r] = take(children, Held::side(value, node[r].payload, bits.nan_left(link)));
      walking |= !PackedBits::is_leaf(node[r].link);
    }
  }
}

}  // namespace fernwood::records
