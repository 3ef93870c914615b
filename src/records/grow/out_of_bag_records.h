// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/records/table.h"
#include "records/grow/find_split.h"

namespace fernwood::records {

/// Which records each tree has seen, and how well the others are classified by it (Breiman, Random Forests, 3.1).
class OutOfBag {
 public:
  /// @param wanted  Else nothing is kept.
  OutOfBag(bool wanted, std::size_t num_trees, std::size_t num_records);
  /// May be called for several trees at a time.
  void note(std::size_t tree, std::span<const Sample> samples);
  /// Share of the records that some tree has not seen and that these trees together classify right; empty when there is
  /// no such record.
  std::optional<double> accuracy(const RecordForest& forest, const RecordTable& table, ThreadPool& pool) const;

 private:
  std::vector<std::vector<bool>> seen_;  ///< [tree][record]; empty unless wanted.
};

}  // namespace fernwood::records
