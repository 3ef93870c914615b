// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The law of evaluation: every strategy, on every device, gives the classes that sum_trees() and choose_class() give,
// for every forest and every value.
#include <gtest/gtest.h>

#include <cctype>

#include "devices.h"
#include "fernwood/core/error.h"
#include "fernwood/records/evaluator.h"
#include "records/record_models.h"

namespace fernwood::records {
namespace {

struct Way {
  std::string strategy;
  Values values;
  Device device;
};

/// Every way that this machine has; one that stands for all of a GPU where there is none.
std::vector<Way> every_way() {
  std::vector<Way> ways;
  if (is_missing(gpus().front())) ways.push_back({"every strategy", Values::kFloat, gpus().front()});
  for (const Device device : available_devices())
    for (const StrategyInfo& info : strategies())
      for (const Values values : kValues)
        if (info.on_gpu != device.is_cpu() && (values == Values::kFloat || info.has_ranks))
          ways.push_back({info.name, values, device});
  return ways;
}

std::string name_of(const testing::TestParamInfo<Way>& info) {
  std::string name = info.param.strategy + "_" + to_string(info.param.values) + "_" + to_string(info.param.device);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

std::vector<std::int32_t> expected_classes(const RecordForest& forest, const std::vector<float>& values) {
  const std::size_t width = forest.attributes.size();
  std::vector<std::int32_t> classes, sums(forest.num_outputs());
  for (std::size_t i = 0; i + width <= values.size(); i += width) {
    sum_trees(forest, values.data() + i, sums.data());
    classes.push_back(choose_class(forest.link, sums.data(), sums.size()));
  }
  return classes;
}

std::vector<float> by_columns(const std::vector<float>& rows, std::size_t width) {
  std::vector<float> columns(rows.size());
  const std::size_t count = rows.size() / width;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t a = 0; a < width; ++a) columns[a * count + i] = rows[i * width + a];
  return columns;
}

class EveryStrategy : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (is_missing(GetParam().device)) GTEST_SKIP() << gpu_status().problem;
  }
  void check(const RecordForest& forest, std::size_t num_records) {
    const Way& way = GetParam();
    const EvaluatorOptions options = {
        .strategy = way.strategy, .values = way.values, .device = to_string(way.device), .threads = 2};
    if (!strategy_obstacle(forest, way.strategy, way.values, way.device).empty()) {
      EXPECT_THROW(make_record_evaluator(forest, options), Error);
      return;
    }
    const auto evaluator = make_record_evaluator(forest, options);
    const std::size_t width = forest.attributes.size();
    const std::vector<float> rows = tricky_records(forest, num_records, 7);
    const std::vector<std::int32_t> expected = expected_classes(forest, rows);
    std::vector<std::int32_t> classes(num_records, -7);
    evaluator->classify(records_by_rows(rows.data(), num_records, width), classes.data());
    EXPECT_EQ(classes, expected);

    const std::vector<float> columns = by_columns(rows, width);
    classes.assign(num_records, -7);
    const KeptRecords kept = keep_records(way.device, records_by_columns(columns.data(), num_records, width));
    EXPECT_GE(evaluator->classify_kept(kept), 0);
    evaluator->kept_classes(classes.data());
    EXPECT_EQ(classes, expected);
  }
};
INSTANTIATE_TEST_SUITE_P(EveryDevice, EveryStrategy, testing::ValuesIn(every_way()), name_of);

TEST_P(EveryStrategy, ATreeOfManyClasses) { check(random_forest({.depth = 6, .classes = 7, .seed = 1}), 3001); }
TEST_P(EveryStrategy, ATreeThatIsALeaf) { check(random_forest({.depth = 0, .classes = 3, .seed = 2}), 70); }
TEST_P(EveryStrategy, ADeepThinTree) {
  check(random_forest({.depth = 40, .classes = 4, .growth = 0.55, .most_nodes = 301, .seed = 3}), 777);
}
TEST_P(EveryStrategy, ATreeOfThousandsOfNodes) {
  check(random_forest({.depth = 14, .classes = 5, .growth = 0.95, .most_nodes = 9001, .seed = 4}), 1500);
}
TEST_P(EveryStrategy, AForestOfTwoClasses) {
  check(random_forest({.trees = 21, .depth = 7, .classes = 2, .growth = 0.9, .seed = 5}), 2050);
}
TEST_P(EveryStrategy, AForestOfManyClasses) {
  check(random_forest({.trees = 13, .depth = 8, .classes = 6, .growth = 0.9, .seed = 6}), 1031);
}
TEST_P(EveryStrategy, BoostedTreesOfTwoClasses) {
  check(random_forest({.trees = 30, .depth = 5, .classes = 2, .link = Link::kLogistic, .nan = 2, .seed = 7}), 999);
}
TEST_P(EveryStrategy, BoostedTreesOfManyClassesWithNanEitherWay) {
  check(random_forest({.trees = 24, .depth = 5, .classes = 4, .link = Link::kSoftmax, .nan = 2, .seed = 8}), 999);
}
TEST_P(EveryStrategy, NanLeftEverywhere) {
  check(random_forest({.trees = 5, .depth = 6, .classes = 3, .nan = 1, .seed = 9}), 999);
}
TEST_P(EveryStrategy, NanEitherWayInOneTree) {
  check(random_forest({.depth = 7, .classes = 3, .nan = 2, .seed = 10}), 999);
}
TEST_P(EveryStrategy, ManyAttributes) {
  check(random_forest({.trees = 9, .depth = 8, .classes = 3, .attributes = 300, .seed = 11}), 300);
}
TEST_P(EveryStrategy, OneAttribute) {
  check(random_forest({.trees = 4, .depth = 8, .classes = 200, .attributes = 1, .seed = 12}), 5000);
}
TEST_P(EveryStrategy, FewerRecordsThanAVector) {
  check(random_forest({.trees = 3, .depth = 6, .classes = 3, .seed = 13}), 5);
}
TEST_P(EveryStrategy, TreesOfDifferentDepths) {
  RecordForest forest = random_forest({.trees = 2, .depth = 9, .classes = 3, .seed = 14});
  const RecordForest shallow = random_forest({.trees = 3, .depth = 1, .classes = 3, .seed = 15});
  forest.trees.insert(forest.trees.begin() + 1, shallow.trees.begin(), shallow.trees.end());
  check(forest, 500);
}
TEST_P(EveryStrategy, NoRecords) { check(random_forest({.trees = 3, .depth = 3, .classes = 3, .seed = 16}), 0); }

}  // namespace
}  // namespace fernwood::records
