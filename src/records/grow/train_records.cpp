// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/train_records.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/draw.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "records/grow/grow_record_tree.h"

namespace fernwood::records {

namespace {

/// Records whose sums stay in a processor's cache while tree after tree comes by; fewer of many classes.
constexpr std::size_t kOutOfBagBlock = 1024, kMostSums = std::size_t{1} << 22;

/// Which records each tree has seen, and how well the others are classified by it (Breiman, Random Forests, 3.1).
class OutOfBag {
 public:
  /// @param wanted  Else nothing is kept.
  OutOfBag(bool wanted, std::size_t num_trees, std::size_t num_records);
  /// May be called for several trees at a time.
  void note(std::size_t tree, std::span<const Sample> samples);
  /// Share of the records that some tree has not seen and that these trees together classify right; empty when there is
  /// no such record.
  std::optional<double> accuracy(const RecordForest& forest, const RecordTable& table, ThreadPool& pool) const;

 private:
  std::vector<std::vector<bool>> seen_;  ///< [tree][record]; empty unless wanted.
};

OutOfBag::OutOfBag(bool wanted, std::size_t num_trees, std::size_t num_records)
    : seen_(wanted ? num_trees : 0, std::vector<bool>(num_records)) {}

void OutOfBag::note(std::size_t tree, std::span<const Sample> samples) {
  if (seen_.empty()) return;
  for (const Sample& sample : samples) seen_[tree][sample.record] = true;
}

std::optional<double> OutOfBag::accuracy(const RecordForest& forest, const RecordTable& table, ThreadPool& pool) const {
  if (seen_.empty()) return {};
  const std::size_t num_records = table.values.rows(), num_classes = forest.classes.size();
  const std::size_t block_size = std::clamp<std::size_t>(kMostSums / num_classes, 1, kOutOfBagBlock);
  std::atomic<std::size_t> num_right = 0, num_asked = 0;
  pool.for_each((num_records + block_size - 1) / block_size, [&](std::size_t block, int) {
    const std::size_t begin = block * block_size, end = std::min(begin + block_size, num_records);
    Array2<std::int32_t> sums(end - begin, num_classes);
    std::vector<bool> asked(end - begin);
    for (std::size_t t = 0; t < seen_.size(); ++t)
      for (std::size_t i = begin; i < end; ++i) {
        if (seen_[t][i]) continue;
        const RecordTree& tree = forest.trees[t];
        const float* const record = table.values.row(i);
        const auto leaf = static_cast<std::size_t>(
            find_leaf_of(tree.nodes, [&](std::uint16_t attribute) { return record[attribute]; }));
        for (std::size_t c = 0; c < num_classes; ++c) sums(i - begin, c) += tree.leaf_values(leaf, c);
        asked[i - begin] = true;
      }
    for (std::size_t i = begin; i < end; ++i) {
      if (!asked[i - begin]) continue;
      ++num_asked;
      num_right += choose_class(forest.link, sums.row(i - begin), num_classes) == table.labels[i];
    }
  });
  if (num_asked == 0) return {};
  return static_cast<double>(num_right) / static_cast<double>(num_asked);
}

void check_table(const RecordTable& table) {
  const std::size_t num_records = table.values.rows(), num_attributes = table.values.cols();
  FW_CHECK(num_records > 0 && num_attributes > 0, Data,
           "there are " << num_records << " records of " << num_attributes
                        << " attributes; training needs at least one of each");
  FW_CHECK(num_records <= INT32_MAX && num_attributes <= kMostAttributes && table.classes.size() <= kMostClasses, Data,
           "there are " << num_records << " records of " << num_attributes << " attributes and " << table.classes.size()
                        << " classes; at most " << INT32_MAX << ", " << kMostAttributes << " and " << kMostClasses
                        << " are possible");
  FW_CHECK(table.labels.size() == num_records && table.attributes.size() == num_attributes, Data,
           "there are " << table.labels.size() << " labels for " << num_records << " records and "
                        << table.attributes.size() << " names for " << num_attributes
                        << " attributes; give one for each");
  check_names(table.attributes, table.classes);
  const auto num_classes = static_cast<std::int32_t>(table.classes.size());
  for (std::size_t i = 0; i < num_records; ++i)
    FW_CHECK(table.labels[i] >= 0 && table.labels[i] < num_classes, Data,
             "record " << i + 1 << " of " << num_records
                       << " has no class; training needs one for each record, fill it "
                       << "in or leave the record out");
}

/// Ranks and what each thread needs; the table itself is there already.
void check_memory(const RecordTable& table, int num_threads) {
  const std::size_t available = platform::available_memory_bytes(), num_records = table.values.rows();
  const std::size_t needed = table.values.size() * sizeof(std::uint32_t) +
                             static_cast<std::size_t>(num_threads) * num_records * (2 * sizeof(Sample) + 16);
  FW_CHECK(available == 0 || needed <= available, Resource,
           "training on " << num_records << " records of " << table.values.cols() << " attributes takes another "
                          << format_bytes(needed) << " and " << format_bytes(available)
                          << " are available; give fewer records or fewer --threads");
}

/// Adds up samples that reached their leaf and passes on what is worth telling.
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

/// What the leaves of all trees take, before it is too much.
class LeafMemory {
 public:
  /// @param budget_bytes  0: no bound.
  LeafMemory(std::size_t num_classes, std::size_t budget_bytes)
      : num_classes_(num_classes),
        budget_bytes_(budget_bytes),
        most_leaves_(budget_bytes > 0 ? budget_bytes / kCopies / (num_classes * sizeof(std::int32_t)) : SIZE_MAX) {}

