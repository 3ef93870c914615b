// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/forest/tree.h"

#include <algorithm>

namespace fernwood::forest {

int Tree::depth() const {
  std::vector<int> level(nodes.size(), 0);
  int deepest = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    deepest = std::max(deepest, level[i]);
    if (!nodes[i].is_leaf()) level[nodes[i].child] = level[nodes[i].child + 1] = level[i] + 1;
  }
  return deepest;
}

Array2<std::uint64_t> node_counts(const Tree& tree) {
  Array2<std::uint64_t> counts(tree.nodes.size(), tree.leaf_counts.cols());
  // Children come after their parent.
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    const Node& node = tree.nodes[i];
    for (std::size_t c = 0; c < counts.cols(); ++c)
      counts(i, c) = node.is_leaf() ? tree.leaf_counts(static_cast<std::size_t>(node.leaf_index()), c)
                                    : counts(static_cast<std::size_t>(node.child), c) +
                                          counts(static_cast<std::size_t>(node.child) + 1, c);
  }
  return counts;
}

}  // namespace fernwood::forest
