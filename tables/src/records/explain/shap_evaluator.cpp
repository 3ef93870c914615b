// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/parallel.h"
#include "fernwood/records/shap.h"
#include "records/evaluate/strategy.h"
#include "records/explain/shap_block.h"

namespace fernwood::records {

namespace {

/// How sums over trees become values: FloatSums, or whole numbers in units.
FloatSums sum_rule(const RecordForest& forest) {
  if (forest.float_sums) return *forest.float_sums;
  FloatSums rule;
  for (const std::int32_t base : forest.base) rule.base.push_back(std::ldexp(base, -forest.fraction_bits));
  return rule;
}

/// Rows of all patterns of a group are computed in advance where each is used about this often.
constexpr std::size_t kRecordsPerRow = 4;
/// Elements in the rows of trees that are added one after another, so that they fit into the last-level cache.
constexpr std::size_t kMaxTableNumbers = std::size_t{1} << 19;
/// Number of elements of all blocks that are computed at a time.
constexpr std::size_t kMaxBlockNumbers = std::size_t{1} << 24;

std::size_t divide_up(std::size_t count, std::size_t divisor) { return (count + divisor - 1) / divisor; }

}  // namespace

struct ShapEvaluator::State {
  State(const RecordForest& forest, int threads)
      : num_attributes(forest.attributes.size()),
        columns(forest.columns),
        rule(sum_rule(forest)),
        model(make_shap_forest(forest)),
        most_records(ShapBlock::most_records(model)),
        kernels(shap_kernels(available_isas().back())),
        pool(threads),
        scratch(static_cast<std::size_t>(pool.num_threads())) {
    for (std::size_t k = 0; k < model.expected.size(); ++k)
      expected.push_back(finish_sum(rule.base[k] + model.expected[k], rule.divisor, rule.scale,
                                    rule.bias.empty() ? nullptr : &rule.bias[k]));
    tables.first_number.assign(model.groups.size(), ShapTables::kNone);
  }

  ShapScratch& scratch_of(int worker) {
    std::unique_ptr<ShapScratch>& own = scratch[static_cast<std::size_t>(worker)];
    if (!own) own = std::make_unique<ShapScratch>(model, kernels, most_records);
    return *own;
  }

  /// Fills the tables of as many trees from `begin` on as fit. @return  The end of these trees.
  std::size_t find_tables(std::size_t begin, std::size_t num_records) {
    struct Table {
      std::size_t tree, group;
    };
    std::vector<Table> found;
    std::size_t end = begin, size = 0;
    for (; end < model.trees.size() && (end == begin || size < kMaxTableNumbers); ++end) {
      const ShapTree& tree = model.trees[end];
      for (std::size_t g = tree.first_group; g < tree.first_group + tree.num_groups; ++g) {
        const ShapGroup& group = model.groups[g];
        const bool has_table = group.num_bits < 32 && kRecordsPerRow << group.num_bits <= num_records;
        tables.first_number[g] = has_table ? size : ShapTables::kNone;
        if (!has_table) continue;
        size += ShapRowFinder::num_all_patterns(group) * ShapRowFinder::row_size(tree, group);
        found.push_back({end, g});
      }
    }
    tables.rows.resize(std::max(tables.rows.size(), size));
    pool.for_each(found.size(), [&](std::size_t i, int worker) {
      const std::size_t group = found[i].group;
      scratch_of(worker).finder.find_all(model.trees[found[i].tree], model.groups[group],
                                         tables.rows.data() + tables.first_number[group]);
    });
    return end;
  }

  /// Number of records that are explained at a time.
  std::size_t records_at_once() const {
    const std::size_t numbers = (expected.size() + 1) * model.attributes.size() + 1;
    return std::max(kMaxBlockNumbers / numbers, most_records);
  }

