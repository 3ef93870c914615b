// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/train_records.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/draw.h"
#include "core/json_text.h"
#include "core/memory_budget.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "records/grow/grow_record_tree.h"
#include "records/grow/out_of_bag.h"
#include "records/tables/row_format.h"

namespace fernwood::records {

namespace {

void check_table(const RecordTable& table) {
  const std::size_t num_records = table.values.rows(), num_attributes = table.values.cols();
  FW_CHECK(num_records > 0 && num_attributes > 0, Data,
           "there are " << num_records << " records of " << num_attributes
                        << " attributes; training needs at least one of each");
  FW_CHECK(num_records <= INT32_MAX && num_attributes <= kMaxAttributes && table.classes.size() <= kMaxClasses, Data,
           "there are " << num_records << " records of " << num_attributes << " attributes and " << table.classes.size()
                        << " classes; at most " << INT32_MAX << ", " << kMaxAttributes << " and " << kMaxClasses
                        << " are possible; leave some out");
  FW_CHECK(
      table.attributes.size() == num_attributes, Data,
      "there are " << table.attributes.size() << " names for " << num_attributes << " attributes; pass one for each");
}

constexpr std::size_t kMaxFractions = 32;  ///< Classes beyond which numbers with fractions are values to predict.

void check_labels(const RecordTable& table) {
  const std::size_t num_records = table.values.rows();
  FW_CHECK(table.labels.size() == num_records, Data,
           "there are " << table.labels.size() << " labels for " << num_records << " records; pass one for each");
  check_names(table.attributes, table.classes);
  float value = 0;
  const auto has_fraction = [&](const std::string& name) {
    return is_number(name, value) && value != std::floor(value);
  };
  const auto fraction = std::ranges::find_if(table.classes, has_fraction);
  FW_CHECK(table.classes.size() <= kMaxFractions || fraction == table.classes.end(), Data,
           "there are " << table.classes.size() << " classes, and labels such as " << *fraction
                        << " are numbers with fractions; use " << named_option("task", "regression")
                        << " to predict numbers, or strings as names of classes");
  const auto num_classes = static_cast<std::int32_t>(table.classes.size());
  for (std::size_t i = 0; i < num_records; ++i)
    FW_CHECK(table.labels[i] >= 0 && table.labels[i] < num_classes, Data,
             "record " << i + 1 << " of " << num_records
                       << " has no class; training needs one for each record, fill it "
                       << "in or leave the record out");
}

void check_targets(const RecordTable& table, int num_trees) {
  const std::size_t num_records = table.values.rows();
  FW_CHECK(table.targets.size() == num_records, Data,
           "there are " << table.targets.size() << " targets for " << num_records << " records; pass one for each");
  check_names(table.attributes, {});
  const std::string problem = table.target.empty() ? "" : name_problem(table.target);
  FW_CHECK(problem.empty(), Data, "the name of the target " << problem << "; rename its column");
  const double largest_mean = std::numeric_limits<double>::max() / num_trees;  // whose sum over trees is finite
  for (std::size_t i = 0; i < num_records; ++i) {
    FW_CHECK(std::isfinite(table.targets[i]), Data,
             "record " << i + 1 << " of " << num_records << " has the target " << table.targets[i]
                       << "; training needs a finite number for each record, correct it or leave the record out");
    FW_CHECK(std::fabs(table.targets[i]) <= largest_mean, Data,
             "record " << i + 1 << " of " << num_records << " has the target " << table.targets[i] << ", of which "
                       << num_trees << " trees may have an infinite sum; divide the targets by a constant, such as "
                       << num_trees);
  }
}

/// Memory for ranks and for each thread; the table itself exists already.
void check_memory(const RecordTable& table, int num_threads) {
  const std::size_t available = platform::available_memory_bytes(), num_records = table.values.rows();
  const std::size_t needed = table.values.size() * sizeof(std::uint32_t) + table.targets.size() * sizeof(std::int64_t) +
                             static_cast<std::size_t>(num_threads) * num_records * (2 * sizeof(Sample) + 16);
  FW_CHECK(needed <= available, Resource,
           "training on " << num_records << " records of " << table.values.cols() << " attributes takes another "
                          << format_bytes(needed) << " and " << format_bytes(available)
                          << " are available; use fewer records or fewer " << named_option("threads"));
}

/// Counts the samples that reached their leaves and reports progress in steps of about 1/1000.
class Meter {
 public:
  Meter(const ProgressCallback& progress, std::size_t total) : progress_(progress), total_(total) {}
  void add(std::size_t samples) {
    const std::size_t step = total_ / 1000 + 1, before = done_.fetch_add(samples), now = before + samples;
    if (!progress_ || before / step == now / step) return;
    const std::lock_guard lock(mutex_);
    told_ = std::max(told_, now);
    progress_(told_, total_);
  }

