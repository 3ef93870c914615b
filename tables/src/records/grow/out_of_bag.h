// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/records/table_reader.h"
#include "records/grow/sample.h"

namespace fernwood::records {

/// The records that each tree has seen, and the accuracy of its predictions of others (Breiman, Random Forests, 3.1).
class OutOfBag {
 public:
  /// @param wanted  If false nothing is stored.
  OutOfBag(bool wanted, std::size_t num_trees, std::size_t num_records);
  /// Thread-safe: may be called for several trees at a time.
  void note(std::size_t tree, std::span<const Sample> samples);
  /// Score over the records that some tree has not seen, each predicted by these trees together: the share of correct
  /// classes, or ValueErrors::r2(); empty when all trees have seen all records.
  std::optional<double> score(const RecordForest& forest, const RecordTable& table, ThreadPool& pool) const;

 private:
  template <typename T, typename LeavesOf, typename Take>
  void for_each_record(const RecordForest& forest, const RecordTable& table, ThreadPool& pool,
                       const LeavesOf& leaves_of, const Take& take) const;
  std::optional<double> accuracy(const RecordForest& forest, const RecordTable& table, ThreadPool& pool) const;
  std::optional<double> r2(const RecordForest& forest, const RecordTable& table, ThreadPool& pool) const;

  std::vector<std::vector<bool>> seen_;  ///< [tree][record]; empty unless wanted.
};

}  // namespace fernwood::records
