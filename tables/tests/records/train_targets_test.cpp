// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/draw.h"
#include "fernwood/core/error.h"
#include "fernwood/records/evaluator.h"
#include "fernwood/records/train_records.h"
#include "fernwood/records/value_errors.h"
#include "records/grow/fixed_targets.h"
#include "sentences.h"

namespace fernwood::records {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
constexpr double kNoTarget = std::numeric_limits<double>::quiet_NaN();
constexpr double kLargest = std::numeric_limits<double>::max(), kTiniest = std::numeric_limits<double>::denorm_min();

RecordTable target_table(const std::vector<std::vector<float>>& rows, const std::vector<double>& targets) {
  RecordTable table;
  table.values = Array2<float>(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(rows[i], table.values.row(i));
  for (std::size_t a = 0; a < rows[0].size(); ++a) table.attributes.push_back("a" + std::to_string(a));
  table.target = "price";
  table.targets = targets;
  return table;
}

/// Records whose target depends on two attributes and noise; one attribute is constant, one has few values, some values
/// are unknown. Targets are multiples of 1 / 1024, so that their sums are exact in any order.
RecordTable slopes(std::size_t num_records) {
  std::vector<std::vector<float>> rows;
  std::vector<double> targets;
  for (std::uint32_t i = 0; i < num_records; ++i) {
    const Draw a = draw(5, RngStream::kSample, 0, 0, i), b = draw(5, RngStream::kSample, 0, 1, i);
    const float x = a.unit(1), y = a.unit(2);
    rows.push_back({x, b.below(1, 20) == 0 ? kUnknown : y, 7.0f, static_cast<float>(a.below(3, 4)), b.unit(0)});
    targets.push_back(std::round(1024 * (3 * x - 2 * y * y + (x > 0.5f) + 0.3 * b.unit(2))) / 1024);
  }
  return target_table(rows, targets);
}

RecordTrainOptions regression(int trees = 1) {
  RecordTrainOptions options;
  options.task = Task::kRegression;
  options.trees = trees;
  return options;
}

RecordForest train_values(const RecordTable& table, const RecordTrainOptions& options, int threads = 2) {
  ThreadPool pool(threads);
  RecordForest forest = train_records(table, options, pool);
  check_records(forest, "forest");
  return forest;
}

std::vector<double> predicted(const RecordForest& forest, const RecordTable& table) {
  std::vector<double> values(table.values.rows());
  ValueEvaluator(forest, {.strategy = "serial", .device = "cpu", .threads = 1}).predict(table.view(), values.data());
  return values;
}

double r2_of(const RecordForest& forest, const RecordTable& table) {
  const std::vector<double> values = predicted(forest, table);
  ValueErrors errors;
  for (std::size_t i = 0; i < values.size(); ++i) errors.add(table.targets[i], values[i]);
  return errors.r2().value();
}

/// Squared error around the mean of the targets for which `takes` holds. @return Infinity if there are none.
template <typename Takes>
long double squared_error(const RecordTable& table, const Takes& takes) {
  long double sum = 0, error = 0, n = 0;
  for (std::size_t i = 0; i < table.targets.size(); ++i)
    if (takes(i)) sum += table.targets[i], n += 1;
  for (std::size_t i = 0; i < table.targets.size(); ++i)
    if (takes(i)) error += (table.targets[i] - sum / n) * (table.targets[i] - sum / n);
  return n > 0 ? error : std::numeric_limits<long double>::infinity();
}

long double error_of_test(const RecordTable& table, const RecordNode& test) {
  const auto side = [&](std::size_t i) { return side_of(test, table.values(i, test.attribute)); };
  return squared_error(table, [&](std::size_t i) { return side(i) == 0; }) +
         squared_error(table, [&](std::size_t i) { return side(i) == 1; });
}

TEST(TrainTargets, ATestPartsTargetsAndLeavesHaveTheirMeans) {
  RecordTrainOptions options = regression();
  options.max_depth = 1;
  const RecordForest forest = train_values(target_table({{1}, {2}, {5}, {9}}, {1, 2, 10, 13}), options);
  ASSERT_EQ(forest.trees[0].nodes.size(), 3u);
  EXPECT_EQ(forest.trees[0].nodes[0], (RecordNode{3.5f, 1, 0, 0}));
  EXPECT_EQ(forest.trees[0].float_values(0, 0), 1.5);
  EXPECT_EQ(forest.trees[0].float_values(1, 0), 11.5);
  EXPECT_EQ(forest.targets, std::vector<std::string>{"price"});
  EXPECT_EQ(forest.link, Link::kIdentity);
  EXPECT_EQ(forest.float_sums, (FloatSums{.base = {0}}));
}

TEST(TrainTargets, NoTestHasASmallerSquaredErrorThanTheOneChosen) {
  for (const std::size_t num_records : {7, 60, 400}) {
    const RecordTable table = slopes(num_records);
    RecordTrainOptions options = regression();
    options.max_depth = 1;
    const RecordNode chosen = train_values(table, options).trees[0].nodes[0];
    const long double least = error_of_test(table, chosen);
    for (std::uint16_t a = 0; a < table.values.cols(); ++a)
      for (std::size_t i = 0; i < num_records; ++i)
        for (const std::uint16_t nan_left : {0, 1}) {
          const float value = table.values(i, a);
          const RecordNode other = {std::isnan(value) ? std::numeric_limits<float>::infinity() : value, 1, a, nan_left};
          EXPECT_GE(error_of_test(table, other), least * (1 - 1e-12L)) << a << " " << value;
        }
  }
}

TEST(TrainTargets, TheForestIsTheSameForAnyNumberOfThreads) {
  const RecordTable table = slopes(2500);
  for (const int trees : {1, 3, 7}) {
    RecordTrainOptions options = regression(trees);
    options.attributes_per_split = trees == 3 ? 4 : 0;
    EXPECT_EQ(train_values(table, options, 1), train_values(table, options, 4)) << trees;
    options.max_leaves = 20;
    EXPECT_EQ(train_values(table, options, 1), train_values(table, options, 4)) << trees;
  }
}

TEST(TrainTargets, TheOrderOfRecordsDoesNotMatter) {
  RecordTable table = slopes(700), backwards = table;
  for (std::size_t i = 0; i < 700; ++i) {
    table.targets[i] = std::exp(9 * table.targets[i]) / 3;  // sums of doubles would depend on the order
    std::ranges::copy(std::span(table.values.row(i), 5), backwards.values.row(699 - i));
    backwards.targets[699 - i] = table.targets[i];
  }
  EXPECT_EQ(train_values(table, regression()).trees, train_values(backwards, regression()).trees);
}

TEST(TrainTargets, EqualTargetsAreOneLeafWithJustThatValue) {
  for (const double value : {0.0, 0.1, -7.3, 1e300, -kLargest, kLargest, kTiniest, -3 * kTiniest}) {
    const RecordTree tree = train_values(target_table({{1}, {2}, {3}}, {value, value, value}), regression()).trees[0];
    ASSERT_EQ(tree.nodes.size(), 1u) << value;
    EXPECT_EQ(tree.float_values(0, 0), value);
  }
}

TEST(TrainTargets, ScalingAndShiftingTargetsChangesLeavesOnly) {
  const RecordTable table = slopes(300);
  const RecordTree tree = train_values(table, regression()).trees[0];
  for (const int exponent : {-1000, -1, 40, 1000}) {
    RecordTable other = table;
    for (double& target : other.targets) target = std::ldexp(target, exponent);
    RecordTree scaled = train_values(other, regression()).trees[0];
    for (double& value : scaled.float_values) value = std::ldexp(value, -exponent);
    EXPECT_EQ(scaled, tree) << exponent;
  }
  RecordTable other = table;
  for (double& target : other.targets) target -= 1 << 30;
  RecordTree shifted = train_values(other, regression()).trees[0];
  for (double& value : shifted.float_values) value += 1 << 30;
  EXPECT_EQ(shifted, tree);
}

TEST(TrainTargets, ATargetFarAwayDoesNotBlurTheOthers) {
  const RecordTable table = slopes(300);
  const RecordTree tree = train_values(table, regression()).trees[0];
  RecordTable other = table;
  other.values = Array2<float>(301, 5);
  std::ranges::copy(table.values, other.values.begin());
  std::ranges::fill(std::span(other.values.row(300), 5), 1000.0f);
  for (const double far : {-1e9, 1e9}) {
    other.targets = table.targets;
    other.targets.push_back(far);
    const RecordForest forest = train_values(other, regression());
    std::vector<double> values = predicted(forest, other);
    EXPECT_EQ(values.back(), far);
    EXPECT_EQ(forest.trees[0].num_leaves(), tree.num_leaves() + 1);
    RecordTrainOptions few = regression(), more = regression();
    few.max_leaves = 20, more.max_leaves = 21;
    const std::vector<double> expected = predicted(train_values(table, few), table);
    values = predicted(train_values(other, more), table);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-6) << i;
  }
}

TEST(TrainTargets, AForestPredictsTheMeanOfItsTreesAndKnowsItsWorth) {
  const RecordTable table = slopes(3000);
  RecordTable seen = table, fresh = table;
  seen.values = Array2<float>(2000, 5), fresh.values = Array2<float>(1000, 5);
  std::copy_n(table.values.begin(), 2000 * 5, seen.values.begin());
  std::copy_n(table.values.begin() + 2000 * 5, 1000 * 5, fresh.values.begin());
  seen.targets.resize(2000);
  fresh.targets.erase(fresh.targets.begin(), fresh.targets.begin() + 2000);
  RecordTrainOptions options = regression(30);
  ThreadPool pool(2);
  RecordTrainReport report;
  const RecordForest forest = train_records(seen, options, pool, {}, &report);
  const double value = predicted(forest, fresh)[0];
  double sum = 0;
  for (const RecordTree& tree : forest.trees)
    sum += tree.float_values(
        static_cast<std::size_t>(find_leaf_of(tree.nodes, [&](std::uint16_t a) { return fresh.values(0, a); })), 0);
  EXPECT_EQ(value, sum / 30);
  ASSERT_TRUE(report.out_of_bag);
  EXPECT_NEAR(*report.out_of_bag, r2_of(forest, fresh), 0.02);
  EXPECT_GT(*report.out_of_bag, 0.9);
  options.bootstrap = false;
  train_records(seen, options, pool, {}, &report);
  EXPECT_FALSE(report.out_of_bag);
}

TEST(TrainTargets, AThirdOfTheAttributesIsTriedUnlessTheOptionsSay) {
  const RecordTable table = slopes(300);
  RecordTrainOptions options = regression(2), one = options, all = options;
  one.attributes_per_split = 1, all.attributes_per_split = 5;
  EXPECT_EQ(train_values(table, options).trees, train_values(table, one).trees);  // 5 / 3, rounded down
  EXPECT_NE(train_values(table, options).trees, train_values(table, all).trees);
}

TEST(TrainTargets, RefusesTablesAndOptionsThatBreakARule) {
  const auto refusal = [](const RecordTable& table, const RecordTrainOptions& options) {
    try {
      train_values(table, options);
    } catch (const Error& problem) {
      return std::string(problem.what());
    }
    return std::string("trained");
  };
  RecordTable table = slopes(10);
  for (const double target : {kNoTarget, HUGE_VAL, -HUGE_VAL}) {
    table.targets[3] = target;
    testdata::expect_sentence(refusal(table, regression()));
  }
  table.targets[3] = -kLargest;
  EXPECT_EQ(refusal(table, regression(1)), "trained");
  testdata::expect_sentence(refusal(table, regression(2)));
  table.targets[3] = -kLargest / 2;
  EXPECT_EQ(refusal(table, regression(2)), "trained");
  RecordTable misnamed = slopes(10);
  misnamed.target = "pr\xe9is";
  testdata::expect_sentence(refusal(misnamed, regression()));
  table.targets.pop_back();
  testdata::expect_sentence(refusal(table, regression()));
  RecordTrainOptions options = regression();
  options.criterion = Criterion::kEntropy;
  testdata::expect_sentence(refusal(slopes(10), options));
  options = regression(), options.task = Task::kAuto;
  testdata::expect_sentence(refusal(slopes(10), options));
  ThreadPool pool(1);
  EXPECT_THROW(train_records(slopes(300), regression(), pool, {}, nullptr, 1000), Error);  // a budget of 1000 bytes
}

TEST(FixedTargets, AreOffByLessThanTheirUnit) {
  for (const std::size_t num_records : {2, 1000, 100'000}) {
    std::vector<double> targets;
    for (std::uint32_t i = 0; i < num_records; ++i)
      targets.push_back(std::tan(3.0 * draw(1, RngStream::kSample, 0, 0, i).unit(0) - 1.5));
    const FixedTargets fixed(targets, static_cast<std::uint32_t>(targets.size()));
    const auto [low, high] = std::ranges::minmax(targets);
    const int bits = std::min(52, 63 - static_cast<int>(std::bit_width(num_records)));
    // The last term is the rounding error of a double.
    const double bound = std::ldexp(high - low, -bits) + std::ldexp(std::max(-low, high), -52);
    for (std::size_t i = 0; i < num_records; ++i) EXPECT_NEAR(fixed.mean(fixed[i] * 3, 3), targets[i], bound);
    EXPECT_EQ(fixed.mean(fixed[0] + fixed[1], 2), fixed.mean(2 * (fixed[0] + fixed[1]), 4));
  }
}

TEST(ValueErrors, AreRootOfMeanSquareMeanAndShare) {
  ValueErrors errors;
  errors.add(1, 1), errors.add(kNoTarget, 100), errors.add(2, 2), errors.add(6, 2);
  EXPECT_EQ(errors.num_known(), 3u);
  EXPECT_EQ(errors.num_unknown(), 1u);
  EXPECT_DOUBLE_EQ(errors.rmse(), std::sqrt(16.0 / 3));
  EXPECT_DOUBLE_EQ(errors.mae(), 4.0 / 3);
  EXPECT_DOUBLE_EQ(errors.r2().value(), 1 - 16.0 / 14);  // squared deviations from the mean, 3: 4 + 1 + 9
  ValueErrors equal;
  equal.add(5, 5), equal.add(5, 6);
  EXPECT_FALSE(equal.r2());
}

}  // namespace
}  // namespace fernwood::records
