// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// An online tree as trees of a model, and the importance of its attributes.
#include <algorithm>
#include <cmath>

#include "records/grow/finish_tree.h"
#include "stream/grow/naive_bayes.h"
#include "stream/online/leaf_logs.h"
#include "stream/online/online_tree.h"

namespace fernwood::stream {

void OnlineTree::add_gains(std::vector<double>& gains) const {
  // A split is made early, and matters to all records that reach it later.
  std::vector<double> weights(nodes_.size());
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    const records::RecordNode& node = nodes_[n];
    if (node.is_leaf()) {
      weights[n] = static_cast<double>(leaves_[static_cast<std::size_t>(node.leaf_index())].weight);
      continue;
    }
    const auto child = static_cast<std::size_t>(node.child);
    weights[n] = weights[child] + weights[child + 1];
    gains[node.attribute] += gains_[n] * weights[n];
  }
}

void OnlineTree::add_classifiers(const OnlineShape& shape, double share, int fraction_bits,
                                 std::vector<records::RecordTree>& trees) const {
  const std::size_t cells = shape.num_cells(), subspace = shape.subspace();
  const double factor = share * std::ldexp(1.0, fraction_bits - kVoteBits);
  std::vector<std::uint8_t> by_bayes(leaves_.size());
  for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf) by_bayes[leaf] = uses_bayes(leaf, shape);
  const bool any = std::ranges::count(by_bayes, 1) > 0;
  for (std::size_t place = 0; place < (any ? subspace : 1); ++place) {
    std::vector<records::RecordNode> nodes = nodes_;
    std::vector<std::vector<std::int32_t>> values(nodes.size());
    const auto set_values = [&](std::size_t node, const auto& vote_of) {
      values.resize(std::max(values.size(), node + 1));
      std::vector<std::int64_t> votes;
      for (std::size_t c = 0; c < cells; ++c) votes.push_back(vote_of(c));
      // Only differences matter: the largest vote becomes 0.
      const std::int64_t largest = *std::ranges::max_element(votes);
      for (const std::int64_t vote : votes)
        values[node].push_back(
            static_cast<std::int32_t>(std::floor(static_cast<double>(vote - largest) * factor + 0.5)));
    };
    std::vector<std::size_t> leaf_of_bin;
    for (std::size_t n = nodes_.size(); n-- > 0;) {
      if (!nodes[n].is_leaf()) {
        // Parts in which no leaf uses naive Bayes add nothing after the first tree.
        const auto is_zero = [&](std::size_t child) { return nodes[child].is_leaf() && values[child].empty(); };
        const auto child = static_cast<std::size_t>(nodes[n].child);
        if (place > 0 && is_zero(child) && is_zero(child + 1)) nodes[n] = {};
        continue;
      }
      const auto leaf = static_cast<std::size_t>(nodes[n].leaf_index());
      if (!by_bayes[leaf]) {
        if (place == 0) set_values(n, [&](std::size_t c) { return vote_log(seen_[leaf * cells + c] + 1); });
        continue;
      }
      const std::span<const float> edges = edges_of(leaf, place, shape);
      const auto num_edges = static_cast<std::size_t>(std::ranges::find(edges, __builtin_huge_valf()) - edges.begin());
      split_by_bins(edges.first(num_edges), subspace_of(leaf, shape)[place], n, nodes, leaf_of_bin);
      for (std::size_t bin = 0; bin < leaf_of_bin.size(); ++bin) {
        const BayesBin counted = bayes_bin(shape, leaf, place, bin + 1 == leaf_of_bin.size() ? shape.bins() : bin);
        set_values(leaf_of_bin[bin],
                   [&](std::size_t c) { return counted.evidence(c) + (place == 0 ? prior(shape, leaf, c) : 0); });
      }
    }
    trees.push_back(records::finish_nodes(nodes, {}, cells, [&](std::size_t n, std::int32_t* row) {
      if (values[n].empty())
        std::fill_n(row, cells, 0);
      else
        std::ranges::copy(values[n], row);
    }));
  }
}

records::RecordTree OnlineTree::regressor(const OnlineShape& shape) const {
  return records::finish_values(nodes_, {}, [&](std::size_t n) {
    const auto leaf = static_cast<std::size_t>(nodes_[n].leaf_index());
    return shape.layout.targets->mean({seen_[2 * leaf + 1], std::max<std::int64_t>(1, seen_[2 * leaf])});
  });
}

}  // namespace fernwood::stream
