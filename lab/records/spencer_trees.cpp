// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/draw.h"
#include "lab/records/one_tree_study.h"

namespace fernwood::lab {

namespace {

/// A forest with one tree, whose leaf n has class n modulo 7.
records::RecordForest forest_of(std::vector<records::RecordNode> nodes, std::size_t num_attributes) {
  constexpr std::size_t kClasses = 7;
  records::RecordForest forest;
  for (std::size_t c = 0; c < kClasses; ++c) forest.classes.push_back(std::to_string(c));
  for (std::size_t a = 0; a < num_attributes; ++a) forest.attributes.push_back(std::to_string(a + 1));
  forest.base.assign(kClasses, 0);
  records::RecordTree& tree = forest.trees.emplace_back();
  tree.leaf_values = Array2<std::int32_t>((nodes.size() + 1) / 2, kClasses, 0);
  for (std::size_t leaf = 0; leaf < tree.leaf_values.rows(); ++leaf) tree.leaf_values(leaf, leaf % kClasses) = 1;
  tree.nodes = std::move(nodes);
  return forest;
}

}  // namespace

records::RecordForest balanced_tree(int levels, std::size_t num_attributes) {
  std::vector<records::RecordNode> nodes;
  for (int level = 0; level < levels; ++level)
    for (int i = 0; i < 1 << level; ++i) {
      const float threshold = (static_cast<float>(i) + 0.5f) / static_cast<float>(1 << level);
      nodes.push_back({threshold, static_cast<std::int32_t>(2 * nodes.size() + 1), 0, 0});
    }
  for (int leaf = 0; leaf < 1 << levels; ++leaf) nodes.push_back({0, ~leaf, 0, 0});
  return forest_of(std::move(nodes), num_attributes);
}

records::RecordForest chain_tree(int tests, std::size_t num_attributes) {
  std::vector<records::RecordNode> nodes;
  for (int i = 0; i < tests; ++i) {
    if (i > 0) nodes.push_back({0, ~(i - 1), 0, 0});  // left child of the test above; its right child follows
    const float threshold = static_cast<float>(i + 1) / static_cast<float>(tests + 1);
    nodes.push_back({threshold, static_cast<std::int32_t>(2 * i + 1), 0, 0});
  }
  nodes.push_back({0, ~(tests - 1), 0, 0});
  nodes.push_back({0, ~tests, 0, 0});
  return forest_of(std::move(nodes), num_attributes);
}

double mean_depth(const records::RecordForest& forest, const records::RecordView& records) {
  std::uint64_t steps = 0;
  for (std::size_t i = 0; i < records.num_records; ++i)
    records::find_leaf_of(forest.trees[0].nodes, [&](std::uint16_t attribute) {
      ++steps;  // called once for each level
      return records.at(i, attribute);
    });
  return static_cast<double>(steps) / static_cast<double>(records.num_records);
}

records::RecordTable segment_like_table() {
  constexpr std::size_t kRecords = 2310, kAttributes = 19, kClasses = 7;
  records::RecordTable table;
  for (std::size_t a = 0; a < kAttributes; ++a) table.attributes.push_back(std::to_string(a + 1));
  for (std::size_t c = 0; c < kClasses; ++c) table.classes.push_back(std::to_string(c + 1));
  table.values = Array2<float>(kRecords, kAttributes);
  for (std::uint32_t i = 0; i < kRecords; ++i) {
    const std::uint32_t label = i % kClasses;
    table.labels.push_back(static_cast<std::int32_t>(label));
    for (std::uint32_t a = 0; a < kAttributes; ++a) {
      const float center = draw(1, RngStream::kScene, 0, 0, label, a).unit(0);
      const Draw noise = draw(1, RngStream::kScene, 1, 0, i, a);  // the sum of uniform numbers is approximately normal
      table.values(i, a) = center + 0.6f * (noise.unit(0) + noise.unit(1) + noise.unit(2) + noise.unit(3) - 2.0f);
    }
  }
  return table;
}

}  // namespace fernwood::lab
