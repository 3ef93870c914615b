// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "forest/fern.h"

#include <algorithm>

namespace fernwood::forest {

namespace {

/// A node visited while a tree is traversed from left to right, with the bits of its path.
struct Visit {
  std::int32_t node;
  std::uint32_t path;
  int level;
};

void begin_leaf(Fern& fern, std::uint32_t code, std::int32_t leaf) {
  fern.leaf_words[code / 32].begins |= 1u << code % 32;
  fern.leaf_ids.push_back(leaf);
}

void sum_up(std::vector<LeafWord>& words) {
  std::uint32_t before = 0;
  for (LeafWord& word : words) {
    word.before = before;
    before += static_cast<std::uint32_t>(count_bits(word.begins));
  }
}

}  // namespace

std::optional<std::size_t> find_odd_node(const Tree& tree) {
  std::vector<const Node*> tests;  // [level] node whose test represents the level
  std::vector<std::size_t> level(tree.nodes.size(), 0);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    if (node.is_leaf()) continue;
    const auto child = static_cast<std::size_t>(node.child);
    level[child] = level[child + 1] = level[i] + 1;
    if (level[i] == tests.size()) tests.push_back(&node);  // breadth-first order: this is the first node of its level
    const Node& first = *tests[level[i]];
    if (node.feature != first.feature || bits_of(node.threshold) != bits_of(first.threshold)) return i;
  }
  return std::nullopt;
}

Fern make_fern(const Tree& tree) {
  Fern fern;
  std::vector<Visit> open = {{0, 0, 0}};
  const int depth = tree.depth();
  fern.tests.resize(static_cast<std::size_t>(depth));
  fern.leaf_words.resize(((std::size_t{1} << depth) + 31) / 32);
  while (!open.empty()) {
    const auto [index, path, level] = open.back();
    open.pop_back();
    const Node& node = tree.nodes[static_cast<std::size_t>(index)];
    if (node.is_leaf()) {
      begin_leaf(fern, path << (depth - level), node.leaf_index());
      continue;
    }
    fern.tests[static_cast<std::size_t>(level)] = {node.feature, node.threshold};
    open.push_back({node.child + 1, path << 1 | 1, level + 1});
    open.push_back({node.child, path << 1, level + 1});
  }
  sum_up(fern.leaf_words);
  return fern;
}

Array2<float> fern_probabilities(const Forest& forest, const Tree& tree, const Fern& fern) {
  const Array2<float> by_id = leaf_votes(forest, tree, 0);
  Array2<float> ordered(by_id.rows(), by_id.cols());
  for (std::size_t leaf = 0; leaf < ordered.rows(); ++leaf)
    std::copy_n(by_id.row(static_cast<std::size_t>(fern.leaf_ids[leaf])), by_id.cols(), ordered.row(leaf));
  return ordered;
}

}  // namespace fernwood::forest
