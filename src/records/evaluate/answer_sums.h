// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "records/evaluate/evaluation_kernels.h"
#include "records/evaluate/flat_forest.h"

namespace fernwood::records {

/// How the answers of trees become classes, for a block of records at a time; see AnswerKind.
class AnswerSums {
 public:
  /// @param flat  Must outlive it.
  explicit AnswerSums(const FlatForest& flat);

  /// Numbers that begin() wants for each record.
  std::size_t width() const { return width_; }
  /// @param sums  [records][width()], written.
  void begin(std::size_t num_records, std::int32_t* sums) const;
  /// Adds what a tree answers. @param answers  [records]
  void add(const FlatTree& tree, const std::int32_t* answers, std::size_t num_records, std::int32_t* sums) const;
  /// @param classes  [records], written.
  void finish(const std::int32_t* sums, std::size_t num_records, std::int32_t* classes) const;

 private:
  const FlatForest& flat_;
  SumKernel add_rows_;
  std::size_t width_;
  AlignedVector<std::int32_t> rows_;  ///< [row][width()] of AnswerKind::kRow, zeros behind.
};

}  // namespace fernwood::records
