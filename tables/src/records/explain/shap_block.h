// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "records/evaluate/evaluation_kernels.h"
#include "records/explain/gauss_rule.h"
#include "records/explain/pattern_index.h"
#include "records/explain/shap_background.h"
#include "records/explain/shap_kernels.h"
#include "records/explain/shap_model.h"

namespace fernwood::records {

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
  ShapRowFinder(const ShapForest& forest, const ShapKernels& kernels, ShapEffects effects);

  /// Number of elements of a row.
  std::size_t row_size(const ShapTree& tree, const ShapGroup& group) const {
    return tree.width * padded_to_lanes(num_effects(effects_, group.num_slots));
  }
  /// @param patterns  A multiple of the vector size. @param rows  [patterns][row_size()], written.
  void find(const ShapTree& tree, const ShapGroup& group, View1<const std::uint64_t> patterns, double* rows);
  /// The same for all possible patterns, in ascending order.
  void find_all(const ShapTree& tree, const ShapGroup& group, double* rows);
  static std::size_t num_all_patterns(const ShapGroup& group) {
    return padded_to_lanes(std::size_t{1} << group.num_bits);
  }
  /// The rows relative to background records; only for players.
  void find(const ShapTree& tree, const ShapGroup& group, View1<const std::uint64_t> patterns,
            WeightedPatterns& background, double* rows);

 private:
  ShapRowArgs args_of(const ShapTree& tree, const ShapGroup& group, View1<const std::uint64_t> patterns, double* rows);

  const ShapForest& forest_;
  const ShapKernels& kernels_;
  const ShapEffects effects_;
  const std::vector<GaussRule> rules_;
  std::vector<const double*> points_, weights_;
  std::vector<std::uint64_t> all_patterns_;  ///< 0, 1, 2 ...
  AlignedVector<double> columns_;
  BackgroundRowFinder background_finder_;
};

/// Values of the tested columns of records, by columns.
struct ShapColumns {
  /// @param records  Their columns are those of read_columns().
  ShapColumns(const ShapForest& forest, const RecordView& records);

  std::size_t num_records, padded;  ///< padded: the number of records of `values`.
  AlignedVector<float> values;      ///< [column][padded]
};

/// [level][record] Patterns, in one of two sizes.
struct PatternLevels {
  std::vector<std::uint32_t> narrow;
  std::vector<std::uint64_t> wide;

  template <typename Word>
  std::vector<Word>& of() {
    if constexpr (sizeof(Word) == sizeof(std::uint64_t))
      return wide;
    else
      return narrow;
  }
};

/// Memory of a thread for adding trees to blocks of records.
struct ShapScratch {
  ShapScratch(const ShapForest& forest, const ShapKernels& kernels, ShapEffects effects, std::size_t most_records)
      : finder(forest, kernels, effects), index(padded_to_lanes(most_records)) {}

  ShapRowFinder finder;
  PatternIndex index;
  PatternLevels levels, background_levels;
  WeightedPatterns background;
  std::vector<std::uint32_t> row_of;  ///< [padded]
  AlignedVector<double> rows;
  std::vector<double*> group_sums;  ///< The sums that a group adds to.
};

/// Sums over trees of the contributions of players, or of the interactions of pairs, for a block of records.
class ShapBlock {
 public:
  /// Most records of a block: larger blocks are faster and take more memory.
  static std::size_t most_records(const ShapForest& forest, ShapEffects effects);

  /// @param forest, kernels  Must outlive the block.
  ShapBlock(const ShapForest& forest, const ShapKernels& kernels, ShapEffects effects, const RecordView& columns);

  /// Adds the trees begin ... end - 1.
  /// @param background  Records for attributes that are not known, without tables; null: shares of training records.
  void add_trees(std::size_t begin, std::size_t end, const ShapTables& tables, const ShapColumns* background,
                 ShapScratch& scratch);
  const ShapColumns& columns() const { return columns_; }
  /// [output][effect][padded record]
  std::span<double> all_sums() { return sums_; }
  /// [record] Contributions to one output. @param place  Index of a player, or pair_place() of two.
  double* sums(std::size_t output, std::size_t place) {
    return sums_.data() + (output * num_effects(effects_, forest_.players.size()) + place) * columns_.padded;
  }

 private:
  template <typename Word>
  void add_tree(const ShapTree& tree, const ShapTables& tables, const ShapColumns* background, ShapScratch& scratch);
  template <typename Word>
  Word* take_step(const ShapStep& step, const ShapColumns& columns, PatternLevels& levels) const;
  /// @param of_background  Patterns of the background records; null: there are none.
  template <typename Word>
  void add_group(const ShapTree& tree, std::size_t group, const Word* patterns, const double* rows,
                 const Word* of_background, std::size_t num_background, ShapScratch& scratch);

  const ShapForest& forest_;
  const ShapKernels& kernels_;
  const ShapEffects effects_;
  const ShapColumns columns_;
  AlignedVector<double> sums_;  ///< [output][effect][padded]
};

}  // namespace fernwood::records
