// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/records/record_forest.h"

namespace fernwood::records {

/// A forest over attributes in numbers.
struct RecordSummary {
  struct TreeSummary {
    std::size_t nodes = 0, leaves = 0;
    int depth = 0;
  };
  struct AttributeUse {
    std::string name;
    std::uint64_t splits = 0;  ///< Over all trees.
  };
  std::vector<TreeSummary> trees;
  std::size_t num_nodes = 0, num_leaves = 0;  ///< Over all trees.
  int min_depth = 0, max_depth = 0;
  std::vector<AttributeUse> attributes;  ///< All of them, most used first.
};

RecordSummary summarize(const RecordForest& forest);

}  // namespace fernwood::records
