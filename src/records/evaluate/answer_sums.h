// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "records/evaluate/evaluation_kernels.h"
#include "records/evaluate/evaluation_model.h"

namespace fernwood::records {

/// How the answers of trees become what is wanted, for a block of records at a time; see LeafOutput.
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
  /// @param found  [records] classes or [records][outputs] sums, as wanted; written.
  void finish(const std::int32_t* sums, std::size_t num_records, std::int32_t* found) const;

 private:
  const FlatForest& flat_;
  SumKernel add_rows_;
  std::size_t width_;
  AlignedVector<std::int32_t> rows_;  ///< [row][width()] of LeafOutput::kRow, zeros behind.
};

inline AnswerSums::AnswerSums(const FlatForest& flat)
    : flat_(flat),
      add_rows_(evaluation_kernels(available_isas().back()).add_rows),
      width_(flat.kind == LeafOutput::kClass ? 1 : flat.base.size()) {
  if (flat.kind != LeafOutput::kRow) return;
  width_ = (flat.base.size() + kRowPiece - 1) / kRowPiece * kRowPiece;
  rows_.assign(flat.rows.rows() * width_, 0);
  for (std::size_t row = 0; row < flat.rows.rows(); ++row)
    std::copy_n(flat.rows.row(row), flat.rows.cols(), rows_.data() + row * width_);
}

inline void AnswerSums::begin(std::size_t num_records, std::int32_t* sums) const {
  if (flat_.kind == LeafOutput::kClass) return;
  for (std::size_t i = 0; i < num_records; ++i) std::ranges::copy(flat_.base, sums + i * width_);
}

inline void AnswerSums::add(const FlatTree& tree, const std::int32_t* answers, std::size_t num_records,
                            std::int32_t* sums) const {
  switch (flat_.kind) {
    case LeafOutput::kClass:
      std::copy_n(answers, num_records, sums);
      break;
    case LeafOutput::kMargin:
      for (std::size_t i = 0; i < num_records; ++i) sums[i] += answers[i];
      break;
    case LeafOutput::kVote:
      for (std::size_t i = 0; i < num_records; ++i) sums[i * width_ + tree.first_output] += answers[i];
      break;
    case LeafOutput::kRow:
      add_rows_({rows_.data(), width_, answers, num_records, sums});
      break;
  }
}

inline void AnswerSums::finish(const std::int32_t* sums, std::size_t num_records, std::int32_t* found) const {
  if (flat_.wanted == RequestedOutput::kSums) {
    const std::size_t num_outputs = flat_.base.size();
    for (std::size_t i = 0; i < num_records; ++i) std::copy_n(sums + i * width_, num_outputs, found + i * num_outputs);
    return;
  }
  std::int32_t* const classes = found;
  switch (flat_.kind) {
    case LeafOutput::kClass:
      std::copy_n(sums, num_records, classes);
      break;
    case LeafOutput::kMargin:
      for (std::size_t i = 0; i < num_records; ++i) classes[i] = sums[i] > 0 ? 1 : 0;
      break;
    case LeafOutput::kVote:
    case LeafOutput::kRow:
      for (std::size_t i = 0; i < num_records; ++i)
        classes[i] = choose_class(flat_.link, sums + i * width_, flat_.base.size());
      break;
  }
}

}  // namespace fernwood::records
