// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/forest/tree.h"

#include <algorithm>

namespace fernwood {

int Tree::depth() const {
  std::vector<int> level(nodes.size(), 0);
  int deepest = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    deepest = std::max(deepest, level[i]);
    if (!nodes[i].is_leaf()) level[nodes[i].child] = level[nodes[i].child + 1] = level[i] + 1;
  }
  return deepest;
}

}  // namespace fernwood
