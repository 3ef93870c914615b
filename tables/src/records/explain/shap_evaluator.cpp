// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/parallel.h"
#include "fernwood/records/evaluator.h"
#include "fernwood/records/shap.h"
#include "records/evaluate/column_reader.h"
#include "records/evaluate/strategy.h"
#include "records/explain/exact_sum.h"
#include "records/explain/gpu_shap.h"
#include "records/explain/linear_shap.h"
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
/// Records whose sums a thread finishes at a time.
constexpr std::size_t kRecordsToFinish = 64;
/// Most records of a block on a GPU.
constexpr std::size_t kMaxGpuRecords = std::size_t{1} << 16;

std::size_t divide_up(std::size_t count, std::size_t divisor) { return (count + divisor - 1) / divisor; }

}  // namespace

struct ShapEvaluator::State {
  /// The columns that trees test, of some records.
  class ReadColumns {
   public:
    /// @param reader  Null: the attributes are the columns.
    ReadColumns(const ColumnReader* reader, const RecordView& records) : view_(records) {
      if (!reader) return;
      values_.resize(records.num_records * reader->num_columns());
      reader->read(records, values_.data());
      view_ = records_by_rows(values_.data(), records.num_records, reader->num_columns());
    }
    const RecordView& view() const { return view_; }

   private:
    std::vector<float> values_;
    RecordView view_;
  };

  /// A copy of the records that stand for attributes that are not known.
  struct Background {
    explicit Background(const RecordView& records) {
      const std::size_t width = records.num_attributes;
      for (std::size_t i = 0; i < records.num_records; ++i)
        for (std::size_t a = 0; a < width; ++a) {
          values.push_back(records.at(i, a));
          if (records.exact)
            exact.push_back(records.exact[static_cast<std::ptrdiff_t>(i) * records.exact_record_step +
                                          static_cast<std::ptrdiff_t>(a) * records.exact_attribute_step]);
        }
      view = records_by_rows(values.data(), records.num_records, width);
      if (!records.exact) return;
      view.exact = exact.data();
      view.exact_record_step = static_cast<std::ptrdiff_t>(width);
      view.exact_attribute_step = 1;
    }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    std::vector<float> values;
    std::vector<double> exact;
    RecordView view;  ///< Of both.
  };

  using Blocks = std::vector<std::unique_ptr<ShapBlock>>;

  State(const RecordForest& forest, int threads, const RecordView& background_given, Device device_given)
      : device(device_given),
        num_attributes(forest.attributes.size()),
        columns(forest.columns),
        reader(columns.empty() ? nullptr : std::make_unique<ColumnReader>(columns, num_attributes)),
        rule(sum_rule(forest)),
        model(make_shap_forest(forest, background_given.num_records == 0)),
        linear(forest, model),
        kernels(shap_kernels(available_isas().back())),
        margins(forest, {.strategy = "serial", .device = "cpu", .threads = threads, .remember = false}),
        pool(threads),
        of_players(ShapEffects::kPlayers, *this),
        of_pairs(ShapEffects::kPairs, *this),
        background(background_given),
        background_columns(reader.get(), background.view),
        background_tested(model, background_columns.view()) {
    if (!has_background()) {
      for (std::size_t k = 0; k < model.expected.size(); ++k)
        expected.push_back(finish_sum(rule.base[k] + model.expected[k], rule.divisor, rule.scale,
                                      rule.bias.empty() ? nullptr : &rule.bias[k]));
      return;
    }
    const std::size_t num_outputs = model.expected.size(), num_records = background.view.num_records;
    std::vector<double> found(num_records * num_outputs);
    margins.find_margins(background.view, found.data());
    expected.assign(num_outputs, 0.0);
    for (std::size_t i = 0; i < found.size(); ++i) expected[i % num_outputs] += found[i];
    for (double& mean : expected) mean /= static_cast<double>(num_records);
  }

  /// What is needed to find one kind of effects.
  struct Pass {
    Pass(ShapEffects effects_given, const State& state)
        : effects(effects_given),
          most_records(state.device.is_cpu() ? ShapBlock::most_records(state.model, effects)
                                             : std::min(kMaxGpuRecords, state.records_of_numbers(effects))),
          scratch(static_cast<std::size_t>(state.pool.num_threads())) {
      tables.first_number.assign(state.model.groups.size(), ShapTables::kNone);
    }

    const ShapEffects effects;
    const std::size_t most_records;                     ///< In a block.
    std::vector<std::unique_ptr<ShapScratch>> scratch;  ///< [thread] Created on first use.
    ShapTables tables;
    std::unique_ptr<GpuShap> gpu;  ///< Created on first use.
  };

  ShapScratch& scratch_of(Pass& pass, int worker) {
    std::unique_ptr<ShapScratch>& own = pass.scratch[static_cast<std::size_t>(worker)];
    if (!own) own = std::make_unique<ShapScratch>(model, kernels, pass.effects, pass.most_records);
    return *own;
  }

  bool has_background() const { return background.view.num_records > 0; }