  void add_leaf() {
    const std::size_t num_leaves = ++num_leaves_;
    FW_CHECK(num_leaves <= most_leaves_, Resource,
             "values of " << num_classes_ << " classes in " << num_leaves << " leaves, and there are more, take over "
                          << format_bytes(budget_bytes_)
                          << "; give a larger --memory-budget, fewer --trees, --max-leaves or --max-depth");
  }

 private:
  static constexpr std::size_t kCopies = 2;

  const std::size_t num_classes_, budget_bytes_, most_leaves_;
  std::atomic<std::size_t> num_leaves_ = 0;
};

RecordForest empty_forest(const RecordTable& table, const RecordTrainOptions& options) {
  RecordForest forest;
  forest.classes = table.classes;
  forest.attributes = table.attributes;
  forest.base.assign(table.classes.size(), 0);
  forest.fraction_bits = fraction_bits_of(options.trees);
  forest.trees.resize(static_cast<std::size_t>(options.trees));
  forest.options_json = to_json(options);
  const std::uint64_t of_values = checksum(table.values.data(), table.values.size() * sizeof(float));
  const std::uint64_t of_labels = checksum(table.labels.data(), table.labels.size() * sizeof(std::int32_t));
  const std::uint64_t both[] = {of_values, of_labels};
  forest.provenance_json = nlohmann::json{{"records", table.values.rows()},
                                          {"attributes", table.values.cols()},
                                          {"checksum", to_hex(checksum(both, sizeof(both)))}}
                               .dump();
  return forest;
}

template <typename Terms>
void grow_trees(const RecordTable& table, const Terms& terms, const GrowingPlan& plan, RecordForest& forest,
                OutOfBag& out_of_bag) {
  plan.pool.for_each(forest.trees.size(), [&](std::size_t t, int worker) {
    std::vector<Sample> samples = draw_samples(table, plan.options, static_cast<std::uint32_t>(t));
    out_of_bag.note(t, samples);
    forest.trees[t] = grow_record_tree(plan, terms, static_cast<std::uint32_t>(t), worker, samples);
  });
}

}  // namespace

std::size_t tried_attributes(const RecordTrainOptions& options, std::size_t num_attributes) {
  if (options.attributes_per_split > 0)
    return std::min(static_cast<std::size_t>(options.attributes_per_split), num_attributes);
  if (options.trees == 1) return num_attributes;
  std::size_t root = 1;
  while ((root + 1) * (root + 1) <= num_attributes) ++root;
  return root;
}

std::vector<Sample> draw_samples(const RecordTable& table, const RecordTrainOptions& options, std::uint32_t tree) {
  const auto num_records = static_cast<std::uint32_t>(table.values.rows());
  std::vector<std::uint16_t> weights(num_records, options.draws_records() ? 0 : 1);
  for (std::uint32_t i = 0; options.draws_records() && i < num_records; i += 4) {
    const Draw drawn = draw(options.seed, RngStream::kBootstrap, tree, 0, i / 4);
    for (std::uint32_t k = 0; k < std::min(4u, num_records - i); ++k)
      ++weights[drawn.below(static_cast<int>(k), num_records)];
  }
  std::vector<Sample> samples;
  samples.reserve(num_records);
  for (std::uint32_t i = 0; i < num_records; ++i)
    if (weights[i] > 0) samples.push_back({i, static_cast<std::uint16_t>(table.labels[i]), weights[i]});
  return samples;
}

std::string to_string(Criterion criterion) { return criterion == Criterion::kGini ? "gini" : "entropy"; }

RecordForest train_records(const RecordTable& table, const RecordTrainOptions& options, ThreadPool& pool,
                           const ProgressCallback& progress, RecordTrainReport* report,
                           std::size_t memory_budget_bytes) {
  const DefaultFloats floats;
  const double start_s = seconds_now();
  options.check();
  check_table(table);
  check_memory(table, pool.num_threads());
  RecordForest forest = empty_forest(table, options);
  const RankedValues ranks = rank_values(table.view(), pool);
  Meter meter(progress, table.values.rows() * forest.trees.size());
  std::vector<SplitSearch> searches(static_cast<std::size_t>(pool.num_threads()));
  LeafMemory leaves(table.classes.size(), memory_budget_bytes);
  const std::function<void(std::size_t)> finished = [&](std::size_t samples) {
    leaves.add_leaf();
    meter.add(samples);
  };
  const GrowingPlan plan{options,
                         ranks,
                         table.classes.size(),
                         tried_attributes(options, table.values.cols()),
                         forest.fraction_bits,
                         pool,
                         options.trees < pool.num_threads(),
                         searches,
                         finished};
  OutOfBag out_of_bag(report != nullptr && options.draws_records(), forest.trees.size(), table.values.rows());
  if (options.criterion == Criterion::kGini)
    grow_trees(table, GiniTerms{}, plan, forest, out_of_bag);
  else
    grow_trees(table, EntropyTerms(table.values.rows()), plan, forest, out_of_bag);
  if (!report) return forest;
  report->seconds = seconds_now() - start_s;
  report->out_of_bag = out_of_bag.accuracy(forest, table, pool);
  return forest;
}

}  // namespace fernwood::records
