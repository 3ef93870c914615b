// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/records/evaluator.h"
#include "records/evaluate/evaluation_kernels.h"
#include "records/evaluate/evaluation_model.h"

namespace fernwood::records {

/// Sums the answers of trees into the requested output, for a block of records at a time; see LeafOutput.
class AnswerSums {
 public:
  /// @param flat  Must outlive this object.
  explicit AnswerSums(const FlatForest& flat);

  /// Size of the sums of one record, as begin() needs them.
  std::size_t bytes() const { return width_ * number_bytes_; }
  /// @param sums  [records][bytes()], aligned for doubles; written.
  void begin(std::size_t num_records, void* sums) const;
  /// Adds the answers of a tree; trees are added in their order. @param answers  [records]
  /// @param found  Output of the block; requested leaves are written to it at once.
  void add(std::size_t tree, const std::int32_t* answers, std::size_t num_records, void* sums,
           const Found& found) const;
  /// Adds the answers of all trees to the sums of one record. @param answers  [tree]
  void add_all(const std::int32_t* answers, void* sums, const Found& found) const;
  /// @param found  Output of the block, written.
  void finish(const void* sums, std::size_t num_records, const Found& found) const;

 private:
  void add_numbers(const FlatTree& tree, const std::int32_t* answers, std::size_t num_records,
                   std::int32_t* sums) const;
  void finish_numbers(const std::int32_t* sums, std::size_t num_records, std::int32_t* found) const;

  const FlatForest& flat_;
  const EvaluationKernels& kernels_;
  std::size_t width_, number_bytes_ = sizeof(std::int32_t);
  AlignedVector<std::int32_t> rows_;  ///< [row][width_] of LeafOutput::kRow, padded with zeros.
};

}  // namespace fernwood::records
