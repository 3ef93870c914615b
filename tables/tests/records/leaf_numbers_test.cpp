// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/model_mutator.h"
#include "fernwood/records/evaluator.h"
#include "records/imported.h"
#include "records/record_bytes_of.h"
#include "sentences.h"

namespace fernwood::records {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// [tree] Number of the leaf that a record reaches.
std::vector<std::int32_t> leaves_of(const RecordForest& forest, const std::vector<float>& record) {
  ValueEvaluator evaluator(forest, {.device = "cpu", .threads = 1, .remember = false});
  std::vector<std::int32_t> leaves(evaluator.num_trees());
  evaluator.find_leaves(records_by_rows(record.data(), 1, record.size()), leaves.data());
  return leaves;
}

TEST(LeafNumbers, AreThoseOfNodesWhereTheLibraryNumbersThese) {
  const RecordForest xgboost = import_text(kXgboostModel);
  EXPECT_THAT(leaves_of(xgboost, {1.4f, 0}), ElementsAre(1, 0));
  EXPECT_THAT(leaves_of(xgboost, {1.5f, -1}), ElementsAre(3, 0));
  EXPECT_THAT(leaves_of(xgboost, {1.5f, 0}), ElementsAre(4, 0));
  EXPECT_THAT(leaves_of(import_text(kTreeliteModel), {0, 4}), ElementsAre(2));
}

TEST(LeafNumbers, AreThoseOfLeavesWhereTheLibraryNumbersThese) {
  const RecordForest lightgbm = import_text(kLightgbmModel);
  EXPECT_THAT(leaves_of(lightgbm, {0, -2}), ElementsAre(0, 0));
  EXPECT_THAT(leaves_of(lightgbm, {1, -2}), ElementsAre(1, 0));
  EXPECT_THAT(leaves_of(lightgbm, {0, 0}), ElementsAre(2, 0));
  const RecordForest catboost = import_text(kCatboostModel);
  EXPECT_THAT(leaves_of(catboost, {0.6f, -1}), ElementsAre(1, 0));
  EXPECT_THAT(leaves_of(catboost, {0.5f, 0}), ElementsAre(2, 1));
}

TEST(LeafNumbers, OfCatboostCountALeafOnTheRightBeforeASubtreeOnTheLeft) {
  const std::string split = R"("split":{"border":0,"float_feature_index":)", end = R"(,"split_type":"FloatFeature"})";
  const std::string inner = "{" + split + "1" + end + R"(,"left":{"value":1},"right":{"value":2}})";
  const auto trees_of = [&](const std::string& left, const std::string& right) {
    const std::size_t begin = kCatboostModel.find("\"oblivious_trees\""),
                      after = kCatboostModel.find("\"scale_and_bias\"");
    return import_text(kCatboostModel.substr(0, begin) + "\"trees\":[{" + split + "0" + end + ",\"left\":" + left +
                       ",\"right\":" + right + "}]," + kCatboostModel.substr(after));
  };
  const RecordForest subtree_left = trees_of(inner, R"({"value":3})"),
                     subtree_right = trees_of(R"({"value":3})", inner);
  EXPECT_THAT(leaves_of(subtree_left, {1, 0}), ElementsAre(0));
  EXPECT_THAT(leaves_of(subtree_left, {0, 0}), ElementsAre(1));
  EXPECT_THAT(leaves_of(subtree_left, {0, 1}), ElementsAre(2));
  EXPECT_THAT(leaves_of(subtree_right, {0, 0}), ElementsAre(0));
  EXPECT_THAT(leaves_of(subtree_right, {1, 0}), ElementsAre(1));
  EXPECT_THAT(leaves_of(subtree_right, {1, 1}), ElementsAre(2));
}

TEST(LeafNumbers, AreIndicesWhereNoneAreGiven) {
  const RecordForest forest = stumps({{0, 1.0f}, {1, 5.0f}});
  EXPECT_THAT(forest.trees[0].leaf_numbers, IsEmpty());
  EXPECT_THAT(leaves_of(forest, {2, 3}), ElementsAre(1, 0));
}

/// mixed_records() with leaf numbers.
RecordForest numbered_records() {
  RecordForest forest = mixed_records();
  forest.trees[0].leaf_numbers = {7, -1, 7};
  forest.trees[1].leaf_numbers = {1 << 30};
  return forest;
}

TEST(LeafNumbers, LieBehindAllElseInAFileThatRequiresThem) {
  const RecordForest forest = numbered_records();
  const Bytes bytes = record_bytes(forest);
  EXPECT_TRUE(read_records(bytes, "f") == forest);
  const ModelParts parts(bytes);
  EXPECT_EQ(parts.json()["requires"], nlohmann::json({"leaf_numbers"}));
  EXPECT_EQ(parts.json()["leaf_numbers"], true);
  EXPECT_EQ(parts.json()["arrays"].back()["name"], "leaf_numbers");
  EXPECT_EQ(parts.json()["arrays"].back()["shape"], nlohmann::json({4}));
  const RecordForest rules = random_forest({.trees = 2, .depth = 4, .seed = 51, .sets = 7, .missing = 3});
  RecordForest both = with_float_sums(rules, {.has_classes = true});
  for (RecordTree& tree : both.trees) tree.leaf_numbers.assign(tree.num_leaves(), 3);
  EXPECT_TRUE(read_records(record_bytes(both), "f") == both);
}

TEST(LeafNumbers, AllLeavesHaveOneOrNone) {
  const auto refusal = [](auto change) -> std::string {
    RecordForest forest = numbered_records();
    change(forest);
    try {
      check_records(forest, "f");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal([](RecordForest&) {}), "");
  testdata::expect_sentence(refusal([](RecordForest& forest) { forest.trees[1].leaf_numbers.clear(); }));
  testdata::expect_sentence(refusal([](RecordForest& forest) { forest.trees[0].leaf_numbers.pop_back(); }));
}

TEST(TreeValues, AreWhatLeavesAddToTheSums) {
  for (const bool has_floats : {false, true}) {
    RecordForest forest = random_forest({.trees = 5, .depth = 4, .classes = 3, .seed = 8});
    if (has_floats) forest = with_float_sums(std::move(forest), {.has_classes = true});
    const std::size_t num_attributes = forest.attributes.size(), num_records = 2100;
    const std::vector<float> rows = tricky_records(forest, num_records, 5);
    ValueEvaluator evaluator(forest, {.device = "cpu", .threads = 2, .remember = false});
    ASSERT_EQ(evaluator.num_trees(), 5u);
    ASSERT_EQ(evaluator.tree_width(), 3u);
    std::vector<double> found(num_records * 15);
    evaluator.find_tree_values(records_by_rows(rows.data(), num_records, num_attributes), found.data());
    for (std::size_t i = 0; i < num_records; ++i)
      for (std::size_t t = 0; t < 5; ++t) {
        const RecordTree& tree = forest.trees[t];
        const float* record = rows.data() + i * num_attributes;
        const auto leaf = static_cast<std::size_t>(
            find_leaf_of(tree.nodes, [&](std::uint16_t attribute) { return record[attribute]; }));
        for (std::size_t k = 0; k < 3; ++k)
          ASSERT_EQ(found[i * 15 + t * 3 + k],
                    has_floats ? tree.float_values(leaf, k) : std::ldexp(tree.leaf_values(leaf, k), -16));
      }
  }
}

}  // namespace
}  // namespace fernwood::records
