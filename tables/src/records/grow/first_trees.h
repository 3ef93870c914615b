// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/core/parallel.h"
#include "fernwood/records/train_records.h"

namespace fernwood::records {

/// The forest that training with fewer trees would have grown, bit for bit: a tree's records and tests do not depend on
/// the number of trees; only its leaf values are rounded to as many fraction bits as the sums over fewer trees permit.
/// @param table      The training data of the forest.
/// @param options    Those of its training. For num_trees = 1 they must set `bootstrap` and `attributes_per_split`,
/// whose defaults differ for a single tree.
/// @param num_trees  From 1 to the number of trees of the forest.
RecordForest first_trees(const RecordForest& forest, const RecordTable& table, const RecordTrainOptions& options,
                         int num_trees, ThreadPool& pool);

}  // namespace fernwood::records
