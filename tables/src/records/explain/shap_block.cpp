// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/explain/shap_block.h"

#include <algorithm>
#include <bit>

#include "core/isa.h"

namespace fernwood::records {

FW_ISA_TABLES(ShapKernels, shap_kernels_table)

const ShapKernels& shap_kernels(Isa isa) { return shap_kernels_table_of(isa); }

PatternIndex::PatternIndex(std::size_t most_records)
    : places_(std::bit_ceil(2 * most_records)), rounds_(places_.size(), 0) {}

void PatternIndex::clear(std::size_t num_bits) {
  const auto slot_bits = static_cast<std::size_t>(std::countr_zero(places_.size()));
  const bool is_slot = num_bits <= slot_bits;  // patterns are their own slots
  factor_ = is_slot ? 1 : 0x9e3779b97f4a7c15u;
  shift_ = is_slot ? 0 : static_cast<int>(64 - slot_bits);
  patterns_.clear();
  if (++round_ == 0) {
    std::ranges::fill(rounds_, 0);
    round_ = 1;
  }
}

std::size_t ShapBlock::most_records(const ShapForest& forest) {
  constexpr std::size_t kMaxCount = 4096, kMinCount = 64, kMaxNumbers = std::size_t{1} << 23;
  std::size_t numbers = forest.num_levels + forest.expected.size() * forest.attributes.size();
  for (const ShapTree& tree : forest.trees) {
    const std::size_t most_slots = std::min(forest.attributes.size(), kMaxPathElements);
    numbers = std::max(numbers, tree.width * padded_to_lanes(most_slots));
  }
  return std::clamp(kMaxNumbers / numbers / kShapLanes * kShapLanes, kMinCount, kMaxCount);
}

ShapRowFinder::ShapRowFinder(const ShapForest& forest, const ShapKernels& kernels)
    : forest_(forest), kernels_(kernels), rules_(gauss_rules(kMaxPathElements / 2)) {
  for (const GaussRule& rule : rules_) {
    points_.push_back(rule.points.data());
    weights_.push_back(rule.weights.data());
  }
}

void ShapRowFinder::find(const ShapTree& tree, const ShapGroup& group, View1<const std::uint64_t> patterns,
                         double* rows) {
  columns_.resize(std::max(columns_.size(), tree.width * group.num_slots * patterns.size));
  kernels_.find_rows({{forest_.leaves.data() + group.first_leaf, group.num_leaves},
                      forest_.elements.data(),
                      forest_.leaf_values.data(),
                      tree.width,
                      group.num_slots,
                      points_.data(),
                      weights_.data(),
                      patterns.data,
                      patterns.size,
                      columns_.data(),
                      rows});
}

void ShapRowFinder::find_all(const ShapTree& tree, const ShapGroup& group, double* rows) {
  const std::size_t count = num_all_patterns(group);
  while (all_patterns_.size() < count) all_patterns_.push_back(all_patterns_.size());
  find(tree, group, {all_patterns_.data(), count}, rows);
}

ShapBlock::ShapBlock(const ShapForest& forest, const ShapKernels& kernels, const RecordView& records)
    : forest_(forest),
      kernels_(kernels),
      padded_(padded_to_lanes(records.num_records)),
      values_(forest.attributes.size() * padded_, 0.0f),
      sums_(forest.expected.size() * forest.attributes.size() * padded_, 0.0) {
  for (std::size_t c = 0; c < forest.attributes.size(); ++c)
    for (std::size_t i = 0; i < records.num_records; ++i)
      values_[c * padded_ + i] = records.at(i, forest.attributes[c]);
}

void ShapBlock::add_trees(std::size_t begin, std::size_t end, const ShapTables& tables, ShapScratch& scratch) {
  for (std::size_t t = begin; t < end; ++t) {
    const ShapTree& tree = forest_.trees[t];
    if (tree.is_wide)
      add_tree(tree, tables, scratch.wide_levels, scratch);
    else
      add_tree(tree, tables, scratch.levels, scratch);
  }
}

template <typename Word>
void ShapBlock::add_tree(const ShapTree& tree, const ShapTables& tables, std::vector<Word>& levels,
                         ShapScratch& scratch) {
  levels.resize(std::max(levels.size(), forest_.num_levels * padded_));
  std::fill_n(levels.begin(), padded_, ~Word{0});
  for (std::size_t s = tree.first_step; s < tree.first_step + tree.num_steps; ++s) {
    const ShapStep& step = forest_.steps[s];
    Word* narrowed = levels.data() + step.to_level * padded_;
    kernels_.narrow({values_.data() + step.column * padded_, levels.data() + step.from_level * padded_, padded_,
                     step.threshold, step.nan_left, static_cast<Word>(step.left_mask),
                     static_cast<Word>(step.right_mask), narrowed});
    if (step.group >= 0) add_group(tree, static_cast<std::size_t>(step.group), narrowed, tables, scratch);
  }
}

template <typename Word>
void ShapBlock::add_group(const ShapTree& tree, std::size_t group_index, const Word* patterns, const ShapTables& tables,
                          ShapScratch& scratch) {
  const ShapGroup& group = forest_.groups[group_index];
  if (group.num_leaves == 0) return;
  scratch.row_of.resize(padded_);
  const double* rows = tables.of(group_index);
  if (rows) {
    for (std::size_t i = 0; i < padded_; ++i) scratch.row_of[i] = static_cast<std::uint32_t>(patterns[i]);
  } else {
    scratch.index.clear(group.num_bits);
    for (std::size_t i = 0; i < padded_; ++i) scratch.row_of[i] = scratch.index.place_of(patterns[i]);
    std::vector<std::uint64_t>& met = scratch.index.patterns();
    met.resize(padded_to_lanes(met.size()), met.front());
    scratch.rows.resize(std::max(scratch.rows.size(), ShapRowFinder::row_size(tree, group) * met.size()));
    scratch.finder.find(tree, group, {met.data(), met.size()}, scratch.rows.data());
    rows = scratch.rows.data();
  }
  scratch.group_sums.clear();
  for (std::size_t k = 0; k < tree.width; ++k)
    for (std::size_t slot = 0; slot < group.num_slots; ++slot)
      scratch.group_sums.push_back(
          sums_.data() +
          ((tree.first_output + k) * forest_.attributes.size() + forest_.slots[group.first_slot + slot]) * padded_);
  kernels_.add_rows({rows, tree.width, group.num_slots, scratch.row_of.data(), padded_, scratch.group_sums.data()});
}

}  // namespace fernwood::records
