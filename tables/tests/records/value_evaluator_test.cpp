// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include <cmath>

#include "fernwood/records/evaluator.h"
#include "records/every_strategy.h"

namespace fernwood::records {
namespace {

TEST(ValueEvaluator, GivesTheProbabilitiesOfEveryForestBitForBit) {
  for (const ForestKind& kind : forest_kinds()) {
    const RecordForest forest = forest_of(kind);
    const std::size_t num_attributes = forest.attributes.size(), num_classes = forest.classes.size();
    const std::size_t num_records = kind.num_records;
    const std::vector<float> values = tricky_records(forest, num_records, 5);
    ValueEvaluator evaluator(forest, {.device = "cpu", .threads = 2});
    std::vector<double> found(num_records * num_classes);
    std::vector<float> expected(num_classes);
    evaluator.predict(records_by_rows(values.data(), num_records, num_attributes), found.data());
    std::vector<std::int32_t> sums(forest.num_outputs());
    for (std::size_t i = 0; i < num_records; ++i) {
      sum_trees(forest, values.data() + i * num_attributes, sums.data());
      probabilities_of(forest, sums.data(), expected.data());
      for (std::size_t c = 0; c < num_classes; ++c)
        ASSERT_EQ(found[i * num_classes + c], expected[c]) << kind.name << ", record " << i << ", class " << c;
    }
  }
}

TEST(ValueEvaluator, GivesMarginsPredictionsAndLeavesOfTheRule) {
  for (const Link link : kLinks) {
    const bool has_classes = link == Link::kMean || link == Link::kLogistic || link == Link::kSoftmax;
    const int num_classes = link == Link::kLogistic ? 2 : 3;
    for (const bool is_single : {false, true}) {
      RecordForest forest = random_forest(
          {.trees = 7, .depth = 5, .classes = num_classes, .link = has_classes ? link : Link::kSoftmax, .seed = 21});
      forest = with_float_sums(std::move(forest), {.is_single = is_single, .has_classes = has_classes});
      forest.link = link;
      forest.slope = 0.5;
      forest.float_sums->divisor = 1 << 27;  // keeps exponentials finite
      const std::size_t width = forest.attributes.size(), num_records = 2100;
      const std::vector<float> rows = tricky_records(forest, num_records, 5);
      const RecordView records = records_by_rows(rows.data(), num_records, width);
      ValueEvaluator evaluator(forest, {.device = "cpu", .threads = 2, .remember = false});
      const std::size_t num_outputs = forest.num_outputs(), num_predicted = forest.num_predicted();
      std::vector<double> margins(num_records * num_outputs), predicted(num_records * num_predicted);
      std::vector<std::int32_t> leaves(num_records * forest.trees.size());
      evaluator.find_margins(records, margins.data());
      evaluator.predict(records, predicted.data());
      evaluator.find_leaves(records, leaves.data());
      std::vector<double> sums(num_outputs), expected(num_predicted);
      for (std::size_t i = 0; i < num_records; ++i) {
        sum_values(forest, rows.data() + i * width, sums.data());
        predict_from_sums(forest, sums.data(), expected.data());
        for (std::size_t k = 0; k < num_outputs; ++k) ASSERT_EQ(margins[i * num_outputs + k], sums[k]);
        for (std::size_t k = 0; k < num_predicted; ++k) {
          ASSERT_EQ(predicted[i * num_predicted + k], expected[k]) << to_string(link) << ", record " << i;
          ASSERT_TRUE(!is_single || expected[k] == static_cast<double>(static_cast<float>(expected[k])));
        }
        for (std::size_t t = 0; t < forest.trees.size(); ++t)
          ASSERT_LT(leaves[i * forest.trees.size() + t], static_cast<std::int32_t>(forest.trees[t].num_leaves()));
      }
    }
  }
}

/// Whether two numbers are equal or both NaN.
bool are_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

TEST(ValueEvaluator, LinearLeavesAddUpAsTheRuleSaysByEveryStrategy) {
  for (const RandomForestShape& shape :
       {RandomForestShape{.trees = 7, .depth = 5, .classes = 3, .link = Link::kSoftmax, .seed = 21},
        RandomForestShape{
            .trees = 4, .depth = 4, .classes = 2, .link = Link::kLogistic, .seed = 22, .sets = 5, .missing = 2}})
    for (const bool is_single : {false, true})
      for (const bool has_classes : {false, true})
        for (const char* strategy : {"serial", "interleaved", "bit-mask", "layered", "tree-parallel", "auto"}) {
          RecordForest forest =
              with_float_sums(random_forest(shape), {.is_single = is_single, .has_classes = has_classes});
          const RecordForest constant = forest;
          forest = with_linear_leaves(std::move(forest));
          const std::size_t width = forest.attributes.size(), num_records = 2100, num_outputs = forest.num_outputs();
          const std::vector<float> rows = tricky_records(forest, num_records, 5);
          const std::vector<float> columns = by_columns(rows, width);
          const EvaluatorOptions options = {.strategy = strategy, .device = "cpu", .threads = 2, .remember = false};
          std::vector<double> margins(num_records * num_outputs), expected(num_outputs);
          ValueEvaluator(forest, options)
              .find_margins(records_by_columns(columns.data(), num_records, width), margins.data());
          std::size_t num_others = 0;
          for (std::size_t i = 0; i < num_records; ++i) {
            sum_values(forest, rows.data() + i * width, expected.data());
            for (std::size_t k = 0; k < num_outputs; ++k)
              ASSERT_TRUE(are_same(margins[i * num_outputs + k], expected[k])) << strategy << ", record " << i;
            sum_values(constant, rows.data() + i * width, expected.data());
            num_others += are_same(margins[i * num_outputs], expected[0]) ? 0 : 1;
          }
          EXPECT_GT(num_others, num_records / 2);
          if (!has_classes) continue;
          std::vector<std::int32_t> classes(num_records);
          const auto evaluator = make_record_evaluator(forest, options);
          evaluator->evaluate_kept(keep_records(Device{}, records_by_rows(rows.data(), num_records, width)));
          evaluator->fetch_kept({.numbers = classes.data()});
          EXPECT_EQ(classes, expected_classes(forest, rows));
        }
}

TEST(ValueEvaluator, LargeTreesAreAskedByManyRecordsAtOnceWithTheSameSums) {
  const RecordForest grown = random_forest(
      {.trees = 2, .depth = 60, .classes = 2, .link = Link::kLogistic, .growth = 0.9, .most_nodes = 90001, .nan = 2});
  const RecordForest forest = with_float_sums(grown, {.has_classes = true});
  ASSERT_GT(forest.trees[0].nodes.size(), 70000u);
  const std::size_t width = forest.attributes.size(), num_records = 9000;
  const std::vector<float> rows = tricky_records(forest, num_records, 9);
  for (const char* strategy : {"layered", "interleaved", "tree-parallel"}) {
    ValueEvaluator evaluator(forest, {.strategy = strategy, .device = "cpu", .threads = 2});
    std::vector<double> margins(num_records);
    evaluator.find_margins(records_by_rows(rows.data(), num_records, width), margins.data());
    for (std::size_t i = 0; i < num_records; ++i) {
      double expected = 0;
      sum_values(forest, rows.data() + i * width, &expected);
      ASSERT_EQ(margins[i], expected) << strategy << ", record " << i;
    }
  }
}

TEST(ValueEvaluator, LinksAreWhatTheyAreCalled) {
  RecordForest forest = with_float_sums(stumps({{0, 0.0f}}), {});
  forest.float_sums->base = {0.25, 0.25};
  const auto value_at = [&](Link link, double sum) {
    forest.link = link;
    const double sums[] = {sum, 0};
    double predicted[2];
    predict_from_sums(forest, sums, predicted);
    return predicted[0];
  };
  EXPECT_EQ(value_at(Link::kIdentity, -1.5), -1.5);
  EXPECT_DOUBLE_EQ(value_at(Link::kExponential, -1.5), 0.22313016014842982);
  EXPECT_DOUBLE_EQ(value_at(Link::kSigmoid, -1.5), 0.18242552380635635);
  EXPECT_DOUBLE_EQ(value_at(Link::kSoftplus, -1.5), 0.20141327798275246);
  EXPECT_EQ(value_at(Link::kSignedSquare, -1.5), -2.25);
  EXPECT_EQ(value_at(Link::kIsolation, 2), 0.25);
}

}  // namespace
}  // namespace fernwood::records
