// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/grow/first_trees.h"

#include <vector>

#include "records/grow/grow_record_tree.h"

namespace fernwood::records {

namespace {

/// [leaf][class] Weight of the samples in each leaf.
Array2<double> count_leaves(const RecordTree& tree, const RecordTable& table, const std::vector<Sample>& samples) {
  Array2<double> counts(tree.num_leaves(), table.classes.size());
  for (const Sample& sample : samples) {
    const float* const record = table.values.row(sample.record);
    const std::int32_t leaf = find_leaf_of(tree.nodes, [&](std::uint16_t attribute) { return record[attribute]; });
    counts(static_cast<std::size_t>(leaf), sample.label) += sample.weight;
  }
  return counts;
}

}  // namespace

RecordForest first_trees(const RecordForest& forest, const RecordTable& table, const RecordTrainOptions& options,
                         int num_trees, ThreadPool& pool) {
  RecordTrainOptions fewer = options;
  fewer.trees = num_trees;
  RecordForest first = forest;
  first.trees.resize(static_cast<std::size_t>(num_trees));
  first.options_json = to_json(fewer);
  first.fraction_bits = fraction_bits_of(num_trees);
  if (first.fraction_bits == forest.fraction_bits) return first;
  const RecordWeights weights(table);
  pool.for_each(first.trees.size(), [&](std::size_t t, int) {
    RecordTree& tree = first.trees[t];
    const Array2<double> counts =
        count_leaves(tree, table, draw_samples(table, weights, options, static_cast<std::uint32_t>(t)));
    for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf)
      to_fixed_point({counts.row(leaf), counts.row(leaf) + counts.cols()}, first.fraction_bits,
                     tree.leaf_values.row(leaf));
  });
  return first;
}

}  // namespace fernwood::records
