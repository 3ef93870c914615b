// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Contract of evaluation: on every device, each strategy computes the classes of classify_record() for every forest
// that it supports and every value. It supports all forests except for the kinds listed by the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "devices.h"
#include "fernwood/core/error.h"
#include "records/evaluate/strategy.h"
#include "records/record_models.h"

namespace fernwood::records {

/// Forests of one kind, and the number of records for their evaluation.
struct ForestKind {
  std::string name;
  RandomForestShape shape;
  std::size_t num_records;
};
inline const std::vector<ForestKind>& forest_kinds() {
  static const std::vector<ForestKind> kinds = {
      {"ATreeOfManyClasses", {.depth = 6, .classes = 7, .seed = 1}, 3001},
      {"ATreeThatIsALeaf", {.depth = 0, .classes = 3, .seed = 2}, 70},
      {"ADeepThinTree", {.depth = 40, .classes = 4, .growth = 0.55, .most_nodes = 301, .seed = 3}, 777},
      {"ATreeOfThousandsOfNodes", {.depth = 14, .classes = 5, .growth = 0.95, .most_nodes = 9001, .seed = 4}, 1500},
      {"AForestOfTwoClasses", {.trees = 21, .depth = 7, .classes = 2, .growth = 0.9, .seed = 5}, 2050},
      {"AForestOfManyClasses", {.trees = 13, .depth = 8, .classes = 6, .growth = 0.9, .seed = 6}, 1031},
      {"BoostedTreesOfTwoClasses",
       {.trees = 30, .depth = 5, .classes = 2, .link = Link::kLogistic, .nan = 2, .seed = 7},
       999},
      {"BoostedTreesOfManyClasses",
       {.trees = 24, .depth = 5, .classes = 4, .link = Link::kSoftmax, .nan = 2, .seed = 8},
       999},
      {"NanLeftEverywhere", {.trees = 5, .depth = 6, .classes = 3, .nan = 1, .seed = 9}, 999},
      {"NanEitherWayInOneTree", {.depth = 7, .classes = 3, .nan = 2, .seed = 10}, 999},
      {"ManyAttributes", {.trees = 9, .depth = 8, .classes = 3, .attributes = 300, .seed = 11}, 300},
      {"OneAttribute", {.trees = 4, .depth = 8, .classes = 200, .attributes = 1, .seed = 12}, 5000},
      {"ATreeOfOneAttribute", {.depth = 5, .classes = 3, .attributes = 1, .seed = 17}, 500},
      {"FewerRecordsThanAVector", {.trees = 3, .depth = 6, .classes = 3, .seed = 13}, 5},
      {"TreesOfDifferentDepths", {.trees = 2, .depth = 9, .classes = 3, .seed = 14}, 500},
      {"ATreeOfAFewTests", {.depth = 3, .classes = 3, .seed = 18}, 700},
      {"ObliviousTrees", {.trees = 15, .depth = 6, .classes = 3, .seed = 19, .oblivious = true}, 1111},
      {"ObliviousTreesWithNanEitherWay",
       {.trees = 6, .depth = 8, .classes = 2, .link = Link::kLogistic, .nan = 2, .seed = 20, .oblivious = true},
       1200},
      {"SetsOfCategories", {.trees = 9, .depth = 7, .classes = 3, .seed = 22, .sets = 40}, 2222},
      {"ATreeOfSets", {.depth = 6, .classes = 4, .attributes = 1, .seed = 23, .sets = 9}, 1700},
      {"MissingValues", {.trees = 5, .depth = 6, .classes = 3, .nan = 1, .seed = 24, .missing = 11}, 1300},
      {"SetsOfMissingValues", {.trees = 5, .depth = 6, .classes = 2, .seed = 25, .sets = 600, .missing = 4}, 3000},
      {"TablesOfCategories",
       {.trees = 9, .depth = 7, .classes = 3, .attributes = 5, .seed = 26, .missing = 2, .tables = 12},
       2100},
      {"NoRecords", {.trees = 3, .depth = 3, .classes = 3, .seed = 16}, 0},
  };
  return kinds;
}
inline RecordForest forest_of(const ForestKind& kind) {
  RecordForest forest = random_forest(kind.shape);
  if (kind.name == "TreesOfDifferentDepths") {
    const RecordForest shallow = random_forest({.trees = 3, .depth = 1, .classes = 3, .seed = 15});
    forest.trees.insert(forest.trees.begin() + 1, shallow.trees.begin(), shallow.trees.end());
  }
  return forest;
}

using Kinds = std::set<std::string>;
inline Kinds all_kinds_but(const Kinds& taken) {
  Kinds others;
  for (const ForestKind& kind : forest_kinds())
    if (!taken.contains(kind.name)) others.insert(kind.name);
  return others;
}

/// Kinds that GPU strategies with ranks reject: forests without tests, and those in which tests on an attribute send
/// unknown values to different sides.
inline Kinds kinds_without_ranks_on_gpus() {
  Kinds kinds;
  for (const ForestKind& kind : forest_kinds())
    if (kind.shape.depth == 0 || kind.shape.nan == 2) kinds.insert(kind.name);
  return kinds;
}

/// A strategy, the form of values, the device, and the kind of forest.
struct StrategyCase {
  Strategy strategy;
  Values values;
  Device device;
  ForestKind kind;
};
inline void PrintTo(const StrategyCase& each, std::ostream* out) {
  *out << each.strategy.name << ", " << to_string(each.values) << ", " << to_string(each.device) << ", "
       << each.kind.name;
}
/// Strategies on every device of this machine, with all forms of values and kinds of forests. Without a GPU, a single
/// case stands for GPUs and is skipped.
inline std::vector<StrategyCase> strategy_cases(const std::vector<Strategy>& rows) {
  std::vector<StrategyCase> cases;
  if (is_missing(gpus().front()))
    cases.push_back(
        {{"every strategy", true, false, nullptr, nullptr}, Values::kFloat, gpus().front(), forest_kinds().front()});
  for (const Device device : available_devices())
    for (const Strategy& row : rows)
      for (const Values values : kValues)
        if (row.on_gpu != device.is_cpu() && (values == Values::kFloat || row.has_ranks))
          for (const ForestKind& kind : forest_kinds()) cases.push_back({row, values, device, kind});
  return cases;
}
inline std::string name_of(const testing::TestParamInfo<StrategyCase>& info) {
  const StrategyCase& each = info.param;
  std::string name = each.strategy.name + "_" + to_string(each.values) + "_" + to_string(each.device);
  std::ranges::replace_if(
      name, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name + "_" + each.kind.name;
}

inline std::vector<std::int32_t> expected_classes(const RecordForest& forest, const std::vector<float>& values) {
  const std::size_t width = forest.attributes.size();
  std::vector<std::int32_t> classes;
  for (std::size_t i = 0; i + width <= values.size(); i += width)
    classes.push_back(classify_record(forest, values.data() + i));
  return classes;
}

inline std::vector<float> by_columns(const std::vector<float>& rows, std::size_t width) {
  std::vector<float> columns(rows.size());
  const std::size_t count = rows.size() / width;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t a = 0; a < width; ++a) columns[a * count + i] = rows[i * width + a];
  return columns;
}

/// @param refused  Kinds that the strategy must reject on a CPU, and may reject on a GPU, depending on its memory.
/// @param forest  A forest of the kind.
inline void check_strategy(const StrategyCase& each, const Kinds& refused, const RecordForest& forest) {
  if (is_missing(each.device)) GTEST_SKIP() << gpu_status().problem;
  const StrategyRequest request = {make_evaluation_model(forest), each.strategy.name, each.values, each.device, 2};
  const StrategyTable table({each.strategy});
  const OptionSentence unsupported_reason = why_unsupported(each.strategy, *request.model, each.values, each.device);
  const bool refuses = !unsupported_reason.empty(), may_refuse = refused.contains(each.kind.name);
  ASSERT_TRUE(may_refuse || !refuses) << unsupported_reason;
  ASSERT_TRUE(refuses || !may_refuse || !each.device.is_cpu()) << "it takes the forest";
  if (refuses) {
    EXPECT_THROW(table.make_evaluator(request), Error);
    return;
  }
  const auto evaluator = table.make_evaluator(request);
  const std::size_t width = forest.attributes.size(), num_records = each.kind.num_records;
  const std::vector<float> rows = tricky_records(forest, num_records, 7);
  const std::vector<std::int32_t> expected = expected_classes(forest, rows);
  std::vector<std::int32_t> classes(num_records, -7);
  evaluator->classify(records_by_rows(rows.data(), num_records, width), classes.data());
  EXPECT_EQ(classes, expected);

  const std::vector<float> columns = by_columns(rows, width);
  classes.assign(num_records, -7);
  const KeptRecords kept = keep_records(each.device, records_by_columns(columns.data(), num_records, width));
  EXPECT_GE(evaluator->evaluate_kept(kept), 0);
  evaluator->fetch_kept({.numbers = classes.data()});
  if (forest.float_sums && !each.device.is_cpu())  // undecided records are not resolved on the GPU
    for (std::size_t i = 0; i < num_records; ++i)
      if (classes[i] == kUndecided) classes[i] = expected[i];
  EXPECT_EQ(classes, expected);
}

inline void check_strategy(const StrategyCase& each, const Kinds& refused) {
  check_strategy(each, refused, forest_of(each.kind));
}

/// Contract for values and leaves: equal to the reference bit for bit, added in the order of the trees.
inline void check_values(const StrategyCase& each, const Kinds& refused, const FloatSumsShape& shape) {
  if (is_missing(each.device)) GTEST_SKIP() << gpu_status().problem;
  const RecordForest forest = with_float_sums(forest_of(each.kind), shape);
  const StrategyTable table({each.strategy});
  const std::size_t width = forest.attributes.size(), num_records = each.kind.num_records;
  const std::vector<float> rows = tricky_records(forest, num_records, 7);
  const std::size_t num_outputs = forest.num_outputs(), num_trees = forest.trees.size();
  std::vector<float> columns(forest.num_columns());
  for (const RequestedOutput wanted : {RequestedOutput::kValues, RequestedOutput::kLeaves}) {
    const StrategyRequest request = {make_evaluation_model(forest, wanted), each.strategy.name, each.values,
                                     each.device, 2};
    const OptionSentence unsupported_reason = why_unsupported(each.strategy, *request.model, each.values, each.device);
    if (refused.contains(each.kind.name) && !unsupported_reason.empty()) continue;
    ASSERT_EQ(unsupported_reason, "");
    const auto evaluator = table.make_evaluator(request);
    std::vector<double> values(num_records * num_outputs, -7), expected(num_outputs);
    std::vector<std::int32_t> leaves(num_records * num_trees, -7);
    const Found found = {.numbers = leaves.data(), .values = values.data()};
    const bool kept = each.kind.num_records % 2 == 0;
    if (kept) {
      const std::vector<float> turned = by_columns(rows, width);
      evaluator->evaluate_kept(keep_records(each.device, records_by_columns(turned.data(), num_records, width)));
      evaluator->fetch_kept(found);
    } else {
      evaluator->evaluate(records_by_rows(rows.data(), num_records, width), found);
    }
    for (std::size_t i = 0; i < num_records; ++i) {
      const float* record = rows.data() + i * width;
      if (wanted == RequestedOutput::kValues) {
        sum_values(forest, record, expected.data());
        for (std::size_t k = 0; k < num_outputs; ++k)
          ASSERT_EQ(values[i * num_outputs + k], expected[k]) << "record " << i << ", output " << k;
        continue;
      }
      read_columns(forest.columns, records_by_rows(record, 1, width), columns.data());
      for (std::size_t t = 0; t < num_trees; ++t)
        ASSERT_EQ(leaves[i * num_trees + t],
                  find_leaf_of(forest.trees[t].nodes, [&](std::uint16_t column) { return columns[column]; }));
    }
  }
}

}  // namespace fernwood::records