  /// Fills the tables of as many trees from `begin` on as fit. @return  The end of these trees.
  std::size_t find_tables(Pass& pass, std::size_t begin, std::size_t num_records) {
    if (has_background()) return model.trees.size();
    struct Table {
      std::size_t tree, group;
    };
    std::vector<Table> found;
    ShapTables& tables = pass.tables;
    std::size_t end = begin, size = 0;
    for (; end < model.trees.size() && (end == begin || size < kMaxTableNumbers); ++end) {
      const ShapTree& tree = model.trees[end];
      for (std::size_t g = tree.first_group; g < tree.first_group + tree.num_groups; ++g) {
        const ShapGroup& group = model.groups[g];
        const bool has_table = group.num_bits < 32 && kRecordsPerRow << group.num_bits <= num_records;
        tables.first_number[g] = has_table ? size : ShapTables::kNone;
        if (!has_table) continue;
        size += ShapRowFinder::num_all_patterns(group) * scratch_of(pass, 0).finder.row_size(tree, group);
        found.push_back({end, g});
      }
    }
    tables.rows.resize(std::max(tables.rows.size(), size));
    pool.for_each(found.size(), [&](std::size_t i, int worker) {
      const std::size_t group = found[i].group;
      scratch_of(pass, worker)
          .finder.find_all(model.trees[found[i].tree], model.groups[group],
                           tables.rows.data() + tables.first_number[group]);
    });
    return end;
  }

  /// Number of records that are explained at a time.
  std::size_t records_at_once(const Pass& pass) const {
    return std::max(records_of_numbers(pass.effects), pass.most_records);
  }
  /// Number of records that have kMaxBlockNumbers elements.
  std::size_t records_of_numbers(ShapEffects effects) const {
    const std::size_t sums = model.expected.size() * num_effects(effects, model.players.size());
    return std::max<std::size_t>(kMaxBlockNumbers / (sums + model.columns.size() + 1), 1);
  }

  /// Blocks of equal size, so that all threads have the same amount of work.
  std::size_t block_size(std::size_t most_records, std::size_t num_records) const {
    const auto num_threads = static_cast<std::size_t>(pool.num_threads());
    return divide_up(num_records, divide_up(num_records, most_records * num_threads) * num_threads);
  }

  static RecordView block_of(const RecordView& records, std::size_t b, std::size_t size) {
    return records.part(b * size, std::min(size, records.num_records - b * size));
  }

  /// Finds the effects of a kind, summed over trees. @param size  Number of records of a block.
  Blocks sum_trees(Pass& pass, const RecordView& records, std::size_t size) {
    Blocks blocks(divide_up(records.num_records, size));
    const LinearRecords of_background = {background.view, background_columns.view()};
    pool.for_each(blocks.size(), [&](std::size_t b, int) {
      const RecordView part = block_of(records, b, size);
      const ReadColumns read(reader.get(), part);
      blocks[b] = std::make_unique<ShapBlock>(model, kernels, pass.effects, read.view());
      if (!linear.empty()) linear.add({part, read.view()}, of_background, pass.effects, *blocks[b]);
    });
    if (!device.is_cpu()) {
      if (!pass.gpu) pass.gpu = make_gpu_shap(model, pass.effects, device, pool.num_threads());
      pool.for_each(blocks.size(), [&](std::size_t b, int worker) { pass.gpu->add_trees(*blocks[b], worker); });
      return blocks;
    }
    for (std::size_t tree = 0; tree < model.trees.size();) {
      const std::size_t end = find_tables(pass, tree, records.num_records);
      pool.for_each(blocks.size(), [&](std::size_t b, int worker) {
        blocks[b]->add_trees(tree, end, pass.tables, has_background() ? &background_tested : nullptr,
                             scratch_of(pass, worker));
      });
      tree = end;
    }
    return blocks;
  }

  /// Calls body(record, output, block, record of the block, margin) for all records and outputs.
  template <typename Body>
  void for_each_sum(const RecordView& records, std::size_t size, const Body& body) {
    const std::size_t num_outputs = expected.size();
    std::vector<double> found(records.num_records * num_outputs);
    margins.find_margins(records, found.data());
    pool.for_each(divide_up(records.num_records, kRecordsToFinish), [&](std::size_t task, int) {
      const std::size_t begin = task * kRecordsToFinish;
      for (std::size_t i = begin; i < std::min(begin + kRecordsToFinish, records.num_records); ++i)
        for (std::size_t k = 0; k < num_outputs; ++k) body(i, k, i / size, i % size, found[i * num_outputs + k]);
    });
  }

  double finished(double sum) const { return finish_sum<double>(sum, rule.divisor, rule.scale, nullptr); }

  /// Contributions of attributes to one output of a record of a block. @param row  [attribute + 1], written.
  void finish_row(ShapBlock& block, std::size_t record, std::size_t output, double margin, double* row) const {
    std::fill_n(row, num_attributes, 0.0);
    for (std::size_t p = 0; p < model.players.size(); ++p) {
      const ShapPlayer& player = model.players[p];
      const double share = finished(block.sums(output, p)[record]) / static_cast<double>(player.size());
      for (const std::uint16_t attribute : player) row[attribute] += share;
    }
    row[num_attributes] = expected[output];
    settle_sum(row, num_attributes + 1, 1, margin);
  }

