// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model_mutator.h"
#include "fernwood/records/evaluator.h"
#include "records/imported.h"
#include "records/record_bytes_of.h"
#include "sentences.h"

namespace fernwood::records {
namespace {

using testing::ElementsAre;

/// Message of the error with which first_iterations() rejects the arguments.
std::string iterations_refusal(const RecordForest& forest, std::size_t count) {
  try {
    first_iterations(forest, count);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

/// Six trees, two for each iteration.
RecordForest boosted_records() {
  RecordForest forest = random_forest({.trees = 6, .depth = 4, .classes = 3, .link = Link::kSoftmax, .seed = 3});
  forest = with_float_sums(std::move(forest), {.has_classes = true, .has_bias = true});
  forest.float_sums->divisor = 1;
  forest.trees_per_iteration = 2;
  return forest;
}

TEST(Iterations, AreTreesThatWereAddedTogether) {
  const RecordForest forest = boosted_records();
  EXPECT_EQ(num_iterations(forest), 3u);
  const RecordForest first = first_iterations(forest, 2);
  EXPECT_EQ(first.trees, std::vector<RecordTree>(forest.trees.begin(), forest.trees.begin() + 4));
  EXPECT_EQ(first.float_sums, forest.float_sums);
  EXPECT_TRUE(first_iterations(forest, 3) == forest);
  testdata::expect_sentence(iterations_refusal(forest, 4));
  testdata::expect_sentence(iterations_refusal(forest, 0));
  testdata::expect_sentence(iterations_refusal(import_text(kTreeliteModel), 1));
}

TEST(Iterations, OfAnAverageDivideByAsManyTrees) {
  RecordForest forest = with_float_sums(random_forest({.trees = 7, .seed = 4}), {});
  forest.float_sums->divisor = 7;
  EXPECT_EQ(first_iterations(forest, 3).float_sums->divisor, 3);
  forest.float_sums->divisors = {0.5, 0.75, 0.1, 1, 2, 3, 6};
  EXPECT_EQ(first_iterations(forest, 3).float_sums->divisor, 0.1);
  EXPECT_THAT(first_iterations(forest, 3).float_sums->divisors, ElementsAre(0.5, 0.75, 0.1));
  EXPECT_EQ(first_iterations(forest, 7).float_sums->divisor, 7);
  EXPECT_NO_THROW(check_records(first_iterations(forest, 3), "f"));
}

TEST(Iterations, AreEvaluatedAsAForestOfTheirOwn) {
  for (const RecordForest& forest : {boosted_records(), random_forest({.trees = 4, .classes = 3, .seed = 5})}) {
    const std::size_t num_records = 500;
    const std::vector<float> rows = tricky_records(forest, num_records, 6);
    const RecordView records = records_by_rows(rows.data(), num_records, forest.attributes.size());
    const RecordForest first = first_iterations(forest, 2);
    const EvaluatorOptions all = {.device = "cpu", .threads = 1, .remember = false},
                           two = {.device = "cpu", .threads = 1, .remember = false, .iterations = 2};
    std::vector<std::int32_t> expected(num_records), found(num_records);
    make_record_evaluator(first, all)->classify(records, expected.data());
    make_record_evaluator(forest, two)->classify(records, found.data());
    EXPECT_EQ(found, expected);
    ValueEvaluator of_first(first, all), of_forest(forest, two);
    ASSERT_EQ(of_forest.num_trees(), first.trees.size());
    std::vector<double> margins(num_records * 3), first_margins(num_records * 3);
    of_forest.find_margins(records, margins.data());
    of_first.find_margins(records, first_margins.data());
    EXPECT_EQ(margins, first_margins);
    std::vector<std::int32_t> leaves(num_records * first.trees.size()), first_leaves(leaves);
    of_forest.find_leaves(records, leaves.data());
    of_first.find_leaves(records, first_leaves.data());
    EXPECT_EQ(leaves, first_leaves);
  }
  EXPECT_THROW(make_record_evaluator(boosted_records(), {.device = "cpu", .iterations = -1}), Error);
  EXPECT_THROW(ValueEvaluator(boosted_records(), {.device = "cpu", .iterations = 4}), Error);
}

TEST(Iterations, AreSavedWhereTheyAreNotSingleTrees) {
  RecordForest forest = boosted_records();
  forest.float_sums->divisor = 6;
  forest.float_sums->divisors = {1, 3, 6};
  const Bytes bytes = record_bytes(forest);
  EXPECT_TRUE(read_records(bytes, "f") == forest);
  const nlohmann::json header = ModelParts(bytes).json();
  EXPECT_EQ(header["trees_per_iteration"], 2);
  EXPECT_EQ(header["float_sums"]["divisors"], nlohmann::json({1, 3, 6}));
  EXPECT_FALSE(ModelParts(record_bytes(mixed_records())).json().contains("trees_per_iteration"));
  forest.float_sums->divisors = {1, 6};
  EXPECT_THROW(record_bytes(forest), Error);
  forest.float_sums->divisors = {1, 0, 6};
  EXPECT_THROW(record_bytes(forest), Error);
  forest.float_sums->divisors.clear();
  forest.trees_per_iteration = 4;
  EXPECT_THROW(record_bytes(forest), Error);
}

}  // namespace
}  // namespace fernwood::records