  void explain(const RecordView& records, double* values) {
    // Blocks of equal size, so that all threads have the same amount of work.
    const std::size_t num_blocks = divide_up(records.num_records, most_records * scratch.size()) * scratch.size();
    const std::size_t size = divide_up(records.num_records, num_blocks);
    std::vector<std::unique_ptr<ShapBlock>> blocks(divide_up(records.num_records, size));
    const auto part = [&](std::size_t b) {
      return records.part(b * size, std::min(size, records.num_records - b * size));
    };
    const auto make = [&](std::size_t b, int) { blocks[b] = std::make_unique<ShapBlock>(model, kernels, part(b)); };
    pool.for_each(blocks.size(), make);
    for (std::size_t tree = 0; tree < model.trees.size();) {
      const std::size_t end = find_tables(tree, records.num_records);
      pool.for_each(blocks.size(),
                    [&](std::size_t b, int worker) { blocks[b]->add_trees(tree, end, tables, scratch_of(worker)); });
      tree = end;
    }
    const std::size_t record_numbers = expected.size() * (num_attributes + 1);
    pool.for_each(blocks.size(), [&](std::size_t b, int) {
      finish(*blocks[b], part(b).num_records, values + b * size * record_numbers);
    });
  }

  void finish(const ShapBlock& block, std::size_t num_records, double* values) const {
    const std::size_t num_outputs = expected.size(), row_size = num_attributes + 1;
    std::fill_n(values, num_records * num_outputs * row_size, 0.0);
    for (std::size_t k = 0; k < num_outputs; ++k) {
      for (std::size_t c = 0; c < model.attributes.size(); ++c) {
        const double* sums = block.sums(k, c);
        for (std::size_t i = 0; i < num_records; ++i)
          values[(i * num_outputs + k) * row_size + model.attributes[c]] =
              finish_sum<double>(sums[i], rule.divisor, rule.scale, nullptr);
      }
      for (std::size_t i = 0; i < num_records; ++i)
        values[(i * num_outputs + k) * row_size + num_attributes] = expected[k];
    }
  }

  const std::size_t num_attributes;
  const ColumnRules columns;  ///< Without sets.
  const FloatSums rule;
  const ShapForest model;
  const std::size_t most_records;  ///< In a block.
  const ShapKernels& kernels;
  ThreadPool pool;
  std::vector<double> expected;
  std::vector<std::unique_ptr<ShapScratch>> scratch;  ///< [thread] Created on first use.
  ShapTables tables;
};

ShapEvaluator::ShapEvaluator(const RecordForest& forest, int threads) {
  const DefaultFloats floats;
  require_option(threads >= 0, "threads", threads, "give 0 for all, or how many");
  check_records(forest, "the forest");
  FW_CHECK(forest.columns.num_columns() == 0, Model,
           "the forest has tests of categories, of which Shapley values are not found; explain it by a library "
           "that does, or train on categories as numbers of their own (one-hot)");
  FW_CHECK(!forest.has_linear_leaves(), Model,
           "the forest has linear functions in its leaves, of which Shapley values are not found; explain it by a "
           "library that does, or train with constant leaves");
  state_ = std::make_unique<State>(forest, threads);
}
ShapEvaluator::~ShapEvaluator() = default;

const std::vector<double>& ShapEvaluator::expected() const { return state_->expected; }

void ShapEvaluator::find(const RecordView& records, double* values) {
  const DefaultFloats floats;
  State& state = *state_;
  check_attributes(records, state.num_attributes);
  const std::size_t at_once = state.records_at_once();
  const std::size_t record_numbers = state.expected.size() * (state.num_attributes + 1);
  std::vector<float> read;
  for (std::size_t begin = 0; begin < records.num_records; begin += at_once) {
    RecordView part = records.part(begin, std::min(at_once, records.num_records - begin));
    if (!state.columns.empty()) {
      read.resize(part.num_records * state.num_attributes);
      read_columns(state.columns, part, read.data());
      part = records_by_columns(read.data(), part.num_records, state.num_attributes);
    }
    state.explain(part, values + begin * record_numbers);
  }
}

}  // namespace fernwood::records
