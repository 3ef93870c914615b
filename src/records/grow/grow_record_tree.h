// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "fernwood/records/train_records.h"
#include "records/grow/find_split.h"

namespace fernwood::records {

/// What all trees of a forest share while they grow.
struct GrowingPlan {
  const RecordTrainOptions& options;
  const RankedValues& table;
  std::size_t num_classes;
  std::size_t attributes_per_split;
  int fraction_bits;
  ThreadPool& pool;
  bool shares_nodes;  ///< The attributes of a large node are spread over threads, as there are fewer trees.
  std::vector<SplitSearch>& searches;                ///< [thread]
  const std::function<void(std::size_t)>& finished;  ///< Told the samples' weight of each leaf.
};

/// Grows one tree.
/// @param samples  Ordered by record, all weights above 0, at least one; reordered.
template <typename Terms>
RecordTree grow_record_tree(const GrowingPlan& plan, const Terms& terms, std::uint32_t tree, int worker,
                            std::vector<Sample>& samples);

extern template RecordTree grow_record_tree(const GrowingPlan&, const GiniTerms&, std::uint32_t, int,
                                            std::vector<Sample>&);
extern template RecordTree grow_record_tree(const GrowingPlan&, const EntropyTerms&, std::uint32_t, int,
                                            std::vector<Sample>&);

}  // namespace fernwood::records
