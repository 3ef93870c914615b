// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <unistd.h>

#include <cmath>
#include <limits>

#include "core/draw.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/records/train_records.h"
#include "fernwood/records/value_errors.h"
#include "sentences.h"
#include "stream/grow/tested_rounds.h"
#include "stream/sketches/leaf_statistics.h"
#include "stream/stream_runs.h"

namespace fernwood::stream {
namespace {

/// Records of uniform values in [0, 1), one in 50 of them unknown, without targets.
records::RecordTable without_targets(std::uint32_t series, std::size_t count, std::size_t num_attributes) {
  records::RecordTable table = noisy_records(series, count, num_attributes, 2);
  table.classes.clear(), table.labels.clear();
  table.target = "y";
  return table;
}

/// Friedman's function of five of ten attributes, plus noise with standard deviation 1 (Friedman, Multivariate adaptive
/// regression splines, 1991).
records::RecordTable friedman(std::uint32_t series, std::size_t count) {
  records::RecordTable table = without_targets(series, count, 10);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto x = [&](std::size_t a) { return is_nan(table.values(i, a)) ? 0.5 : double{table.values(i, a)}; };
    double uniform = -6;  // plus twelve uniform numbers: nearly normal
    for (const float value : noise_values(series + 50'000 + i, 12, 0, 1)) uniform += value;
    table.targets.push_back(10 * std::sin(3.14159265 * x(0) * x(1)) + 20 * (x(2) - 0.5) * (x(2) - 0.5) + 10 * x(3) +
                            5 * x(4) + uniform);
  }
  return table;
}

/// Records with the target 1 where attribute 1 exceeds 0.375, else -2.
records::RecordTable step(std::size_t count) {
  records::RecordTable table = without_targets(9, count, 3);
  for (std::size_t i = 0; i < count; ++i) table.targets.push_back(table.values(i, 1) > 0.375f ? 1 : -2);
  return table;
}

StreamOptions regression(Schedule schedule) {
  StreamOptions options = quick_options(schedule);
  options.task = records::Task::kRegression;
  options.leaf_prediction = LeafPrediction::kMajority;
  return options;
}

class StreamTargets : public testing::TestWithParam<Schedule> {};
INSTANTIATE_TEST_SUITE_P(EverySchedule, StreamTargets,
                         testing::Values(Schedule::kPasses, Schedule::kFresh, Schedule::kHoeffding),
                         [](const auto& info) { return to_string(info.param); });

TEST_P(StreamTargets, GrowTheSameTreeForAnyWorkersAndProcesses) {
  const records::RecordTable table = friedman(1, 5000);
  const StreamOptions options = regression(GetParam());
  const records::RecordForest expected = forest_of(table, options, {.parallel = Parallel::kSequential});
  records::check_records(expected, "forest");
  EXPECT_GE(expected.trees[0].num_leaves(), 4u);
  EXPECT_EQ(expected.targets, std::vector<std::string>{"y"});
  for (const Parallel parallel : kParallels)
    for (const int threads : {1, 2, 4})
      EXPECT_TRUE(forest_of(table, options, {.parallel = parallel, .threads = threads}) == expected)
          << to_string(parallel) << " by " << threads << " threads";
  for (const Parallel parallel : {Parallel::kData, Parallel::kFeature, Parallel::kDataFeature})
    for (const int ranks : {2, 4})
      for (const records::RecordForest& forest : forests_of(table, options, {.ranks = ranks, .parallel = parallel}))
        EXPECT_TRUE(forest == expected) << to_string(parallel) << " by " << ranks << " processes";
}

TEST_P(StreamTargets, GoOnFromACheckpointToTheSameTree) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("fernwood-targets-" + to_string(GetParam()) + std::to_string(::getpid()));
  const records::RecordTable table = friedman(2, 4000);
  const StreamOptions options = regression(GetParam());
  const records::RecordForest expected = forest_of(table, options);
  for (const int call : {2, 4}) {
    StreamRun run{.ranks = 2, .checkpoint = path};
    run.progress = stop_at(call);
    expect_thrown(ErrorKind::kInterrupted, [&] { forest_of(table, options, run); });
    EXPECT_TRUE(forest_of(table, options, {.threads = 2, .checkpoint = path, .resume = true}) == expected) << call;
  }
  std::filesystem::remove(path);
}

TEST_P(StreamTargets, ThatAreAStepOfAnAttributeAreFound) {
  const records::RecordTable table = step(4000);
  StreamOptions options = regression(GetParam());
  options.max_depth = 1, options.bins = 255;
  const records::RecordForest forest = forest_of(table, options);
  const records::RecordNode& root = forest.trees[0].nodes[0];
  ASSERT_FALSE(root.is_leaf());
  EXPECT_EQ(root.attribute, 1);
  EXPECT_NEAR(root.threshold, 0.375, 0.01);
  EXPECT_NEAR(forest.trees[0].float_values(0, 0), -2, 0.1);  // one of the sides also has the unknown values
  EXPECT_NEAR(forest.trees[0].float_values(1, 0), 1, 0.1);
}

TEST(StreamTarget, ErrorsAreThoseOfTheTreeBeforeEachRecord) {
  const records::RecordTable table = friedman(6, 4000);
  StreamOptions options = regression(Schedule::kHoeffding);
  options.batch = 200, options.target_range = "-10:40";
  StreamWork work{.workers = 2};
  work.accuracy_window = 1000;
  StreamTrainer trainer(options, work);
  records::ValueErrors all, recent;
  for (std::size_t begin = 0; begin < 4000; begin += 200) {
    records::RecordTable round = {table.attributes, {}, Array2<float>(200, 10), {}};
    std::copy_n(table.values.row(begin), round.values.size(), round.values.begin());
    round.targets.assign(table.targets.begin() + static_cast<std::ptrdiff_t>(begin),
                         table.targets.begin() + static_cast<std::ptrdiff_t>(begin + 200));
    if (begin == 0) trainer.feed(round);
    for (std::size_t i = 0; i < 200 && begin > 0; ++i) {
      records::RecordTable one = {round.attributes, {}, Array2<float>(1, 10), {}};
      one.targets = {round.targets[i]};
      std::copy_n(round.values.row(i), 10, one.values.row(0));
      const double predicted = trainer.predict(one.view())(0, 0);
      if (i % 50 == 0) {
        double by_tree = 0;
        records::sum_values(trainer.tree(), round.values.row(i), &by_tree);
        EXPECT_NEAR(predicted, by_tree, 1e-6);
      }
      all.add(round.targets[i], predicted);
      if (begin >= 3000) recent.add(round.targets[i], predicted);
      trainer.feed(one);
      trainer.grow();
    }
    trainer.grow();
  }
  const Prequential told = trainer.prequential();
  EXPECT_EQ(told.records, 3800u);
  EXPECT_EQ(told.recent_records, 1000u);
  EXPECT_NEAR(told.errors.rmse, all.rmse(), 1e-6);
  EXPECT_NEAR(told.errors.mae, all.mae(), 1e-6);
  EXPECT_NEAR(*told.errors.r2, *all.r2(), 1e-6);
  EXPECT_NEAR(told.recent_errors.rmse, recent.rmse(), 1e-6);
  EXPECT_NEAR(told.recent_errors.mae, recent.mae(), 1e-6);
  EXPECT_NEAR(*told.recent_errors.r2, *recent.r2(), 1e-6);
  EXPECT_GT(*told.recent_errors.r2, 0.3);
}

TEST(StreamTarget, BeyondItsRangeIsRefusedByRecordAndRemedy) {
  records::RecordTable table = step(2000);
  StreamOptions options = regression(Schedule::kHoeffding);
  // The first 500 targets lie within 3 of -2, so that all must lie within 1024 times that.
  table.targets[1500] = 3000;
  EXPECT_EQ(forest_of(table, options).targets.size(), 1u);
  for (const double target : {3071.0, -3075.0}) {
    table.targets[1500] = target;
    testdata::expect_refused(ErrorKind::kData, [&] { forest_of(table, options); });
    expect_thrown(ErrorKind::kData, [&] { forest_of(table, options, {.ranks = 2}); });
  }
  EXPECT_EQ(forest_of(table, regression(Schedule::kPasses)).targets.size(), 1u);  // the range is found from all records
  options.target_range = "-2:1";
  testdata::expect_refused(ErrorKind::kData, [&] { forest_of(table, options); });
  options.target_range = "-1e9:1e9";
  EXPECT_EQ(forest_of(table, options).targets.size(), 1u);
  for (const double wrong : {std::nan(""), HUGE_VAL}) {
    table.targets[1500] = wrong;
    testdata::expect_refused(ErrorKind::kData, [&] { forest_of(table, options); });
  }
  table.targets.clear();
  testdata::expect_refused(ErrorKind::kData, [&] { forest_of(table, options); });
}

TEST(StreamTarget, BeyondItsRangeIsNotTakenAndTheTreeGrowsOn) {
  const records::RecordTable table = step(1000);
  StreamTrainer trainer(regression(Schedule::kHoeffding), {.workers = 1});
  trainer.feed(table);
  trainer.grow();
  const records::RecordForest before = trainer.tree();
  records::RecordTable wrong = table;
  wrong.targets[3] = -1e9;
  testdata::expect_refused(ErrorKind::kData, [&] { trainer.feed(wrong); });
  EXPECT_EQ(trainer.tree(), before);
  trainer.feed(table);
  trainer.grow();
  EXPECT_EQ(trainer.num_records(), 2000u);
}

TEST(StreamTarget, OptionsOfClassesAreRefused) {
  const auto refused = [](const OptionTexts& texts) {
    StreamOptions options;
    set_options(texts, options);
    try {
      options.check();
    } catch (const OptionError& error) {
      return error.option();
    }
    return std::string("nothing");
  };
  EXPECT_EQ(refused({{"task", "regression"}}), "nothing");
  EXPECT_EQ(refused({{"task", "regression"}, {"target-range", "-1e3:2.5"}}), "nothing");
  EXPECT_EQ(refused({{"task", "regression"}, {"schedule", "adaptive"}}), "schedule");
  EXPECT_EQ(refused({{"task", "regression"}, {"criterion", "entropy"}}), "criterion");
  EXPECT_EQ(refused({{"task", "regression"}, {"prune", "true"}}), "prune");
  EXPECT_EQ(refused({{"target-range", "0:1"}}), "target-range");
  for (const char* range : {"1", "1:0", "0:0", "0:inf", "nan:1", "0:1:2", "a:b", ":"})
    EXPECT_EQ(refused({{"task", "regression"}, {"target-range", range}}), "target-range") << range;
}

TEST(LeafStatistics, SharesOfTargetsHaveTheMeansOfTheirSides) {
  const LeafStatistics statistics{.of_targets = true};
  const auto row = [](std::uint64_t n, std::int64_t sum) {
    return std::vector<std::uint64_t>{n, static_cast<std::uint64_t>(sum)};
  };
  std::vector<std::uint64_t> shares(4);
  statistics.share(row(10, -50), row(4, -60), row(10, -50), shares.data());
  EXPECT_EQ(shares, (std::vector<std::uint64_t>{4, static_cast<std::uint64_t>(-60), 6, 10}));
  statistics.share(row(20, 7), row(4, -60), row(10, -50), shares.data());
  EXPECT_EQ(shares, (std::vector<std::uint64_t>{8, static_cast<std::uint64_t>(-120), 12, 20}));
}

TEST(LeafStatistics, SumsOfTargetsNeverOverflow) {
  const LeafStatistics statistics{.of_targets = true};
  constexpr std::uint64_t kMany = std::uint64_t{1} << 31;
  const std::vector<std::uint64_t> largest = {kMany, kMany << 30};
  std::vector<std::uint64_t> seen = {0, 0};
  for (int i = 0; i < 100; ++i) {
    statistics.add(largest, seen);
    ASSERT_TRUE(statistics.is_possible(seen));
    ASSERT_TRUE(statistics.is_part(largest, seen));
    ASSERT_EQ(sum_of(seen).sum / sum_of(seen).weight, kMaxNumber);
  }
}

TEST(LeafStatistics, OfASideLeaveOnlyWhatCanBeOnTheOther) {
  const LeafStatistics statistics{.of_targets = true};
  const auto row = [](std::uint64_t n, std::int64_t numbers_of_most) {
    return std::vector<std::uint64_t>{n, static_cast<std::uint64_t>(numbers_of_most * kMaxNumber)};
  };
  EXPECT_TRUE(statistics.is_side(row(5, -5), row(6, -4)));
  EXPECT_TRUE(statistics.is_side(row(6, 4), row(6, 4)));
  EXPECT_FALSE(statistics.is_side(row(5, -5), row(6, -3)));  // the mean of the rest would be twice the largest
  EXPECT_FALSE(statistics.is_side(row(6, 4), row(6, 3)));
  EXPECT_FALSE(statistics.is_side(row(7, 0), row(6, 0)));
}

TEST(LeafStatistics, OfClassesHaveASumThatIsExactInDouble) {
  const LeafStatistics statistics{.num_classes = 3};
  EXPECT_TRUE(statistics.is_possible(std::vector<std::uint64_t>{kMaxSeen - 2, 1, 1}));
  EXPECT_FALSE(statistics.is_possible(std::vector<std::uint64_t>{kMaxSeen - 1, 1, 1}));
  EXPECT_FALSE(statistics.is_possible(std::vector<std::uint64_t>{1, ~std::uint64_t{0}, 1}));
}

TEST(TargetErrors, OfOthersArePossibleWhereTheirRecordsCanSumUpToThem) {
  TargetErrors errors;
  errors.add(-kMaxNumber, kMaxNumber);
  EXPECT_TRUE(is_possible(errors));
  TargetErrors many = errors;
  for (int i = 0; i < 40; ++i) many += TargetErrors(many);  // 2^40 records: their sum overflows
  EXPECT_EQ(many.records, std::uint64_t{1} << 40);
  TargetErrors wrong = errors;
  wrong.sum = -3 * kMaxNumber;
  EXPECT_FALSE(is_possible(wrong));
  wrong = errors, wrong.sum = std::numeric_limits<std::int64_t>::min();
  EXPECT_FALSE(is_possible(wrong));
  wrong = errors, wrong.absolute *= 2;
  EXPECT_FALSE(is_possible(wrong));
  wrong = errors, wrong.records = kMaxSeen + 1;
  EXPECT_FALSE(is_possible(wrong));
}

}  // namespace
}  // namespace fernwood::stream
