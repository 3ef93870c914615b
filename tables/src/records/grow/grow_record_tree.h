// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <span>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/records/train_records.h"
#include "records/grow/class_statistics.h"
#include "records/grow/find_split.h"
#include "records/grow/record_weights.h"
#include "records/grow/target_statistics.h"

namespace fernwood::records {

/// With this many fraction bits sums over the trees do not exceed 2^30.
inline int fraction_bits_of(int trees) { return 30 - static_cast<int>(std::bit_width(static_cast<unsigned>(trees))); }

/// Number of attributes tried at each node, from the options or by default.
std::size_t tried_attributes(const RecordTrainOptions& options, std::size_t num_attributes);

/// The samples of a tree, in the order of records.
std::vector<Sample> draw_samples(const RecordTable& table, const RecordWeights& weights,
                                 const RecordTrainOptions& options, std::uint32_t tree);

/// Data that all trees of a forest share while they grow.
template <typename Statistics>
struct GrowingPlan {
  const RecordTrainOptions& options;
  const RankedValues& table;
  const Statistics& statistics;
  std::size_t attributes_per_split;
  std::int64_t min_weight, min_leaf_weight;  ///< Of a node that is split, and of each side of a test.
  ThreadPool& pool;
  bool shares_nodes;  ///< Threads share the attributes of a large node, since there are fewer trees than threads.
  std::vector<SplitSearch<Statistics>>& searches;    ///< [thread]
  const std::function<void(std::size_t)>& finished;  ///< Called with the samples' weight of each leaf; may throw.
};

/// Grows one tree.
/// @param samples  Ordered by record, all weights above 0, at least one sample; reordered.
template <typename Statistics>
RecordTree grow_record_tree(const GrowingPlan<Statistics>& plan, std::uint32_t tree, int worker,
                            std::vector<Sample>& samples);

extern template RecordTree grow_record_tree(const GrowingPlan<ClassStatistics<GiniTerms>>&, std::uint32_t, int,
                                            std::vector<Sample>&);
extern template RecordTree grow_record_tree(const GrowingPlan<ClassStatistics<EntropyTerms>>&, std::uint32_t, int,
                                            std::vector<Sample>&);
extern template RecordTree grow_record_tree(const GrowingPlan<TargetStatistics>&, std::uint32_t, int,
                                            std::vector<Sample>&);

}  // namespace fernwood::records
