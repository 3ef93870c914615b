// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/explain/shap_block.h"

#include <algorithm>

#include "core/isa.h"
#include "fernwood/core/error.h"
#include "records/explain/gpu_shap.h"

namespace fernwood::records {

FW_ISA_TABLES(ShapKernels, shap_kernels_table)

#if !FERNWOOD_HAS_CUDA
std::unique_ptr<GpuShap> make_gpu_shap(const ShapForest&, ShapEffects, Device device, int) {
  throw Error(ErrorKind::kDevice, "SHAP values cannot be computed on " + to_string(device) +
                                      ": this build has no CUDA; configure with -DFERNWOOD_CUDA=ON");
}
#endif

const ShapKernels& shap_kernels(Isa isa) { return shap_kernels_table_of(isa); }

std::size_t ShapBlock::most_records(const ShapForest& forest, ShapEffects effects) {
  constexpr std::size_t kMaxCount = 4096, kMinCount = 64, kMaxNumbers = std::size_t{1} << 23;
  std::size_t numbers = forest.num_levels + forest.expected.size() * num_effects(effects, forest.players.size());
  for (const ShapTree& tree : forest.trees) {
    const std::size_t most_slots = std::min(forest.players.size(), kMaxPathElements);
    numbers = std::max(numbers, tree.width * padded_to_lanes(num_effects(effects, most_slots)));
  }
  return std::clamp(kMaxNumbers / numbers / kShapLanes * kShapLanes, kMinCount, kMaxCount);
}

ShapRowFinder::ShapRowFinder(const ShapForest& forest, const ShapKernels& kernels, ShapEffects effects)
    : forest_(forest), kernels_(kernels), effects_(effects), rules_(gauss_rules(kMaxPathElements / 2)) {
  for (const GaussRule& rule : rules_) {
    points_.push_back(rule.points.data());
    weights_.push_back(rule.weights.data());
  }
}

ShapRowArgs ShapRowFinder::args_of(const ShapTree& tree, const ShapGroup& group, View1<const std::uint64_t> patterns,
                                   double* rows) {
  const std::size_t num_sums = num_effects(effects_, group.num_slots);
  columns_.resize(std::max(columns_.size(), tree.width * num_sums * patterns.size));
  return {{forest_.leaves.data() + group.first_leaf, group.num_leaves},
          forest_.elements.data(),
          forest_.leaf_values.data(),
          tree.width,
          num_sums,
          points_.data(),
          weights_.data(),
          patterns.data,
          patterns.size,
          columns_.data(),
          rows};
}

void ShapRowFinder::find(const ShapTree& tree, const ShapGroup& group, View1<const std::uint64_t> patterns,
                         double* rows) {
  kernels_.find_rows(effects_, args_of(tree, group, patterns, rows));
}

void ShapRowFinder::find_all(const ShapTree& tree, const ShapGroup& group, double* rows) {
  const std::size_t count = num_all_patterns(group);
  while (all_patterns_.size() < count) all_patterns_.push_back(all_patterns_.size());
  find(tree, group, {all_patterns_.data(), count}, rows);
}

void ShapRowFinder::find(const ShapTree& tree, const ShapGroup& group, View1<const std::uint64_t> patterns,
                         WeightedPatterns& background, double* rows) {
  background_finder_.find(args_of(tree, group, patterns, rows), background);
}

ShapColumns::ShapColumns(const ShapForest& forest, const RecordView& records)
    : num_records(records.num_records),
      padded(padded_to_lanes(records.num_records)),
      values(forest.columns.size() * padded, 0.0f) {
  for (std::size_t c = 0; c < forest.columns.size(); ++c)
    for (std::size_t i = 0; i < num_records; ++i) values[c * padded + i] = records.at(i, forest.columns[c]);
}

ShapBlock::ShapBlock(const ShapForest& forest, const ShapKernels& kernels, ShapEffects effects,
                     const RecordView& columns)
    : forest_(forest),
      kernels_(kernels),
      effects_(effects),
      columns_(forest, columns),
      sums_(forest.expected.size() * num_effects(effects, forest.players.size()) * columns_.padded, 0.0) {}

void ShapBlock::add_trees(std::size_t begin, std::size_t end, const ShapTables& tables, const ShapColumns* background,
                          ShapScratch& scratch) {
  for (std::size_t t = begin; t < end; ++t) {
    const ShapTree& tree = forest_.trees[t];
    if (tree.is_wide)
      add_tree<std::uint64_t>(tree, tables, background, scratch);
    else
      add_tree<std::uint32_t>(tree, tables, background, scratch);
  }
}

/// @return  [padded] The patterns below the step's test.
template <typename Word>
Word* ShapBlock::take_step(const ShapStep& step, const ShapColumns& columns, PatternLevels& levels) const {
  Word* const all = levels.of<Word>().data();
  Word* const narrowed = all + step.to_level * columns.padded;
  kernels_.narrow({columns.values.data() + step.column * columns.padded, all + step.from_level * columns.padded,
                   columns.padded, step.threshold, step.nan_left, static_cast<Word>(step.left_mask),
                   static_cast<Word>(step.right_mask), narrowed});
  return narrowed;
}

template <typename Word>
void ShapBlock::add_tree(const ShapTree& tree, const ShapTables& tables, const ShapColumns* background,
                         ShapScratch& scratch) {
  const auto begin = [&](const ShapColumns& columns, std::vector<Word>& levels) {
    levels.resize(std::max(levels.size(), forest_.num_levels * columns.padded));
    std::fill_n(levels.begin(), columns.padded, ~Word{0});
  };
  begin(columns_, scratch.levels.of<Word>());
  if (background) begin(*background, scratch.background_levels.of<Word>());
  for (std::size_t s = tree.first_step; s < tree.first_step + tree.num_steps; ++s) {
    const ShapStep& step = forest_.steps[s];
    const Word* const patterns = take_step<Word>(step, columns_, scratch.levels);
    const Word* const of_background =
        background ? take_step<Word>(step, *background, scratch.background_levels) : nullptr;
    if (step.group < 0) continue;
    const auto group = static_cast<std::size_t>(step.group);
    add_group(tree, group, patterns, tables.of(group), of_background, background ? background->num_records : 0,
              scratch);
  }
}

template <typename Word>
void ShapBlock::add_group(const ShapTree& tree, std::size_t group_index, const Word* patterns, const double* rows,
                          const Word* of_background, std::size_t num_background, ShapScratch& scratch) {
  const ShapGroup& group = forest_.groups[group_index];
  const std::size_t num_sums = num_effects(effects_, group.num_slots), padded = columns_.padded;
  if (group.num_leaves == 0 || num_sums == 0) return;
  scratch.row_of.resize(padded);
  if (rows) {
    for (std::size_t i = 0; i < padded; ++i) scratch.row_of[i] = static_cast<std::uint32_t>(patterns[i]);
  } else {
    scratch.index.clear(group.num_bits);
    for (std::size_t i = 0; i < padded; ++i) scratch.row_of[i] = scratch.index.place_of(patterns[i]);
    std::vector<std::uint64_t>& met = scratch.index.patterns();
    met.resize(padded_to_lanes(met.size()), met.front());
    scratch.rows.resize(std::max(scratch.rows.size(), scratch.finder.row_size(tree, group) * met.size()));
    const View1<const std::uint64_t> all = {met.data(), met.size()};
    if (of_background) {
      scratch.background.clear();
      for (std::size_t i = 0; i < num_background; ++i)
        scratch.background.emplace_back(of_background[i], 1 / static_cast<double>(num_background));
      scratch.finder.find(tree, group, all, scratch.background, scratch.rows.data());
    } else {
      scratch.finder.find(tree, group, all, scratch.rows.data());
    }
    rows = scratch.rows.data();
  }
  scratch.group_sums.clear();
  const std::uint32_t* const slots = forest_.slots.data() + group.first_slot;
  for (std::size_t k = 0; k < tree.width; ++k)
    for (std::size_t slot = 0; slot < group.num_slots; ++slot) {
      if (effects_ == ShapEffects::kPlayers) scratch.group_sums.push_back(sums(tree.first_output + k, slots[slot]));
      for (std::size_t other = 0; effects_ == ShapEffects::kPairs && other < slot; ++other)
        scratch.group_sums.push_back(sums(tree.first_output + k, pair_place(slots[other], slots[slot])));
    }
  kernels_.add_rows({rows, tree.width, num_sums, scratch.row_of.data(), padded, scratch.group_sums.data()});
}

}  // namespace fernwood::records
