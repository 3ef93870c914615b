// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/test_then_train.h"

#include <numeric>

#include "stream/drifting_records.h"
#include "stream/stream_runs.h"

namespace fernwood::stream {
namespace {

records::RecordTable rows_of(const records::RecordTable& table, std::size_t begin, std::size_t count) {
  records::RecordTable part{table.attributes, table.classes, Array2<float>(count, table.values.cols()), {}};
  std::copy_n(table.values.row(begin), part.values.size(), part.values.begin());
  for (std::size_t i = begin; i < begin + count; ++i) part.labels.push_back(table.labels[i]);
  return part;
}

std::uint64_t num_right(const records::RecordForest& forest, const records::RecordTable& table) {
  std::vector<std::int32_t> sums(forest.num_outputs());
  std::uint64_t right = 0;
  for (std::size_t i = 0; i < table.labels.size(); ++i) {
    records::sum_trees(forest, table.values.row(i), sums.data());
    right += records::choose_class(forest.link, sums.data(), sums.size()) == table.labels[i];
  }
  return right;
}

using Case = std::tuple<Schedule, LeafPrediction, Drift>;
class TestThenTrainOf : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    EveryWay, TestThenTrainOf,
    testing::Values(Case(Schedule::kHoeffding, LeafPrediction::kMajority, Drift::kNone),
                    Case(Schedule::kAdaptive, LeafPrediction::kMajority, Drift::kEverywhere),
                    Case(Schedule::kAdaptive, LeafPrediction::kNaiveBayesAdaptive, Drift::kInAPart),
                    Case(Schedule::kAdaptive, LeafPrediction::kNaiveBayesAdaptive, Drift::kEverywhere)));

TEST_P(TestThenTrainOf, CountsWhatTheModelBeforeEachRoundGetsRight) {
  const auto& [schedule, prediction, drift] = GetParam();
  records::RecordTable table = drifting_records(3, 8000, 4000, drift);
  for (std::uint32_t i = 0; i < 8000; i += 17) table.values(i, i % 3) = __builtin_nanf("");
  StreamOptions options = quick_options(schedule);
  options.leaf_prediction = prediction;
  options.batch = 200;
  StreamWork work{.workers = 2};
  work.accuracy_window = 1000;
  StreamTrainer trainer(options, work);
  std::vector<std::uint64_t> right;
  for (std::size_t begin = 0; begin < 8000; begin += 200) {
    const records::RecordTable round = rows_of(table, begin, 200);
    if (begin > 0) right.push_back(num_right(trainer.tree(), round));
    trainer.feed(round);
    trainer.grow();
    const Prequential now = trainer.prequential();
    ASSERT_EQ(now.records, begin);
    ASSERT_EQ(now.right, std::accumulate(right.begin(), right.end(), std::uint64_t{0})) << begin;
    const std::size_t rounds = std::min<std::size_t>(5, right.size());
    ASSERT_EQ(now.recent_records, 200 * rounds);
    ASSERT_EQ(now.recent_right,
              std::accumulate(right.end() - static_cast<std::ptrdiff_t>(rounds), right.end(), std::uint64_t{0}))
        << begin;
  }
  EXPECT_GT(trainer.prequential().accuracy(), schedule == Schedule::kHoeffding ? 0.7 : 0.8);
}

TEST(TestThenTrain, WhatOrderAlonePredictsIsToldAndWarnedOf) {
  records::RecordTable table = drifting_records(3, 4000, 0, Drift::kNone);
  for (std::size_t i = 0; i < 4000; ++i) table.labels[i] = table.values(i, 0) > 0.5f;
  const auto report_of = [](const records::RecordTable& records, Schedule schedule) {
    StreamOptions options = quick_options(schedule);
    if (schedule != Schedule::kFresh) options.batch = 200;
    StreamTrainer trainer(options, {.workers = 1});
    trainer.feed(records);
    trainer.grow();
    StreamReport report;
    trainer.tree({}, &report);
    return report;
  };
  records::RecordTable sorted = table;
  std::vector<std::size_t> order(4000);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return table.labels[i]; });
  std::uint64_t changes = 0;
  for (std::size_t i = 0; i < 4000; ++i) {
    std::copy_n(table.values.row(order[i]), table.values.cols(), sorted.values.row(i));
    sorted.labels[i] = table.labels[order[i]];
    changes += i > 0 && table.labels[i] != table.labels[i - 1];
  }
  for (const Schedule schedule : {Schedule::kFresh, Schedule::kHoeffding, Schedule::kAdaptive}) {
    EXPECT_TRUE(report_of(table, schedule).warnings.empty()) << to_string(schedule);
    const StreamReport report = report_of(sorted, schedule);
    ASSERT_EQ(report.warnings.size(), 1u) << to_string(schedule);
    EXPECT_EQ(report.warnings[0].id, "order");
    EXPECT_EQ(report.prequential.no_change, 1 - 1 / 3999.0) << to_string(schedule);
  }
  EXPECT_EQ(report_of(table, Schedule::kAdaptive).prequential.no_change, 1 - static_cast<double>(changes) / 3999);
  EXPECT_TRUE(report_of(sorted, Schedule::kPasses).warnings.empty());
}

TEST(TestThenTrain, InPassesNothingIsTested) {
  const records::RecordTable table = drifting_records(3, 1000, 0, Drift::kNone);
  StreamTrainer trainer(quick_options(Schedule::kPasses), {.workers = 1});
  trainer.feed(table);
  trainer.tree();
  EXPECT_EQ(trainer.prequential(), Prequential());
}

}  // namespace
}  // namespace fernwood::stream