 private:
  const ProgressCallback& progress_;
  const std::size_t total_;
  std::atomic<std::size_t> done_ = 0;
  std::size_t told_ = 0;
  std::mutex mutex_;
};

/// Checks the memory for the leaves of all trees, before they exceed the budget.
class LeafMemory {
 public:
  /// @param budget_bytes  0: no limit.
  LeafMemory(const RecordForest& forest, std::size_t budget_bytes)
      : what_(forest.has_classes() ? std::to_string(forest.classes.size()) + " classes" : "a target"),
        leaf_bytes_(forest.has_classes() ? forest.classes.size() * sizeof(std::int32_t) : sizeof(double)),
        budget_(budget_bytes > 0 ? budget_bytes : SIZE_MAX) {}

  void add_leaf() {
    constexpr std::size_t kCopies = 2;
    FW_CHECK(budget_.take(kCopies * leaf_bytes_), Resource,
             "values of " << what_ << " in " << budget_.taken_bytes() / kCopies / leaf_bytes_ + 1
                          << " leaves, and there are more, take over " << format_bytes(budget_.limit_bytes())
                          << "; use a larger " << named_option("memory-budget") << ", fewer " << named_option("trees")
                          << ", " << named_option("max-leaves") << " or " << named_option("max-depth"));
  }

