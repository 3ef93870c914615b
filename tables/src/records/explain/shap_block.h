// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "records/evaluate/evaluation_kernels.h"
#include "records/explain/gauss_rule.h"
#include "records/explain/shap_kernels.h"
#include "records/explain/shap_model.h"

namespace fernwood::records {

/// The distinct patterns of a block of records, in the order of their first occurrence.
class PatternIndex {
 public:
  explicit PatternIndex(std::size_t most_records);

  /// Removes all patterns. @param num_bits  Size of the patterns that follow.
  void clear(std::size_t num_bits);
  std::uint32_t place_of(std::uint64_t pattern) {
    std::size_t slot = pattern * factor_ >> shift_;
    while (rounds_[slot] == round_ && patterns_[places_[slot]] != pattern) slot = (slot + 1) & (rounds_.size() - 1);
    if (rounds_[slot] != round_) {
      rounds_[slot] = round_;
      places_[slot] = static_cast<std::uint32_t>(patterns_.size());
      patterns_.push_back(pattern);
    }
    return places_[slot];
  }
  std::vector<std::uint64_t>& patterns() { return patterns_; }

 private:
  std::vector<std::uint32_t> places_, rounds_;  ///< [slot] Index in patterns_; the round in which it was written.
  std::vector<std::uint64_t> patterns_;
  std::uint32_t round_ = 0;
  std::uint64_t factor_ = 1;
  int shift_ = 0;
};

/// Rows of all patterns of groups that have few patterns relative to the records, computed once for all blocks.
struct ShapTables {
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> first_number;  ///< [group of the forest] Start of its rows; kNone: not stored here.
  AlignedVector<double> rows;

  const double* of(std::size_t group) const {
    return first_number[group] == kNone ? nullptr : rows.data() + first_number[group];
  }
};

/// Computes the rows of a group, with scratch memory for it.
class ShapRowFinder {
 public:
  /// @param forest, kernels  Must outlive this object.
  ShapRowFinder(const ShapForest& forest, const ShapKernels& kernels);

  /// Number of elements of a row.
  static std::size_t row_size(const ShapTree& tree, const ShapGroup& group) {
    return tree.width * padded_to_lanes(group.num_slots);
  }
  /// @param patterns  A multiple of the vector size. @param rows  [patterns][row_size()], written.
  void find(const ShapTree& tree, const ShapGroup& group, View1<const std::uint64_t> patterns, double* rows);
  /// The same for all possible patterns, in ascending order.
  void find_all(const ShapTree& tree, const ShapGroup& group, double* rows);
  static std::size_t num_all_patterns(const ShapGroup& group) {
    return padded_to_lanes(std::size_t{1} << group.num_bits);
  }

 private:
  const ShapForest& forest_;
  const ShapKernels& kernels_;
  const std::vector<GaussRule> rules_;
  std::vector<const double*> points_, weights_;
  std::vector<std::uint64_t> all_patterns_;  ///< 0, 1, 2 ...
  AlignedVector<double> columns_;
};

/// Memory of a thread for adding trees to blocks of records.
struct ShapScratch {
  ShapScratch(const ShapForest& forest, const ShapKernels& kernels, std::size_t most_records)
      : finder(forest, kernels), index(padded_to_lanes(most_records)) {}

  ShapRowFinder finder;
  PatternIndex index;
  std::vector<std::uint32_t> levels;       ///< [level][padded] Patterns.
  std::vector<std::uint64_t> wide_levels;  ///< The same, for trees with wide patterns.
  std::vector<std::uint32_t> row_of;       ///< [padded]
  AlignedVector<double> rows;
  std::vector<double*> group_sums;  ///< The sums that a group adds to.
};

/// Sums over trees of the contributions of attributes, for a block of records.
class ShapBlock {
 public:
  /// Most records of a block: larger blocks are faster and take more memory.
  static std::size_t most_records(const ShapForest& forest);

  /// @param forest, kernels  Must outlive the block.
  ShapBlock(const ShapForest& forest, const ShapKernels& kernels, const RecordView& records);

  /// Adds the trees begin ... end - 1.
  void add_trees(std::size_t begin, std::size_t end, const ShapTables& tables, ShapScratch& scratch);
  /// [record] Contributions to one output.
  const double* sums(std::size_t output, std::size_t column) const {
    return sums_.data() + (output * forest_.attributes.size() + column) * padded_;
  }

 private:
  template <typename Word>
  void add_tree(const ShapTree& tree, const ShapTables& tables, std::vector<Word>& levels, ShapScratch& scratch);
  template <typename Word>
  void add_group(const ShapTree& tree, std::size_t group, const Word* patterns, const ShapTables& tables,
                 ShapScratch& scratch);

  const ShapForest& forest_;
  const ShapKernels& kernels_;
  std::size_t padded_;           ///< Number of records, padded.
  AlignedVector<float> values_;  ///< [column][padded]
  AlignedVector<double> sums_;   ///< [output][column][padded]
};

}  // namespace fernwood::records
