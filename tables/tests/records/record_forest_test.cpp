// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/record_forest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "fernwood/core/error.h"
#include "records/evaluate/evaluation_model.h"
#include "records/record_bytes_of.h"
#include "sentences.h"

namespace fernwood::records {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(RecordForest, ValuesUpToTheThresholdGoLeftAndNanWhereTheNodeSays) {
  const RecordNode right{2.0f, 1, 0, 0}, left{2.0f, 1, 0, 1};
  EXPECT_EQ(side_of(right, 2.0f), 0);
  EXPECT_EQ(side_of(right, 2.5f), 1);
  EXPECT_EQ(side_of(right, kNan), 1);
  EXPECT_EQ(side_of(left, 2.5f), 1);
  EXPECT_EQ(side_of(left, 1.5f), 0);
  EXPECT_EQ(side_of(left, kNan), 0);
}

TEST(RecordForest, SumsTheLeavesOfAllTreesAndChoosesTheFirstOfEqualClasses) {
  RecordForest forest = stumps({{0, 1.0f}, {1, 5.0f}});  // class 0 on the left, class 1 on the right
  check_records(forest, "forest");
  std::int32_t sums[2];
  const float both_left[] = {0.0f, 0.0f}, split[] = {0.0f, 9.0f}, both_right[] = {2.0f, 9.0f};
  const std::int32_t one = 1 << forest.fraction_bits;
  sum_trees(forest, both_left, sums);
  EXPECT_EQ(sums[0], 2 * one);
  EXPECT_EQ(choose_class(forest.link, sums, 2), 0);
  sum_trees(forest, split, sums);
  EXPECT_EQ(choose_class(forest.link, sums, 2), 0);
  sum_trees(forest, both_right, sums);
  EXPECT_EQ(choose_class(forest.link, sums, 2), 1);
  float probabilities[2];
  probabilities_of(forest, sums, probabilities);
  EXPECT_EQ(probabilities[1], 1.0f);
}

TEST(RecordForest, FixedPointRowsSumToOneExactly) {
  std::int32_t fixed[3];
  to_fixed_point({1, 1, 1}, 24, fixed);
  EXPECT_EQ(fixed[0] + fixed[1] + fixed[2], 1 << 24);
  EXPECT_EQ(fixed[0] - fixed[2], 1);  // the remainder goes to the first of equal values
  to_fixed_point({0, 7, 0}, 30, fixed);
  EXPECT_EQ(fixed[1], 1 << 30);
  to_fixed_point({0, 0, 0}, 24, fixed);  // a leaf without records
  EXPECT_EQ(fixed[0] + fixed[1] + fixed[2], 1 << 24);
  EXPECT_LE(fixed[0] - fixed[2], 1);
}

TEST(RecordForest, RefusesWhatEvaluationCouldNotSurvive) {
  const auto message = [](auto change) {
    RecordForest forest = stumps({{0, 1.0f}, {1, 5.0f}});
    change(forest);
    try {
      check_records(forest, "forest");
    } catch (const Error& problem) {
      return std::string(problem.what());
    }
    return std::string("accepted");
  };
  using F = RecordForest;
  EXPECT_EQ(message([](F&) {}), "accepted");
  testdata::expect_sentence(message([](F& f) { f.trees[1].nodes[0].attribute = 2; }));
  testdata::expect_sentence(message([](F& f) { f.trees[0].nodes[0].child = 2; }));
  testdata::expect_sentence(message([](F& f) {
    std::swap(f.trees[0].nodes[0], f.trees[0].nodes[1]);  // the root is a leaf, node 1 is its own child
  }));
  testdata::expect_sentence(message([](F& f) { f.trees[0].nodes[2].child = ~0; }));
  testdata::expect_sentence(message([](F& f) { f.trees[0].nodes[0].threshold = kNan; }));
  testdata::expect_sentence(message([](F& f) { f.trees[0].nodes.pop_back(); }));
  testdata::expect_sentence(message([](F& f) { f.fraction_bits = 31; }));
  testdata::expect_sentence(message([](F& f) { f.base = {0}; }));
  testdata::expect_sentence(message([](F& f) { f.trees[0].first_output = 1; }));
  testdata::expect_sentence(message([](F& f) { f.base[0] = INT32_MAX; }));
}

TEST(RecordForest, RefusesNamesThatATableCannotTellApart) {
  const auto message = [](const std::vector<std::string>& attributes, const std::vector<std::string>& classes) {
    // Model files with such names exist.
    RecordForest forest = stumps({{0, 1.0f}, {1, 5.0f}});
    forest.attributes = attributes;
    forest.classes = classes;
    check_records(forest, "forest");
    try {
      check_names(attributes, classes);
    } catch (const Error& problem) {
      EXPECT_EQ(problem.kind(), ErrorKind::kData);
      return std::string(problem.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message({"a", "A"}, {"1", "01b"}), "accepted");
  EXPECT_EQ(message({"a", "b"}, {"9223372036854775809", "9223372036854775810"}), "accepted");
  testdata::expect_sentence(message({"a", "a"}, {"no", "yes"}));
  testdata::expect_sentence(message({"a", "b"}, {"no", "no"}));
  testdata::expect_sentence(message({"a", "b"}, {"1", "1.0"}));
  for (const char* unknown : {"nan", "NA", "?", "null", ""})
    testdata::expect_sentence(message({"a", "b"}, {"no", unknown}));
}

TEST(RecordForest, RefusesColumnRulesThatAreNone) {
  const auto message = [](auto change) {
    RecordForest forest = stumps({{0, 1.0f}, {2, kSetThreshold}});
    forest.columns = {.missing = {{0, -1, -1}, {1, 2, 3}}, .sets = {{.bounds = {.attribute = 1}, .words = {6}}}};
    change(forest);
    try {
      check_records(forest, "forest");
    } catch (const Error& problem) {
      return std::string(problem.what());
    }
    return std::string("accepted");
  };
  using F = RecordForest;
  EXPECT_EQ(message([](F&) {}), "accepted");
  testdata::expect_sentence(message([](F& f) { f.columns.sets.clear(); }));
  testdata::expect_sentence(message([](F& f) { f.columns.sets[0].bounds.attribute = 2; }));
  testdata::expect_sentence(message([](F& f) { f.columns.sets[0].words.clear(); }));
  testdata::expect_sentence(message([](F& f) { f.columns.sets[0].bounds.first = 1; }));
  testdata::expect_sentence(message([](F& f) { f.columns.sets[0].bounds.first = kNan; }));
  testdata::expect_sentence(message([](F& f) { f.columns.sets.resize(kMaxAttributes, f.columns.sets[0]); }));
  testdata::expect_sentence(message([](F& f) { f.columns.missing[1].attribute = 0; }));
  testdata::expect_sentence(message([](F& f) { f.columns.missing[1].attribute = 2; }));
  testdata::expect_sentence(message([](F& f) { f.columns.missing[1].high = 1; }));
  testdata::expect_sentence(message([](F& f) { f.columns.missing[1].high = INFINITY; }));
}

TEST(RecordForest, RefusesTablesThatAreNone) {
  const auto message = [](auto change) {
    RecordForest forest = stumps({{0, 1.0f}, {2, 0.5f}});
    forest.columns.text_attributes = {1};
    forest.columns.tables = {{.parts = {{.attribute = 1}}, .keys = {4, 6}, .values = Array2<float>(3, 1)}};
    change(forest.columns, forest);
    try {
      check_records(forest, "forest");
    } catch (const Error& problem) {
      return std::string(problem.what());
    }
    return std::string("accepted");
  };
  using C = ColumnRules;
  using F = RecordForest;
  EXPECT_EQ(message([](C&, F&) {}), "accepted");
  testdata::expect_sentence(message([](C& c, F&) { c.tables[0].keys = {6, 6}; }));
  testdata::expect_sentence(message([](C& c, F&) { c.tables[0].keys = {6}; }));
  testdata::expect_sentence(message([](C& c, F&) { c.tables[0].parts.clear(); }));
  testdata::expect_sentence(message([](C& c, F&) { c.tables[0].parts[0].attribute = 0; }));
  testdata::expect_sentence(message([](C& c, F&) { c.tables[0].parts[0].attribute = 2; }));
  testdata::expect_sentence(message([](C& c, F&) { c.tables[0].parts[0].kind = KeyKind::kIsAbove; }));
  testdata::expect_sentence(message([](C& c, F&) { c.tables[0].parts = {{KeyKind::kIsAbove, 0, 0, kNan}}; }));
  testdata::expect_sentence(message([](C& c, F&) { c.text_attributes = {1, 1}; }));
  testdata::expect_sentence(message([](C& c, F&) { c.text_attributes = {2}; }));
  testdata::expect_sentence(message([](C& c, F&) { c.missing = {{1, 0, 1}}; }));
  testdata::expect_sentence(message([](C& c, F&) { c.sets = {{.bounds = {.attribute = 1}, .words = {6}}}; }));
  testdata::expect_sentence(message([](C&, F& f) { f.trees[0].nodes[0].attribute = 1; }));
}

TEST(ReadColumns, UnknownValuesAndSetsFollowTheRules) {
  ColumnRules rules;
  rules.missing = {{1, 5, 6}};
  CategorySet set = {.bounds = {.attribute = 1, .first = std::nextafter(-1.0f, 0.0f)}};
  set.add(0);
  set.add(64);
  rules.sets = {set, set, set, set, set, set, set};
  rules.sets[1].bounds.negative_in = true;
  rules.sets[2].bounds.large_in = true;
  rules.sets[3].bounds.unknown_in = true;
  rules.sets[4].bounds.is_whole = rules.sets[4].bounds.unknown_in = true;
  rules.sets[5].bounds.is_exact = rules.sets[5].bounds.unknown_in = true;
  rules.sets[6].bounds.is_exact = rules.sets[6].bounds.negative_in = true;
  const auto columns_at = [&](float value) {
    const float record[] = {7, value};
    std::vector<float> columns(9);
    read_columns(rules, records_by_rows(record, 1, 2), columns.data());
    return std::vector<float>(columns.begin() + 2, columns.end());
  };
  using testing::ElementsAre;
  for (const float in : {0.0f, -0.0f, 64.0f}) EXPECT_THAT(columns_at(in), ElementsAre(0, 0, 0, 0, 0, 0, 0)) << in;
  for (const float in : {-0.9f, 0.9f, 64.9f}) EXPECT_THAT(columns_at(in), ElementsAre(0, 0, 0, 0, 0, 1, 0)) << in;
  for (const float out : {1.0f, 63.0f, 65.0f, 127.0f})
    EXPECT_THAT(columns_at(out), ElementsAre(1, 1, 1, 1, 1, 1, 1)) << out;
  EXPECT_THAT(columns_at(1.5f), ElementsAre(1, 1, 1, 1, 0, 1, 0));
  for (const float negative : {-1.0f, -7.0f, -INFINITY})
    EXPECT_THAT(columns_at(negative), ElementsAre(1, 0, 1, 1, 1, 1, 0)) << negative;
  for (const float large : {128.0f, 1e30f, INFINITY})
    EXPECT_THAT(columns_at(large), ElementsAre(1, 1, 0, 1, 1, 1, 1)) << large;
  for (const float unknown : {kNan, 5.0f, 5.5f, 6.0f})
    EXPECT_THAT(columns_at(unknown), ElementsAre(1, 1, 1, 0, 0, 0, 1)) << unknown;
}

/// A leaf with one number for each output; integer sums of the outputs are equal.
RecordForest close_call(Link link, const std::vector<double>& sums) {
  RecordForest forest;
  forest.classes =
      link == Link::kLogistic ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"a", "b", "c"};
  forest.attributes = {"x"};
  forest.link = link;
  forest.base.assign(sums.size(), 0);
  forest.float_sums = FloatSums{.base = std::vector<double>(sums.size(), 0.0)};
  RecordTree& tree = forest.trees.emplace_back();
  tree.nodes = {RecordNode{}};
  tree.leaf_values = Array2<std::int32_t>(1, sums.size(), 0);
  tree.float_values = Array2<double>(1, sums.size());
  std::ranges::copy(sums, tree.float_values.row(0));
  return forest;
}

TEST(ClassRule, DecidesWhereProbabilitiesRoundToTheSameNumber) {
  const float record = 0;
  const std::vector<double> sums = {0.25, std::nextafter(0.25, 1.0), 0.0};
  RecordForest forest = close_call(Link::kSoftmax, sums);
  std::array<double, 3> predicted{};
  predict_from_sums(forest, sums.data(), predicted.data());
  ASSERT_EQ(predicted[0], predicted[1]);
  EXPECT_EQ(classify_record(forest, &record), 0);
  for (const ClassRule rule : {ClassRule::kSum, ClassRule::kSumFromZero}) {
    forest.class_rule = rule;
    EXPECT_EQ(classify_record(forest, &record), 1) << to_string(rule);
    EXPECT_EQ(class_of_leaf(forest, forest.trees[0], 0), 1) << "a forest of one tree is looked up by its leaf";
  }
}

TEST(ClassRule, TellsWhetherZeroIsTheSecondClass) {
  const float record = 0;
  for (const double sum : {-1e-300, 0.0, 1e-300}) {
    RecordForest forest = close_call(Link::kLogistic, {sum});
    EXPECT_EQ(classify_record(forest, &record), 0) << "both are as probable, and the first is taken";
    forest.class_rule = ClassRule::kSum;
    EXPECT_EQ(classify_record(forest, &record), sum > 0 ? 1 : 0);
    forest.class_rule = ClassRule::kSumFromZero;
    EXPECT_EQ(classify_record(forest, &record), sum >= 0 ? 1 : 0);
  }
}

}  // namespace
}  // namespace fernwood::records
