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

std::int32_t class_of(const records::RecordForest& forest, const float* values) {
  std::vector<std::int32_t> sums(forest.num_outputs());
  records::sum_trees(forest, values, sums.data());
  return records::choose_class(forest.link, sums.data(), sums.size());
}
std::int32_t class_of(StreamTrainer& trainer, const records::RecordTable& record) {
  const Array2<double> shares = trainer.predict(record.view());
  return static_cast<std::int32_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
}

using Case = std::tuple<Schedule, LeafPrediction, Drift>;
class TestThenTrainOf : public testing::TestWithParam<Case> {
 protected:
  static records::RecordTable table() {
    records::RecordTable table = drifting_records(3, 4000, 2000, std::get<Drift>(GetParam()));
    for (std::uint32_t i = 0; i < 4000; i += 17) table.values(i, i % 3) = __builtin_nanf("");
    return table;
  }
  static StreamOptions options() {
    StreamOptions options = quick_options(std::get<Schedule>(GetParam()));
    options.leaf_prediction = std::get<LeafPrediction>(GetParam());
    options.batch = 200;
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(
    EveryWay, TestThenTrainOf,
    testing::Values(Case(Schedule::kHoeffding, LeafPrediction::kMajority, Drift::kNone),
                    Case(Schedule::kHoeffding, LeafPrediction::kNaiveBayesAdaptive, Drift::kNone),
                    Case(Schedule::kAdaptive, LeafPrediction::kMajority, Drift::kEverywhere),
                    Case(Schedule::kAdaptive, LeafPrediction::kNaiveBayesAdaptive, Drift::kInAPart),
                    Case(Schedule::kAdaptive, LeafPrediction::kNaiveBayesAdaptive, Drift::kEverywhere)));

TEST_P(TestThenTrainOf, CountsWhatTheTreeBeforeEachRecordGetsRight) {
  const records::RecordTable all = table();
  StreamWork work{.workers = 2};
  work.accuracy_window = 1000;
  StreamTrainer trainer(options(), work);
  std::vector<std::uint64_t> right(1);  // [round]
  for (std::size_t i = 0; i < 4000; ++i) {
    const records::RecordTable record = rows_of(all, i, 1);
    const std::int32_t predicted = i == 0 ? -1 : class_of(trainer, record);
    if (i % 61 == 3) {
      ASSERT_EQ(predicted, class_of(trainer.tree(), record.values.row(0))) << i;
    }
    trainer.feed(record);
    trainer.grow();
    if (i >= 200 && i % 200 == 0) right.push_back(0);
    if (i >= 200) right.back() += predicted == record.labels[0];
    const Prequential now = trainer.prequential();
    ASSERT_EQ(now.records, i < 200 ? 0 : i - 199);
    ASSERT_EQ(now.right, std::accumulate(right.begin(), right.end(), std::uint64_t{0})) << i;
    if (i % 200 < 199 || i < 1200) continue;
    ASSERT_EQ(now.recent_records, 1000u);
    ASSERT_EQ(now.recent_right, std::accumulate(right.end() - 5, right.end(), std::uint64_t{0})) << i;
  }
  EXPECT_GT(trainer.prequential().accuracy(), 0.7);
}

TEST_P(TestThenTrainOf, PartsAndProcessesDoNotMatter) {
  const records::RecordTable all = table();
  StreamTrainer whole(options(), {.workers = 2}), parts(options(), {.workers = 1});
  whole.feed(all);
  whole.grow();
  for (std::size_t begin = 0, count = 1; begin < 4000; begin += count, count = count % 7 + 1) {
    count = std::min<std::size_t>(count, 4000 - begin);
    parts.feed(rows_of(all, begin, count));
    parts.grow();
  }
  EXPECT_EQ(parts.prequential(), whole.prequential());
  EXPECT_EQ(parts.tree(), whole.tree());
  EXPECT_EQ(forests_of(all, options(), {.ranks = 3})[2], whole.tree());
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