 private:
  const std::string what_;
  const std::size_t leaf_bytes_;
  MemoryBudget budget_;
};

template <typename T>
std::uint64_t checksum_of(const std::vector<T>& values) {
  return checksum(values.data(), values.size() * sizeof(T));
}

RecordForest empty_forest(const RecordTable& table, const RecordTrainOptions& options) {
  RecordForest forest;
  forest.attributes = table.attributes;
  if (options.predicts_targets()) {
    forest.targets = {table.target.empty() ? "target" : table.target};
    forest.link = Link::kIdentity;
    forest.float_sums = FloatSums{.base = {0}, .divisor = static_cast<double>(options.trees)};
  } else {
    forest.classes = table.classes;
    forest.base.assign(table.classes.size(), 0);
    forest.fraction_bits = fraction_bits_of(options.trees);
  }
  forest.trees.resize(static_cast<std::size_t>(options.trees));
  forest.options_json = to_json(options);
  std::vector<std::uint64_t> parts = {
      checksum(table.values.data(), table.values.size() * sizeof(float)),
      options.predicts_targets() ? checksum_of(table.targets) : checksum_of(table.labels)};
  if (!table.weights.empty()) parts.push_back(checksum_of(table.weights));
  forest.provenance_json = json_text(nlohmann::json{
      {"records", table.values.rows()}, {"attributes", table.values.cols()}, {"checksum", to_hex(checksum_of(parts))}});
  return forest;
}

/// Arguments of growing other than the statistics of samples.
struct Growth {
  const RecordTable& table;
  const RecordWeights& weights;
  const RecordTrainOptions& options;
  ThreadPool& pool;
  const std::function<void(std::size_t)>& finished;
};

template <typename Statistics>
void grow_trees(const Growth& growth, const Statistics& statistics, RecordForest& forest, OutOfBag& out_of_bag) {
  const RecordTrainOptions& options = growth.options;
  const RankedValues ranks = rank_values(growth.table.view(), growth.pool);
  std::vector<SplitSearch<Statistics>> searches(static_cast<std::size_t>(growth.pool.num_threads()));
  // Limits count records, so that without bootstrap a record of less weight is still one.
  const std::int64_t unit = options.draws_records() ? 1 : growth.weights.unit();
  const GrowingPlan<Statistics> plan{.options = options,
                                     .table = ranks,
                                     .statistics = statistics,
                                     .attributes_per_split = tried_attributes(options, growth.table.values.cols()),
                                     .min_weight = (options.min_samples - 2) * unit + 2,
                                     .min_leaf_weight = (options.min_leaf_samples - 1) * unit + 1,
                                     .pool = growth.pool,
                                     .shares_nodes = options.trees < growth.pool.num_threads(),
                                     .searches = searches,
                                     .finished = growth.finished};
  growth.pool.for_each(forest.trees.size(), [&](std::size_t t, int worker) {
    std::vector<Sample> samples = draw_samples(growth.table, growth.weights, options, static_cast<std::uint32_t>(t));
    out_of_bag.note(t, samples);
    forest.trees[t] = grow_record_tree(plan, static_cast<std::uint32_t>(t), worker, samples);
  });
}

/// Weights up to which the terms of entropy are stored, if there are not more records.
constexpr std::size_t kMostTerms = std::size_t{1} << 20;

void grow_by_task(const Growth& growth, RecordForest& forest, OutOfBag& out_of_bag) {
  const std::size_t num_classes = forest.classes.size(), num_records = growth.table.values.rows();
  if (growth.options.predicts_targets())
    grow_trees(growth, TargetStatistics(growth.table.targets, growth.weights.total()), forest, out_of_bag);
  else if (growth.options.criterion == Criterion::kGini)
    grow_trees(growth, ClassStatistics(num_classes, forest.fraction_bits, GiniTerms{}), forest, out_of_bag);
  else
    grow_trees(
        growth,
        ClassStatistics(num_classes, forest.fraction_bits,
                        EntropyTerms(std::min<std::size_t>(growth.weights.total(), std::max(num_records, kMostTerms)))),
        forest, out_of_bag);
}

}  // namespace

std::size_t tried_attributes(const RecordTrainOptions& options, std::size_t num_attributes) {
  if (options.attributes_per_split > 0)
    return std::min(static_cast<std::size_t>(options.attributes_per_split), num_attributes);
  if (options.trees == 1) return num_attributes;
  if (options.predicts_targets()) return std::max<std::size_t>(1, num_attributes / 3);
  std::size_t root = 1;
  while ((root + 1) * (root + 1) <= num_attributes) ++root;
  return root;
}

std::vector<Sample> draw_samples(const RecordTable& table, const RecordWeights& weights,
                                 const RecordTrainOptions& options, std::uint32_t tree) {
  const auto num_records = static_cast<std::uint32_t>(table.values.rows());
  std::vector<std::uint32_t> counts(num_records);
  for (std::uint32_t i = 0; !options.draws_records() && i < num_records; ++i) counts[i] = weights[i];
  const std::uint32_t num_draws = options.draws_records() ? weights.num_draws() : 0;
  for (std::uint32_t i = 0; i < num_draws; i += 4) {
    const Draw drawn = draw(options.seed, RngStream::kBootstrap, tree, 0, i / 4);
    for (std::uint32_t k = 0; k < std::min(4u, num_draws - i); ++k)
      ++counts[weights.record_at(drawn.below(static_cast<int>(k), weights.total()))];
  }
  std::vector<Sample> samples;
  samples.reserve(num_records);
  for (std::uint32_t i = 0; i < num_records; ++i)
    for (std::uint32_t left = counts[i], part = 0; left > 0; left -= part) {
      part = std::min(left, std::uint32_t{UINT16_MAX});
      samples.push_back({i, table.labels.empty() ? std::uint16_t{0} : static_cast<std::uint16_t>(table.labels[i]),
                         static_cast<std::uint16_t>(part)});
    }
  return samples;
}

std::string to_string(Task task) {
  constexpr std::array kNames = {"auto", "classification", "regression"};
  return kNames[static_cast<std::size_t>(task)];
}

std::string to_string(Criterion criterion) { return criterion == Criterion::kGini ? "gini" : "entropy"; }

RecordForest train_records(const RecordTable& table, const RecordTrainOptions& options, ThreadPool& pool,
                           const ProgressCallback& progress, RecordTrainReport* report,
                           std::size_t memory_budget_bytes) {
  const DefaultFloats floats;
  const double start_s = seconds_now();
  options.check();
  check_table(table);
  options.predicts_targets() ? check_targets(table, options.trees) : check_labels(table);
  check_memory(table, pool.num_threads());
  const RecordWeights weights(table);
  RecordForest forest = empty_forest(table, options);
  Meter meter(progress, (options.draws_records() ? weights.num_draws() : weights.total()) * forest.trees.size());
  LeafMemory leaves(forest, memory_budget_bytes);
  const std::function<void(std::size_t)> finished = [&](std::size_t samples) {
    leaves.add_leaf();
    meter.add(samples);
  };
  OutOfBag out_of_bag(report != nullptr && options.draws_records(), forest.trees.size(), table.values.rows());
  grow_by_task({table, weights, options, pool, finished}, forest, out_of_bag);
  if (!report) return forest;
  report->seconds = seconds_now() - start_s;
  report->out_of_bag = out_of_bag.score(forest, table, pool);
  add_warnings(report->warnings, "index", index_notes(table));
  return forest;
}

}  // namespace fernwood::records
