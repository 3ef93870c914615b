// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <utility>
#include <vector>

#include "fernwood/records/record_forest.h"

namespace fernwood {

/// A forest of two classes from trees with one test each, (attribute, threshold): class 0 left, class 1 right.
inline RecordForest stumps(const std::vector<std::pair<int, float>>& tests) {
  RecordForest forest;
  forest.classes = {"zero", "one"};
  forest.attributes = {"a", "b"};
  forest.fraction_bits = 20;
  forest.base = {0, 0};
  const std::int32_t one = 1 << forest.fraction_bits;
  for (const auto& [attribute, threshold] : tests) {
    RecordTree& tree = forest.trees.emplace_back();
    tree.nodes = {{threshold, 1, static_cast<std::uint16_t>(attribute), 0}, {0, ~0, 0, 0}, {0, ~1, 0, 0}};
    tree.leaf_values = Array2<std::int32_t>(2, 2);
    tree.leaf_values(0, 0) = tree.leaf_values(1, 1) = one;
  }
  return forest;
}

}  // namespace fernwood
