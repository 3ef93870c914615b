// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/train_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/draw.h"
#include "fernwood/core/error.h"
#include "records/grow/first_trees.h"
#include "sentences.h"

namespace fernwood::records {
namespace {

constexpr float kUnknownValue = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

/// A table of rows of attributes and their classes.
RecordTable make_table(const std::vector<std::vector<float>>& rows, const std::vector<std::int32_t>& labels,
                       std::size_t num_classes = 2) {
  RecordTable table;
  table.values = Array2<float>(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(rows[i], table.values.row(i));
  for (std::size_t a = 0; a < rows[0].size(); ++a) table.attributes.push_back("a" + std::to_string(a));
  for (std::size_t c = 0; c < num_classes; ++c) table.classes.push_back("c" + std::to_string(c));
  table.labels = labels;
  return table;
}

/// Records of three classes in overlapping clouds; one attribute is constant, one has few values, some are unknown.
RecordTable clouds(std::size_t num_records) {
  std::vector<std::vector<float>> rows;
  std::vector<std::int32_t> labels;
  for (std::uint32_t i = 0; i < num_records; ++i) {
    const Draw a = draw(5, RngStream::kSample, 0, 0, i), b = draw(5, RngStream::kSample, 0, 1, i);
    const auto label = static_cast<std::int32_t>(a.below(0, 3));
    const auto shift = static_cast<float>(label);
    rows.push_back({shift * 0.5f + a.unit(1), b.below(1, 20) == 0 ? kUnknownValue : a.unit(2) - 0.5f * shift, 7.0f,
                    static_cast<float>(a.below(3, 4)), b.unit(0)});
    labels.push_back(label);
  }
  return make_table(rows, labels, 3);
}

RecordForest train(const RecordTable& table, const RecordTrainOptions& options, int threads = 2) {
  ThreadPool pool(threads);
  RecordForest forest = train_records(table, options, pool);
  check_records(forest, "forest");
  return forest;
}

RecordTrainOptions one_tree() {
  RecordTrainOptions options;
  options.trees = 1;
  return options;
}

std::size_t num_right(const RecordForest& forest, const RecordTable& table) {
  std::size_t right = 0;
  std::vector<std::int32_t> sums(forest.num_outputs());
  for (std::size_t i = 0; i < table.values.rows(); ++i) {
    sum_trees(forest, table.values.row(i), sums.data());
    right += choose_class(forest.link, sums.data(), sums.size()) == table.labels[i];
  }
  return right;
}

TEST(TrainRecords, TheThresholdLiesMidwayBetweenTheValuesThatTheBestTestParts) {
  const RecordForest forest = train(make_table({{1}, {2}, {5}, {9}}, {0, 0, 1, 1}), one_tree());
  const RecordTree& tree = forest.trees[0];
  ASSERT_EQ(tree.nodes.size(), 3u);
  EXPECT_EQ(tree.nodes[0], (RecordNode{3.5f, 1, 0, 0}));
  EXPECT_EQ(forest.fraction_bits, 29);
  EXPECT_EQ(tree.leaf_values(0, 0), 1 << 29);
  EXPECT_EQ(tree.leaf_values(1, 0), 0);
}

TEST(TrainRecords, RoundingNeverMovesAValueToTheOtherSide) {
  const float next = std::nextafterf(1.0f, 2.0f), huge = std::numeric_limits<float>::max();
  EXPECT_EQ(train(make_table({{1}, {next}}, {0, 1}), one_tree()).trees[0].nodes[0].threshold, 1.0f);
  EXPECT_EQ(train(make_table({{-huge}, {huge}}, {0, 1}), one_tree()).trees[0].nodes[0].threshold, 0.0f);
  EXPECT_EQ(train(make_table({{huge}, {kInf}}, {0, 1}), one_tree()).trees[0].nodes[0].threshold, huge);
  EXPECT_EQ(train(make_table({{-kInf}, {kInf}}, {0, 1}), one_tree()).trees[0].nodes[0].threshold, -kInf);
}

TEST(TrainRecords, NegativeZeroIsZero) {
  EXPECT_EQ(train(make_table({{0.0f}, {-0.0f}}, {0, 1}), one_tree()).trees[0].nodes.size(), 1u);
}

TEST(TrainRecords, OfEqualTestsTheLowerAttributeThenTheLowerThresholdWins) {
  // Both attributes separate the classes equally well, each at two thresholds.
  const RecordTable table = make_table({{0, 9}, {1, 8}, {2, 7}}, {0, 1, 0});
  const RecordNode root = train(table, one_tree()).trees[0].nodes[0];
  EXPECT_EQ(root.attribute, 0);
  EXPECT_EQ(root.threshold, 0.5f);
}

TEST(TrainRecords, EntropyAndGiniChooseByTheirFormulas) {
  // Threshold 1.5 has sides of 6+0 and 4+4; threshold 2.5 has 9+1 and 1+3.
  std::vector<std::vector<float>> rows;
  std::vector<std::int32_t> labels;
  const auto add = [&](float value, int zeros, int ones) {
    for (int i = 0; i < zeros + ones; ++i) rows.push_back({value}), labels.push_back(i < zeros ? 0 : 1);
  };
  add(1, 6, 0), add(2, 3, 1), add(3, 1, 3);
  RecordTrainOptions options = one_tree();
  options.max_depth = 1;
  // Gini: 36/6 + 32/8 = 10 versus 82/10 + 10/4 = 10.7.
  EXPECT_EQ(train(make_table(rows, labels), options).trees[0].nodes[0].threshold, 2.5f);
  // Entropy: 0 + 8 bits versus 4.69 + 3.25 = 7.94 bits.
  options.criterion = Criterion::kEntropy;
  EXPECT_EQ(train(make_table(rows, labels), options).trees[0].nodes[0].threshold, 2.5f);
  // With one more pure record on the left, entropy prefers the pure side: 8 versus 8.08 bits; Gini keeps 2.5.
  add(1, 1, 0);
  EXPECT_EQ(train(make_table(rows, labels), options).trees[0].nodes[0].threshold, 1.5f);
  options.criterion = Criterion::kGini;
  EXPECT_EQ(train(make_table(rows, labels), options).trees[0].nodes[0].threshold, 2.5f);
}

TEST(TrainRecords, UnknownValuesGoToTheBetterSide) {
  const RecordTable left = make_table({{1}, {2}, {kUnknownValue}, {3}, {4}}, {0, 0, 0, 1, 1});
  EXPECT_EQ(train(left, one_tree()).trees[0].nodes[0], (RecordNode{2.5f, 1, 0, 1}));
  const RecordTable right = make_table({{1}, {2}, {kUnknownValue}, {3}, {4}}, {0, 0, 1, 1, 1});
  EXPECT_EQ(train(right, one_tree()).trees[0].nodes[0], (RecordNode{2.5f, 1, 0, 0}));
  const RecordTable apart = make_table({{1}, {2}, {kUnknownValue}, {3}}, {0, 0, 1, 0});
  EXPECT_EQ(train(apart, one_tree()).trees[0].nodes[0], (RecordNode{kInf, 1, 0, 0}));
  EXPECT_EQ(train(make_table({{kUnknownValue}, {kUnknownValue}}, {0, 1}), one_tree()).trees[0].nodes.size(), 1u);
}

TEST(TrainRecords, TheForestIsTheSameForAnyNumberOfThreads) {
  const RecordTable table = clouds(2500);
  for (const int trees : {1, 3, 7}) {
    RecordTrainOptions options;
    options.trees = trees;
    options.attributes_per_split = trees == 3 ? 4 : 0;
    EXPECT_EQ(train(table, options, 1), train(table, options, 4)) << trees;
    options.max_leaves = 20;
    EXPECT_EQ(train(table, options, 1), train(table, options, 4)) << trees;
    RecordTrainOptions other = options;
    other.seed = 2;
    EXPECT_EQ(train(table, options).trees == train(table, other).trees, trees == 1);
  }
}

TEST(TrainRecords, LimitsHold) {
  const RecordTable table = clouds(800);
  RecordTrainOptions options = one_tree();
  options.max_depth = 3;
  EXPECT_EQ(train(table, options).trees[0].depth(), 3);
  options.max_depth = 0, options.max_leaves = 16;
  EXPECT_EQ(train(table, options).trees[0].nodes.size(), 31u);
  options.max_leaves = 0, options.min_leaf_samples = 50;
  const RecordForest forest = train(table, options);
  std::vector<std::size_t> counts(forest.trees[0].num_leaves());
  for (std::size_t i = 0; i < table.values.rows(); ++i)
    ++counts[static_cast<std::size_t>(
        find_leaf_of(forest.trees[0].nodes, [&](std::uint16_t a) { return table.values(i, a); }))];
  EXPECT_GE(*std::ranges::min_element(counts), 50u);
  options.min_leaf_samples = 1, options.min_samples = 801;
  EXPECT_EQ(train(table, options).trees[0].nodes.size(), 1u);
}

TEST(TrainRecords, NodesKnowHowManyRecordsReachedThem) {
  const RecordTable table = clouds(500);
  RecordTrainOptions options = one_tree();
  for (const int max_leaves : {0, 13}) {
    options.max_leaves = max_leaves;
    const RecordTree tree = train(table, options).trees[0];
    std::vector<double> reached(tree.nodes.size(), 0.0);
    for (std::size_t i = 0; i < table.values.rows(); ++i) {
      std::size_t index = 0;
      while (++reached[index], !tree.nodes[index].is_leaf()) {
        const RecordNode& node = tree.nodes[index];
        index = static_cast<std::size_t>(node.child + side_of(node, table.values(i, node.attribute)));
      }
    }
    EXPECT_EQ(tree.covers, reached);
  }
  options.trees = 3;
  for (const RecordTree& tree : train(table, options).trees) EXPECT_EQ(tree.covers[0], 500) << "drawn with repetition";
}

TEST(TrainRecords, WithALimitOfLeavesTheTestThatGainsMostComesFirst) {
  for (const bool large_left : {true, false}) {
    std::vector<std::vector<float>> rows;
    std::vector<std::int32_t> labels;
    const auto add = [&](int count, bool large, float value, std::int32_t label) {
      for (int i = 0; i < count; ++i)
        rows.push_back({large == large_left ? 0.0f : 1.0f, value}), labels.push_back(label);
    };
    // The first attribute separates 9 records from 8. In each part the second one separates the classes, with a gain of
    // 9 - 41 / 9 = 4.4 for the 9 and 8 - 34 / 8 = 3.75 for the 8.
    add(5, true, 0, 0), add(4, true, 1, 1), add(5, false, 0, 1), add(3, false, 1, 0);
    RecordTrainOptions options = one_tree();
    options.max_leaves = 3;
    const RecordTree tree = train(make_table(rows, labels), options).trees[0];
    ASSERT_EQ(tree.nodes.size(), 5u);
    EXPECT_EQ(tree.nodes[0].attribute, 0);
    EXPECT_EQ(tree.nodes[1].is_leaf(), !large_left);
    EXPECT_EQ(tree.nodes[2].is_leaf(), large_left);
  }
}

TEST(TrainRecords, DrawnRecordsLeaveSomeForAnHonestEstimate) {
  const RecordTable table = clouds(3000), fresh = clouds(6000);
  RecordTrainOptions options;
  options.trees = 30;
  ThreadPool pool(2);
  RecordTrainReport report;
  const RecordForest forest = train_records(table, options, pool, {}, &report);
  ASSERT_TRUE(report.out_of_bag);
  RecordTable rest = fresh;  // the second half was not used for training
  rest.values = Array2<float>(3000, 5);
  for (std::size_t i = 0; i < 3000; ++i) std::copy_n(fresh.values.row(3000 + i), 5, rest.values.row(i));
  rest.labels.assign(fresh.labels.begin() + 3000, fresh.labels.end());
  EXPECT_NEAR(*report.out_of_bag, static_cast<double>(num_right(forest, rest)) / 3000, 0.03);
  EXPECT_GT(num_right(forest, table), 2950u);
  options.bootstrap = false;
  train_records(table, options, pool, {}, &report);
  EXPECT_FALSE(report.out_of_bag);
}

TEST(TrainRecords, ARecordOfAWholeWeightCountsAsOften) {
  RecordTable weighted = clouds(90), repeated = weighted;
  std::vector<std::vector<float>> rows;
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < weighted.values.rows(); ++i) {
    weighted.weights.push_back(static_cast<double>(i % 4));
    rows.insert(rows.end(), i % 4, {weighted.values.row(i), weighted.values.row(i) + weighted.values.cols()});
    labels.insert(labels.end(), i % 4, weighted.labels[i]);
  }
  repeated = make_table(rows, labels, 3);
  for (const bool bootstrap : {false, true})
    for (const Criterion criterion : kCriteria) {
      RecordTrainOptions options;
      options.trees = 5, options.min_samples = 4, options.min_leaf_samples = 2;
      options.criterion = criterion, options.bootstrap = bootstrap;
      EXPECT_EQ(train(weighted, options).trees, train(repeated, options).trees);
    }
}

TEST(TrainRecords, WeightsWithFractionsAreRelative) {
  RecordTable whole = clouds(90), parts = whole;
  for (std::size_t i = 0; i < whole.values.rows(); ++i) {
    whole.weights.push_back(static_cast<double>(1 + i % 4));
    parts.weights.push_back(0.125 * static_cast<double>(1 + i % 4));
  }
  RecordTrainOptions options;
  options.trees = 2, options.max_leaves = 9;
  options.bootstrap = false;
  const RecordForest expected = train(whole, options), found = train(parts, options);
  for (std::size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(found.trees[t].nodes, expected.trees[t].nodes);
    EXPECT_TRUE(found.trees[t].leaf_values == expected.trees[t].leaf_values);
  }
  // A class of a tiny weight is still there, and bootstrap draws it seldom.
  for (std::size_t i = 0; i < whole.values.rows(); ++i) parts.weights[i] = parts.labels[i] == 2 ? 1e-12 : 1;
  EXPECT_EQ(classify_record(train(parts, one_tree()),
                            parts.values.row(std::ranges::find(parts.labels, 2) - parts.labels.begin())),
            2);
  options.bootstrap = true;
  for (std::size_t i = 0; i < whole.values.rows(); ++i)
    EXPECT_NE(classify_record(train(parts, options), parts.values.row(i)), 2);
}

TEST(TrainRecords, TellsHowFarItIsAndStopsWhenAsked) {
  const RecordTable table = clouds(1000);
  ThreadPool pool(2);
  RecordTrainOptions options;
  options.trees = 4;
  std::size_t last = 0;
  train_records(table, options, pool, [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, 4000u);
    EXPECT_GE(done, last);
    last = done;
  });
  EXPECT_GT(last, 3900u);
  const auto stop = [](std::size_t, std::size_t) { throw Error(ErrorKind::kInterrupted, "stop"); };
  EXPECT_THROW(train_records(table, options, pool, stop), Error);
}

TEST(TrainRecords, RefusesTablesAndOptionsThatBreakARule) {
  const auto refusal = [](const RecordTable& table, const RecordTrainOptions& options) {
    try {
      train(table, options);
    } catch (const Error& problem) {
      return std::string(problem.what());
    }
    return std::string("trained");
  };
  RecordTable table = clouds(10);
  testdata::expect_sentence(refusal({}, one_tree()));
  table.labels[3] = kNoClass;
  testdata::expect_sentence(refusal(table, one_tree()));
  table.labels.pop_back();
  testdata::expect_sentence(refusal(table, one_tree()));
  for (const int num_classes : {32, 33}) {  // more fractions than that are values to predict
    table = clouds(66);
    table.classes.clear();
    for (int c = 0; c < num_classes; ++c) table.classes.push_back(std::to_string(c) + ".5");
    for (std::size_t i = 0; i < table.labels.size(); ++i) table.labels[i] = static_cast<std::int32_t>(i) % num_classes;
    EXPECT_EQ(refusal(table, one_tree()) == "trained", num_classes == 32) << num_classes;
  }
  RecordTrainOptions options;
  options.trees = 0;
  testdata::expect_sentence(refusal(clouds(10), options));
  options = {}, options.max_leaves = 1;
  testdata::expect_sentence(refusal(clouds(10), options));
  options = {}, options.min_samples = 1;
  testdata::expect_sentence(refusal(clouds(10), options));
  for (const std::vector<double>& weights : {std::vector(9, 1.0), std::vector(10, -1.0), std::vector(10, 0.0)}) {
    table = clouds(10), table.weights = weights;
    testdata::expect_sentence(refusal(table, one_tree()));
  }
}

TEST(TrainRecords, KeepsOptionsAndOrigin) {
  const RecordTable table = clouds(20);
  RecordTrainOptions options = one_tree();
  options.max_leaves = 4;
  const RecordForest forest = train(table, options);
  EXPECT_EQ(forest.options_json,
            "{\"attributes_per_split\":0,\"bootstrap\":false,\"criterion\":\"gini\",\"max_depth\":0,\"max_leaves\":4,"
            "\"min_leaf_samples\":1,\"min_samples\":2,\"seed\":4711,\"trees\":1}");
  EXPECT_NE(forest.provenance_json.find("\"records\":20"), std::string::npos) << forest.provenance_json;
}

TEST(TrainRecords, FewerTreesAreTheFirstOfMoreToTheBit) {
  const RecordTable table = clouds(300);
  ThreadPool pool(2);
  RecordTrainOptions options, limited;
  options.trees = 20;
  limited.trees = 9;
  limited.max_leaves = 12;
  limited.bootstrap = false;
  limited.criterion = Criterion::kEntropy;
  for (RecordTrainOptions more : {options, limited}) {
    const RecordForest forest = train(table, more);
    for (const int num_trees : {8, 3, 2}) {
      RecordTrainOptions fewer = more;
      fewer.trees = num_trees;
      EXPECT_TRUE(first_trees(forest, table, more, num_trees, pool) == train(table, fewer)) << num_trees;
    }
  }
  options.bootstrap = true;
  options.attributes_per_split = 2;
  RecordTrainOptions one = options;
  one.trees = 1;
  EXPECT_TRUE(first_trees(train(table, options), table, options, 1, pool) == train(table, one));
}

TEST(TrainRecords, WarnsOfAnAttributeThatNumbersTheRecords) {
  const auto warnings_of = [](std::size_t num_records, const auto& value_of) {
    std::vector<std::vector<float>> rows;
    std::vector<std::int32_t> labels;
    for (std::size_t i = 0; i < num_records; ++i) {
      rows.push_back({0.5f * static_cast<float>(i), value_of(static_cast<int>(i))});
      labels.push_back(static_cast<std::int32_t>(i % 2));
    }
    ThreadPool pool(1);
    RecordTrainReport report;
    train_records(make_table(rows, labels), one_tree(), pool, {}, &report);
    return texts_of(report.warnings);
  };
  using testing::IsEmpty;
  const auto numbering = warnings_of(20, [](int i) { return 7.0f + i; });
  ASSERT_EQ(numbering.size(), 1u);
  testdata::expect_sentence(numbering[0]);
  EXPECT_EQ(warnings_of(20, [](int i) { return 3.0f * i * i; }), numbering);
  EXPECT_THAT(warnings_of(19, [](int i) { return 1.0f * i; }), IsEmpty());
  EXPECT_THAT(warnings_of(20, [](int i) { return 0.25f * i; }), IsEmpty());                 // not whole numbers
  EXPECT_THAT(warnings_of(20, [](int i) { return i == 9 ? 8.0f : 1.0f * i; }), IsEmpty());  // not increasing
}

TEST(Importances, AreSharesOfTheDecreaseOfGinisImpurity) {
  // Eight records have the impurity 5/8. a0 parts four of c0, and leaves 1/2 to the others, which a1 parts: decreases
  // of 8 * 5/8 - 4 * 1/2 = 3 and 4 * 1/2 = 2.
  const RecordTable table =
      make_table({{0, 0}, {0, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 0}, {1, 1}, {1, 1}}, {0, 0, 0, 0, 1, 1, 2, 2}, 3);
  const std::vector<double> found = importances(train(table, one_tree()));
  EXPECT_NEAR(found[0], 0.6, 1e-6);
  EXPECT_NEAR(found[1], 0.4, 1e-6);
}

TEST(Importances, AreSharesOfTheDecreaseOfTheVarianceOfTargets) {
  RecordTable table = make_table({{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {});
  table.classes = {};
  table.targets = {0, 0, 3, 5};
  RecordTrainOptions options = one_tree();
  options.task = Task::kRegression;
  const std::vector<double> found = importances(train(table, options));
  EXPECT_NEAR(found[0], 16.0 / 18, 1e-6);  // 18 around the mean 2, and 2 around 4
  EXPECT_NEAR(found[1], 2.0 / 18, 1e-6);
}

}  // namespace
}  // namespace fernwood::records
