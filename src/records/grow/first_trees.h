// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/core/parallel.h"
#include "fernwood/records/train_records.h"

namespace fernwood::records {

/// The forest that would have grown with fewer trees, to the bit: a tree's records and tests do not depend on how many
/// there are, only its leaf values are rounded to as many bits of fraction as sums over fewer of them have room for.
/// @param table      What the forest was grown from.
/// @param options    As it was grown. For one tree alone they say `bootstrap` and `attributes_per_split`, whose
/// defaults
///                   are others then.
/// @param num_trees  At least 1, at most as many as it has.
RecordForest first_trees(const RecordForest& forest, const RecordTable& table, const RecordTrainOptions& options,
                         int num_trees, ThreadPool& pool);

}  // namespace fernwood::records
