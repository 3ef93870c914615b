// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/record_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/draw.h"
#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "fernwood/records/evaluator.h"
#include "records/grow/first_trees.h"
#include "records/grow/grow_record_tree.h"

namespace fernwood::search {

using records::RecordForest, records::RecordTable, records::RecordTrainOptions;

namespace {

constexpr std::size_t kMinRecordFolds = 3, kMinOfARecordFold = 5;
/// Records that a thread evaluates at a time.
constexpr std::size_t kEvaluatedAtATime = 512;
/// The fastest pass determines the time to classify: other programs may use the machine, too.
constexpr int kTimedPasses = 3;
/// Part of the fingerprint: to be increased when the results of a configuration change.
constexpr int kRecordFormulas = 1;

/// The parameters that depend on the data.
Parameter custom_parameter(std::string_view option, const RecordTrainOptions& base, std::size_t num_attributes) {
  if (option == "bootstrap")
    return choice_parameter("bootstrap", {"true", "false"}, base.draws_records() ? "true" : "false");
  FW_CHECK(option == "attributes-per-split", Usage, option << " has no parameter; add one here");
  const auto standard = static_cast<int>(records::tried_attributes(base, num_attributes));
  return integer_parameter("attributes_per_split", 1, static_cast<int>(num_attributes), standard, true);
}

/// Records sorted by class, each class in an order drawn from the seed.
std::vector<std::size_t> shuffled_by_class(const RecordTable& table, std::uint64_t seed) {
  std::vector<std::size_t> order(table.labels.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::vector<std::uint32_t> keys(order.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = draw(seed, RngStream::kFrames, (1u << 24) - 2, 2, static_cast<std::uint32_t>(i)).word[0];
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::tuple(table.labels[i], keys[i], i); });
  return order;
}

std::size_t num_classes_seen(const RecordTable& table) {
  std::vector<bool> seen(table.classes.size());
  for (const std::int32_t label : table.labels) seen[static_cast<std::size_t>(label)] = true;
  return static_cast<std::size_t>(std::ranges::count(seen, true));
}

}  // namespace

Space record_space(const RecordTrainOptions& base, std::size_t num_attributes) {
  return space_of(RecordTrainOptions::table(), base, [&](const Option<RecordTrainOptions>& row) {
    return custom_parameter(row.name, base, num_attributes);
  });
}

std::size_t RecordCut::num_held_out() const { return static_cast<std::size_t>(std::ranges::count(fold_of, kHeldOut)); }

RecordCut cut_records(const RecordTable& table, std::size_t num_folds, double held_out, std::uint64_t seed,
                      const std::string& data) {
  const std::size_t num_records = table.labels.size();
  FW_CHECK(num_classes_seen(table) >= 2, Data,
           data << ": all " << num_records << " records are of one class, "
                << (num_records > 0 ? table.classes[static_cast<std::size_t>(table.labels[0])] : "none")
                << "; a search needs records of two classes or more");
  const auto num_held_out = static_cast<std::size_t>(held_out * static_cast<double>(num_records));
  const std::size_t num_raced = num_records - num_held_out;
  FW_CHECK(num_raced >= kMinRecordFolds * kMinOfARecordFold && (num_held_out > 0 || held_out == 0), Data,
           data << ": of " << num_records << " records " << num_held_out << " are held out and " << num_raced
                << " race; a search needs 1 and " << kMinRecordFolds * kMinOfARecordFold
                << " or more: use more records, or another " << named_option("held-out"));
  RecordCut cut;
  cut.num_folds = static_cast<int>(std::min(num_folds, num_raced / kMinOfARecordFold));
  cut.fold_of.resize(num_records);
  int next = 0;
  const std::vector<std::size_t> order = shuffled_by_class(table, seed);
  for (std::size_t i = 0; i < order.size(); ++i) {
    // Distributed as evenly as whole numbers allow, so that each class contributes its share.
    const bool held = (i + 1) * num_held_out / num_records > i * num_held_out / num_records;
    cut.fold_of[order[i]] = held ? RecordCut::kHeldOut : next++ % cut.num_folds;
  }
  return cut;
}

RecordTable records_where(const RecordTable& table, const RecordCut& cut, const std::function<bool(int fold)>& wanted) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < cut.fold_of.size(); ++i)
    if (wanted(cut.fold_of[i])) rows.push_back(i);
  RecordTable part;
  part.attributes = table.attributes;
  part.classes = table.classes;
  part.values = Array2<float>(rows.size(), table.values.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(table.values.row(rows[i]), table.values.cols(), part.values.row(i));
    part.labels.push_back(table.labels[rows[i]]);
  }
  return part;
}

