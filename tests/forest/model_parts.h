// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Forests for the tests of model files.

#include <sstream>
#include <string>

#include "core/model_parts.h"
#include "forest/model_bytes.h"

namespace fernwood::forest {

/// A tree with its nodes in heap order: inner node i has the children 2i + 1 and 2i + 2. Values depend on i and `seed`.
inline Tree heap_tree(std::size_t num_leaves, std::size_t num_classes, int seed = 0) {
  Tree tree;
  tree.leaf_counts = Array2<std::uint32_t>(num_leaves, num_classes);
  for (std::size_t i = 0; i < tree.leaf_counts.size(); ++i)
    tree.leaf_counts.data()[i] = static_cast<std::uint32_t>((i * 7 + static_cast<std::size_t>(seed)) % 11);
  const int num_inner = static_cast<int>(num_leaves) - 1;
  for (int i = 0; i < 2 * num_inner + 1; ++i) {
    Node node;
    node.child = i < num_inner ? 2 * i + 1 : ~(i - num_inner);
    if (i < num_inner) {
      const auto of = [&](int n) { return static_cast<std::int8_t>((i * n + seed) % 255 - 127); };
      const auto half = [&](int n) { return static_cast<std::int8_t>((i * n + seed) % 127 + 1); };
      const bool depth = i % 2 == 1;
      node.threshold = static_cast<float>(i) / 8 - static_cast<float>(seed);
      node.feature = {{of(3), of(5), half(1), half(2)},
                      {of(7), of(11), half(3), half(4)},
                      static_cast<std::uint8_t>(depth ? 3 : i % 3),
                      static_cast<std::uint8_t>(depth ? 3 : (i + 1) % 3)};
    }
    tree.nodes.push_back(node);
  }
  return tree;
}

/// A forest with colour and depth channels and `num_classes` classes, without trees.
inline Forest empty_forest(std::size_t num_classes) {
  Forest forest;
  for (std::size_t c = 0; c < num_classes; ++c) {
    const auto level = static_cast<std::uint8_t>(c);
    forest.classes.classes.push_back({"class " + std::to_string(c), {level, 1, 255}});
    forest.class_pixels.push_back(1000 * (c + 1));
  }
  forest.classes.void_colors = {{0, 0, 0}, {255, 20, 147}};
  forest.preparation.channels = image::ChannelLayout({"lab", "depth"});
  return forest;
}

/// Three classes and two trees, with 3 leaves and with 1.
inline Forest small_forest() {
  Forest forest = empty_forest(3);
  forest.classes.background = 2;
  forest.preparation.depth_filling = image::DepthFilling::kSimple;
  forest.leaves = {true};
  forest.options_json = R"({"max_depth":18,"seed":4711})";
  forest.provenance_json = R"({"checksum":"00ff","frames":["a","b"]})";
  forest.labelling_trees() = {heap_tree(3, 3), heap_tree(1, 3, 1)};
  return forest;
}

inline Bytes model_bytes(const Forest& forest) {
  std::ostringstream out;
  write_forest(forest, "test", out);
  const std::string text = out.str();
  return Bytes(text.begin(), text.end());
}

}  // namespace fernwood::forest
