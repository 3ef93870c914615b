// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow/growing_tree.h"

#include <algorithm>
#include <numeric>

namespace fernwood::train {

namespace {

/// Whether a node with these class counts may be split (thesis 3.1.1, stopping criteria).
bool can_split(const std::uint32_t* counts, std::size_t num_classes, int level, const TrainOptions& options) {
  const std::uint64_t rows = std::accumulate(counts, counts + num_classes, std::uint64_t{0});
  const std::uint64_t rows_of_a_sample = counts_pairs(options.score_used()) ? 2 : 1;
  const std::uint64_t total = rows / rows_of_a_sample;
  const auto present = std::count_if(counts, counts + num_classes, [](std::uint32_t n) { return n > 0; });
  const bool pure = static_cast<std::uint64_t>(present) <= rows_of_a_sample;
  return level < options.max_depth && !pure && total >= static_cast<std::uint64_t>(options.min_samples);
}

/// Makes a node the last leaf of a growing tree.
void add_leaf(GrowingTree& growing, std::int32_t node, const std::uint32_t* counts) {
  growing.nodes[static_cast<std::size_t>(node)].child = ~static_cast<std::int32_t>(growing.num_leaves());
  growing.leaf_counts.insert(growing.leaf_counts.end(), counts, counts + growing.num_classes);
}

float entropy_of(const std::uint32_t* counts, std::size_t num_classes, std::uint32_t total) {
  float entropy = 0;
  for (std::size_t c = 0; c < num_classes; ++c)
    entropy += entropy_term(static_cast<float>(counts[c]), 1.0f / static_cast<float>(total));
  return entropy;
}

/// Gain of a node's samples before a split. @param counts  Rows of pairs.
float gain_of(const std::uint32_t* counts, std::size_t num_rows, std::uint32_t total) {
  float terms = 0;
  for (std::size_t row = 0; row < num_rows; row += 2)
    terms += gain_term(static_cast<std::int32_t>(counts[row]), static_cast<std::int32_t>(counts[row + 1]));
  return side_gain(terms, static_cast<float>(static_cast<std::int32_t>(total)));
}

/// Closes a node for which no candidate is useful. @param counts  [2][class] on both sides of the rejected split.
void close_node(GrowingTree& growing, std::int32_t node, const std::uint32_t* counts) {
  std::vector<std::uint32_t> sum(counts, counts + growing.num_classes);
  for (std::size_t c = 0; c < growing.num_classes; ++c) sum[c] += counts[growing.num_classes + c];
  add_leaf(growing, node, sum.data());
}

}  // namespace

forest::Tree GrowingTree::tree() const {
  forest::Tree out{nodes, Array2<std::uint32_t>(num_leaves(), num_classes)};
  std::copy(leaf_counts.begin(), leaf_counts.end(), out.leaf_counts.begin());
  return out;
}

void take_better(const LevelBest& others, LevelBest& best) {
  if (others.shared) {
    if (others.shared->is_better_than(*best.shared)) best = others;
    return;
  }
  for (std::size_t n = 0; n < best.chosen.size(); ++n)
    if (is_better(others.chosen[n].best, best.chosen[n].best)) best.chosen[n] = others.chosen[n];
}

OpenNodes OpenNodes::with_samples(const Array2<std::uint32_t>& counts) const {
  OpenNodes fewer = *this;
  std::uint32_t end = 0;
  for (std::size_t n = 0; n < size(); ++n) {
    NodeSamples& node = fewer.nodes[n];
    std::uint32_t rows = 0;
    for (std::size_t row = 0; row < counts.cols(); ++row) {
      if (!has_class(n, row)) continue;
      fewer.class_counts[node.class_offset + class_in_node(n, row)] = counts(n, row);
      rows += counts(n, row);
    }
    node.begin = end;
    node.end = end += pairs ? rows / 2 : rows;
  }
  return fewer;
}

std::vector<std::uint32_t> count_rows(const SampleSet& samples, std::size_t num_classes, const TrainOptions& options) {
  const bool pairs = counts_pairs(options.score_used());
  std::vector<std::uint32_t> counts(pairs ? 2 * num_classes : num_classes, 0);
  for (const std::uint16_t label : samples.labels)
    for_each_row(label, pairs, [&](std::uint32_t row) { ++counts[row]; });
  return counts;
}

Array2<std::uint32_t> count_rows(const SampleSet& samples, const std::vector<std::uint32_t>& node_of,
                                 const OpenNodes& nodes) {
  Array2<std::uint32_t> counts(nodes.size(), nodes.class_in_node.cols());
  for (std::size_t s = 0; s < node_of.size(); ++s)
    if (node_of[s] != kNoNode)
      for_each_row(samples.labels[s], nodes.pairs, [&](std::uint32_t row) { ++counts(node_of[s], row); });
  return counts;
}

GrowingTree start_tree(const std::vector<std::uint32_t>& counts, const TrainOptions& options) {
  GrowingTree growing;
  growing.pairs = counts_pairs(options.score_used());
  growing.num_classes = counts.size();
  add_leaf(growing, 0, counts.data());
  if (can_split(counts.data(), growing.num_classes, 0, options)) growing.open = {0};
  return growing;
}

std::vector<std::uint32_t> split_nodes(GrowingTree& growing, const LevelOutcome& outcome, const TrainOptions& options) {
  const auto& [chosen, counts] = outcome;
  growing.leaf_counts.resize(growing.num_closed() * growing.num_classes);
  std::vector<std::int32_t> parents;
  parents.swap(growing.open);
  ++growing.level;
  // Closed nodes come first, so that open ones are the last leaves.
  std::vector<std::uint32_t> new_node(counts.rows(), kNoNode), open_rows;
  for (std::size_t n = 0; n < parents.size(); ++n) {
    if (chosen[n].best.candidate < 0) {
      close_node(growing, parents[n], counts.row(2 * n));
      continue;
    }
    const auto child = static_cast<std::int32_t>(growing.nodes.size());
    growing.nodes[static_cast<std::size_t>(parents[n])] = {child, chosen[n].threshold, chosen[n].feature, 0};
    growing.nodes.resize(growing.nodes.size() + 2);
    for (const std::size_t row : {2 * n, 2 * n + 1}) {
      const std::int32_t node = child + static_cast<std::int32_t>(row - 2 * n);
      if (!can_split(counts.row(row), growing.num_classes, growing.level, options)) {
        add_leaf(growing, node, counts.row(row));
        continue;
      }
      new_node[row] = static_cast<std::uint32_t>(growing.open.size());
      growing.open.push_back(node);
      open_rows.push_back(static_cast<std::uint32_t>(row));
    }
  }
  for (std::size_t i = 0; i < open_rows.size(); ++i) add_leaf(growing, growing.open[i], counts.row(open_rows[i]));
  return new_node;
}

OpenNodes::OpenNodes(const GrowingTree& growing)
    : class_in_node(growing.open.size(), growing.num_classes, kNoClass), pairs(growing.pairs) {
  const std::size_t together = pairs ? 2 : 1;  // number of rows that are always present together
  std::uint32_t begin = 0;
  for (std::size_t n = 0; n < growing.open.size(); ++n) {
    const std::uint32_t* counts = growing.leaf_counts.data() + (growing.num_closed() + n) * growing.num_classes;
    NodeSamples node{begin, begin, static_cast<std::uint32_t>(class_counts.size()), 0, 0};
    for (std::size_t c = 0; c < growing.num_classes; ++c) {
      if (std::ranges::all_of(counts + c / together * together, counts + (c / together + 1) * together,
                              [](std::uint32_t count) { return count == 0; }))
        continue;
      class_in_node(n, c) = static_cast<std::uint16_t>(node.num_classes++);
      class_counts.push_back(counts[c]);
      if (c % together == 0) node.end += counts[c];
    }
    const std::uint32_t total = node.end - node.begin;
    node.entropy = pairs ? gain_of(counts, growing.num_classes, total) : entropy_of(counts, growing.num_classes, total);
    begin = node.end;
    nodes.push_back(node);
  }
}

}  // namespace fernwood::train