Accuracy accuracy_of_records(const RecordForest& forest, const RecordTable& table, ThreadPool& pool) {
  const std::size_t num_records = table.labels.size(), num_classes = forest.classes.size();
  std::vector<std::uint64_t> right(num_classes, 0), all(num_classes, 0);
  std::mutex mutex;
  pool.for_each((num_records + kEvaluatedAtATime - 1) / kEvaluatedAtATime, [&](std::size_t part, int) {
    const std::size_t begin = part * kEvaluatedAtATime, end = std::min(begin + kEvaluatedAtATime, num_records);
    std::vector<std::int32_t> sums(forest.num_outputs());
    std::vector<bool> is_right;
    for (std::size_t i = begin; i < end; ++i) {
      records::sum_trees(forest, table.values.row(i), sums.data());
      is_right.push_back(records::choose_class(forest.link, sums.data(), sums.size()) == table.labels[i]);
    }
    const std::lock_guard lock(mutex);
    for (std::size_t i = begin; i < end; ++i) {
      const auto label = static_cast<std::size_t>(table.labels[i]);
      ++all[label];
      right[label] += is_right[i - begin];
    }
  });
  return fernwood::accuracy_of(right, all);
}

RecordForest grow_records(const RecordTable& table, const RecordTrainOptions& options, ThreadPool& pool,
                          const std::stop_token& stop, records::RecordTrainReport* report) {
  const auto look = [&](std::size_t, std::size_t) {
    FW_CHECK(!stop.stop_requested(), Interrupted, "the search was interrupted");
  };
  return records::train_records(table, options, pool, look, report);
}

double classifying_us(const RecordForest& forest, const RecordTable& table, int threads) {
  const auto evaluator =
      records::make_record_evaluator(forest, {.device = "cpu", .threads = threads, .remember = false});
  std::vector<std::int32_t> classes(table.labels.size());
  evaluator->classify(table.view(), classes.data());  // warm-up: chooses its strategy
  double least_s = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTimedPasses; ++i) {
    const double start_s = seconds_now();
    evaluator->classify(table.view(), classes.data());
    least_s = std::min(least_s, seconds_now() - start_s);
  }
  return 1e6 * least_s / static_cast<double>(classes.size());
}

RecordProblem::RecordProblem(const RecordTable& table, const RecordCut& cut, Space space,
                             const RecordSearchOptions& options, ThreadPool& pool, std::stop_token stop)
    : table_(table), cut_(cut), space_(std::move(space)), options_(options), pool_(pool), stop_(std::move(stop)) {}

std::string RecordProblem::fingerprint() const {
  const RecordTable& t = table_;
  const nlohmann::json all = {{"formulas", kRecordFormulas},
                              {"values", to_hex(checksum(t.values.data(), t.values.size() * sizeof(float)))},
                              {"labels", to_hex(checksum(t.labels.data(), t.labels.size() * sizeof(std::int32_t)))},
                              {"attributes", t.attributes},
                              {"classes", t.classes},
                              {"train", nlohmann::json::parse(to_json(options_.train))},
                              {"objective", to_string(options_.objective)},
                              {"folds", cut_.fold_of}};
  const std::string text = json_text(all);
  return to_hex(checksum(text.data(), text.size()));
}

std::vector<Configuration> RecordProblem::variants(const Configuration& trial) const {
  std::vector<Configuration> all = {trial};
  const int trees = apply_configuration(trial, options_.train).trees;
  for (const int fewer : {trees / 2, trees / 4}) {
    Configuration variant = trial;
    variant["trees"] = std::to_string(fewer);
    if (fewer >= 1 && space_.has(variant)) all.push_back(std::move(variant));
  }
  return all;
}

EvaluationResult RecordProblem::measure(const Configuration& trial, const std::vector<Configuration>& variants,
                                        std::size_t fold, bool timed) {
  const auto left_out = static_cast<int>(fold);
  const RecordTable seen =
      records_where(table_, cut_, [&](int of) { return of != RecordCut::kHeldOut && of != left_out; });
  const RecordTable unseen = records_where(table_, cut_, [&](int of) { return of == left_out; });
  const RecordTrainOptions options = apply_configuration(trial, options_.train);
  EvaluationResult result;
  const double start_s = seconds_now();
  const RecordForest forest = grow_records(seen, options, pool_, stop_, nullptr);
  result.train_seconds = seconds_now() - start_s;
  for (const Configuration& variant : variants) {
    const int trees = apply_configuration(variant, options_.train).trees;
    const RecordForest first =
        trees == options.trees ? RecordForest() : first_trees(forest, seen, options, trees, pool_);
    const RecordForest& evaluated = trees == options.trees ? forest : first;
    const Accuracy accuracy = accuracy_of_records(evaluated, unseen, pool_);
    result.results.push_back({loss_of(accuracy, options_.objective), accuracy.pixel, accuracy.class_average});
    if (timed && options_.record_us > 0)
      result.latency_ms.push_back(classifying_us(evaluated, seen, options_.threads) / kMicrosecondsOfAMillisecond);
  }
  return result;
}

std::string RecordProblem::time_text(double record_ms) const {
  return format_text("a record takes %.3g us", kMicrosecondsOfAMillisecond * record_ms);
}

}  // namespace fernwood::search