  void explain(const RecordView& records, double* values) {
    const std::size_t size = block_size(of_players.most_records, records.num_records);
    const std::size_t row_size = num_attributes + 1;
    const Blocks blocks = sum_trees(of_players, records, size);
    for_each_sum(records, size, [&](std::size_t i, std::size_t k, std::size_t b, std::size_t place, double margin) {
      finish_row(*blocks[b], place, k, margin, values + (i * expected.size() + k) * row_size);
    });
  }

  void explain_pairs(const RecordView& records, double* values) {
    const std::size_t most_records = std::min(of_players.most_records, of_pairs.most_records);
    const std::size_t size = block_size(most_records, records.num_records), row_size = num_attributes + 1;
    const Blocks single = sum_trees(of_players, records, size), pairs = sum_trees(of_pairs, records, size);
    for_each_sum(records, size, [&](std::size_t i, std::size_t k, std::size_t b, std::size_t place, double margin) {
      std::vector<double> row(row_size);
      finish_row(*single[b], place, k, margin, row.data());
      finish_matrix(*pairs[b], place, k, row, values + (i * expected.size() + k) * row_size * row_size);
      settle_sum(values + (i * expected.size() + k) * row_size * row_size, row_size * row_size, row_size + 1, margin);
    });
  }

  /// @param row  Contributions. @param matrix  [attribute + 1][attribute + 1], written.
  void finish_matrix(ShapBlock& block, std::size_t record, std::size_t output, const std::vector<double>& row,
                     double* matrix) const {
    const std::size_t row_size = row.size();
    std::fill_n(matrix, row_size * row_size, 0.0);
    for (std::size_t q = 0; q < model.players.size(); ++q)
      for (std::size_t p = 0; p < q; ++p) {
        const ShapPlayer &one = model.players[p], &other = model.players[q];
        const double both = finished(block.sums(output, pair_place(p, q))[record]);
        const double share = both / 2 / static_cast<double>(one.size() * other.size());
        for (const std::uint16_t a : one)
          for (const std::uint16_t c : other) {
            matrix[a * row_size + c] += share;
            matrix[c * row_size + a] += share;
          }
      }
    for (std::size_t a = 0; a < row_size; ++a) {
      double others = 0;
      for (std::size_t c = 0; c < row_size; ++c) others += c == a ? 0 : matrix[a * row_size + c];
      matrix[a * row_size + a] = row[a] - others;
    }
  }

  const Device device;
  const std::size_t num_attributes;
  const ColumnRules columns;
  const std::unique_ptr<const ColumnReader> reader;  ///< Null without column rules.
  const FloatSums rule;
  const ShapForest model;
  const LinearShap linear;
  const ShapKernels& kernels;
  ValueEvaluator margins;
  ThreadPool pool;
  Pass of_players, of_pairs;
  const Background background;
  const ReadColumns background_columns;
  const ShapColumns background_tested;
  std::vector<double> expected;
};

ShapEvaluator::ShapEvaluator(const RecordForest& forest, int threads, const RecordView& background, Device device) {
  const DefaultFloats floats;
  require_option(threads >= 0, "threads", threads, "use 0 for all, or how many");
  check_records(forest, "the forest");
  if (background.num_records > 0) check_attributes(background, forest.attributes.size());
  FW_CHECK(device.is_cpu() || background.num_records == 0, Usage,
           "background records are evaluated on the CPU; leave out the background or " << named_option("device"));
  state_ = std::make_unique<State>(forest, threads, background, device);
}
ShapEvaluator::~ShapEvaluator() = default;

const std::vector<double>& ShapEvaluator::expected() const { return state_->expected; }

void ShapEvaluator::find(const RecordView& records, double* values) {
  const DefaultFloats floats;
  State& state = *state_;
  check_attributes(records, state.num_attributes);
  const std::size_t at_once = state.records_at_once(state.of_players);
  const std::size_t record_numbers = state.expected.size() * (state.num_attributes + 1);
  for (std::size_t begin = 0; begin < records.num_records; begin += at_once)
    state.explain(records.part(begin, std::min(at_once, records.num_records - begin)), values + begin * record_numbers);
}

void ShapEvaluator::find_interactions(const RecordView& records, double* values) {
  const DefaultFloats floats;
  State& state = *state_;
  check_attributes(records, state.num_attributes);
  FW_CHECK(!state.has_background(), Usage,
           "interactions of attributes are found from shares of training records, not from background records; leave "
           "these out");
  const std::size_t at_once = state.records_at_once(state.of_pairs), row_size = state.num_attributes + 1;
  for (std::size_t begin = 0; begin < records.num_records; begin += at_once)
    state.explain_pairs(records.part(begin, std::min(at_once, records.num_records - begin)),
                        values + begin * state.expected.size() * row_size * row_size);
}

}  // namespace fernwood::records
