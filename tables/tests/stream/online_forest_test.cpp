// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/online/online_forest.h"

#include <gtest/gtest.h>

#include "fernwood/core/error.h"
#include "sentences.h"
#include "stream/drifting_records.h"
#include "stream/stream_runs.h"

namespace fernwood::stream {
namespace {

StreamOptions forest_options(int trees = 5) {
  StreamOptions options = StreamOptions::for_schedule(Schedule::kForest);
  options.trees = trees;
  return options;
}

struct GrownForest {
  records::RecordForest forest;
  StreamReport report;
};
GrownForest grow_forest(const records::RecordTable& table, const StreamOptions& options, int threads = 1) {
  GrownForest grown;
  RowsSource source(table);
  ThreadPool pool(threads);
  const auto alone = make_lone_communicator();
  grown.forest = train_stream(&source, options, {}, pool, *alone, {}, &grown.report);
  records::check_records(grown.forest, "forest");
  return grown;
}

double forest_accuracy(const records::RecordForest& forest, const records::RecordTable& table) {
  std::size_t num_right = 0;
  for (std::size_t i = 0; i < table.values.rows(); ++i)
    num_right += records::classify_record(forest, table.values.row(i)) == table.labels[i];
  return static_cast<double>(num_right) / static_cast<double>(table.values.rows());
}

class OnlineForestOf : public testing::TestWithParam<Subspace> {
 protected:
  StreamOptions options() const {
    StreamOptions options = forest_options();
    options.subspace = GetParam();
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(EverySubspace, OnlineForestOf, testing::ValuesIn(kSubspaces),
                         [](const auto& info) { return to_string(info.param); });

TEST_P(OnlineForestOf, IsTheSameForAnyThreadsAndProcesses) {
  const records::RecordTable table = drifting_records(1, 5000, 2500, Drift::kEverywhere);
  const records::RecordForest expected = grow_forest(table, options()).forest;
  for (const int threads : {2, 16}) EXPECT_EQ(grow_forest(table, options(), threads).forest, expected) << threads;
  for (const int ranks : {2, 3, 7})  // with 7, two ranks have no tree
    for (const records::RecordForest& forest : forests_of(table, options(), {.ranks = ranks, .threads = 2}))
      EXPECT_EQ(forest, expected) << ranks;
}

TEST_P(OnlineForestOf, LearnsAndTestsWhatItHasNotLearnt) {
  const GrownForest grown = grow_forest(drifting_records(1, 8000, 8000, Drift::kNone), options());
  EXPECT_GT(forest_accuracy(grown.forest, drifting_records(2, 2000, 2000, Drift::kNone)), 0.88);  // a tenth is noise
  EXPECT_GT(grown.report.prequential.accuracy(), 0.86);
  EXPECT_LT(grown.report.prequential.accuracy(), 0.91);  // it would be higher for records that were learnt before
  EXPECT_EQ(grown.report.prequential.records, 7999u);
}

TEST_P(OnlineForestOf, BeginsTreesAnewAfterAChange) {
  const records::RecordTable table = drifting_records(1, 8000, 4000, Drift::kEverywhere);
  StreamOptions blind = options();
  blind.drift_delta = blind.warning_delta = 1e-300;
  const GrownForest grown = grow_forest(table, options()), never = grow_forest(table, blind);
  EXPECT_GE(grown.report.drift.replaced, 4u);  // each tree that counts attribute 0
  EXPECT_EQ(never.report.drift.replaced, 0u);
  EXPECT_GT(grown.report.prequential.recent_accuracy(), never.report.prequential.recent_accuracy() + 0.05);
}

TEST(OnlineForest, ItsModelClassifiesAsItsTreesVoteTogether) {
  // The last record is tested by the trees of all before it, and so by the model of these.
  const records::RecordTable table = drifting_records(3, 1200, 600, Drift::kInAPart);
  for (const LeafPrediction prediction : kLeafPredictions) {
    StreamOptions options = forest_options();
    options.leaf_prediction = prediction;
    std::size_t differ = 0;
    std::uint64_t right_before = 0;
    for (std::size_t count = 1000; count < 1200; count += 20) {
      records::RecordTable part = {table.attributes, table.classes, Array2<float>(count + 1, 3), {}};
      std::copy_n(table.values.data(), 3 * (count + 1), part.values.data());
      part.labels.assign(table.labels.begin(), table.labels.begin() + static_cast<std::ptrdiff_t>(count + 1));
      StreamReport with, without;
      RowsSource source(part);
      ThreadPool pool(1);
      const auto alone = make_lone_communicator();
      train_stream(&source, options, {}, pool, *alone, {}, &with);
      part.labels.pop_back();
      part.values = Array2<float>(count, 3);
      std::copy_n(table.values.data(), 3 * count, part.values.data());
      RowsSource before(part);
      const records::RecordForest model = train_stream(&before, options, {}, pool, *alone, {}, &without);
      const bool was_right = with.prequential.right > without.prequential.right;
      differ += was_right != (records::classify_record(model, table.values.row(count)) == table.labels[count]);
      right_before += was_right;
    }
    EXPECT_EQ(differ, 0u) << to_string(prediction);
    EXPECT_GT(right_before, 0u);
  }
}

TEST(OnlineForest, SaysWhichAttributesDecide) {
  const std::vector<double> shares =
      grow_forest(drifting_records(1, 8000, 8000, Drift::kNone), forest_options()).report.importances;
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_GT(shares[0], 0.45);  // only attribute 0 matters; splits of noise have small gains
  EXPECT_NEAR(shares[0] + shares[1] + shares[2], 1, 1e-9);
}

TEST(OnlineForest, OtherSeedsGiveOtherForests) {
  const records::RecordTable table = drifting_records(1, 2000, 2000, Drift::kNone);
  StreamOptions other = forest_options();
  other.seed = 2;
  EXPECT_NE(grow_forest(table, other).forest.trees, grow_forest(table, forest_options()).forest.trees);
}

TEST(OnlineForest, PredictsNumbersAndAdaptsToTheirChange) {
  records::RecordTable table = drifting_records(1, 8000, 8000, Drift::kNone);
  table.labels.clear(), table.classes.clear();
  table.target = "y";
  for (std::size_t i = 0; i < 8000; ++i) {
    const bool high = table.values(i, 0) > 0.5f;
    table.targets.push_back(i < 4000 ? (high ? 10 : 0) : (high ? 0 : 10));
  }
  StreamOptions options = forest_options();
  options.task = records::Task::kRegression;
  const GrownForest grown = grow_forest(table, options);
  EXPECT_GE(grown.report.drift.replaced, 5u);
  const auto value_of = [&](float a) {
    const float record[] = {a, 0.3f, 0.3f};
    double sum = 0, value = 0;
    records::sum_values(grown.forest, record, &sum);
    records::predict_from_sums(grown.forest, &sum, &value);
    return value;
  };
  EXPECT_NEAR(value_of(0.2f), 10, 1.5);
  EXPECT_NEAR(value_of(0.8f), 0, 1.5);
  EXPECT_GT(grown.report.prequential.errors.r2.value_or(0), 0.5);
  for (const records::RecordForest& forest : forests_of(table, options, {.ranks = 2})) EXPECT_EQ(forest, grown.forest);
}

TEST(OnlineForest, RefusesOptionsThatItDoesNotHave) {
  const auto refused = [](const std::function<void(StreamOptions&)>& change) {
    StreamOptions options = forest_options();
    change(options);
    testdata::expect_refused(ErrorKind::kUsage, [&] { options.check(); });
  };
  refused([](StreamOptions& options) { options.prune = true; });
  refused([](StreamOptions& options) { options.max_leaves = 8; });
  refused([](StreamOptions& options) { options.min_gain = 0.1; });
  testdata::expect_refused(ErrorKind::kUsage, [] { StreamTrainer(forest_options(), {.device = "cuda"}); });
}

}  // namespace
}  // namespace fernwood::stream
