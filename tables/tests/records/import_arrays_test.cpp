// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fernwood/records/tree_arrays.h"
#include "records/imported.h"
#include "sentences.h"

namespace fernwood::records {
namespace {

using testing::ElementsAre;

/// A node in scikit-learn's memory layout, where the fields of a node are adjacent.
struct LibraryNode {
  std::int64_t left, right, attribute;
  double threshold;
  std::uint8_t nan_left;
};

template <typename T>
StridedArray<T> field_of(const std::vector<LibraryNode>& nodes, T LibraryNode::*field) {
  return {&(nodes[0].*field), nodes.size(), sizeof(LibraryNode)};
}

/// weight <= 0.1, or unknown, gives (0.25, 0.75); else (1, 0). The second tree always gives (0.5, 0.5).
struct LibraryModel {
  std::vector<LibraryNode> nodes = {{1, 2, 1, 0.1, 1}, {-1, -1, -2, -2, 0}, {-1, -1, -2, -2, 0}};
  std::vector<double> values = {9, 9, 0.25, 0.75, 1, 0};
  std::vector<LibraryNode> stump = {{-1, -1, -2, -2, 0}};
  std::vector<double> stump_values = {0.5, 0.5};

  static TreeArrays tree_of(const std::vector<LibraryNode>& nodes, const std::vector<double>& values) {
    return {field_of(nodes, &LibraryNode::left),
            field_of(nodes, &LibraryNode::right),
            field_of(nodes, &LibraryNode::attribute),
            field_of(nodes, &LibraryNode::threshold),
            field_of(nodes, &LibraryNode::nan_left),
            {values.data(), values.size()},
            {},
            0,
            2};
  }
  ForestArrays arrays() const {
    return {.link = Link::kMean,
            .num_classes = 2,
            .num_attributes = 2,
            .sums = {.base = {0, 0}, .divisor = 2},
            .trees = {tree_of(nodes, values), tree_of(stump, stump_values)},
            .estimator = "Forest",
            .library_version = "1"};
  }
};

TEST(ImportArrays, SharesOfClassesAreAveraged) {
  const LibraryModel model;
  const RecordForest forest = import_arrays(model.arrays(), "model", {ModelSource::kAuto, {"no", "yes"}, {}});
  EXPECT_EQ(forest.link, Link::kMean);
  // The float 0.1 is greater than the double.
  EXPECT_THAT(sums_of(forest, {0, 0.1f}), ElementsAre(1.5, 0.5));
  EXPECT_THAT(sums_of(forest, {0, std::nextafter(0.1f, 0.0f)}), ElementsAre(0.75, 1.25));
  EXPECT_THAT(forest.classes, ElementsAre("no", "yes"));
  EXPECT_THAT(forest.attributes, ElementsAre("f0", "f1"));
  EXPECT_THAT(sums_of(forest, {0, std::nanf("")}), ElementsAre(0.75, 1.25));
}

TEST(ImportArrays, TestsAskSetsOfCategories) {
  LibraryModel model;
  model.nodes[0].nan_left = 0;
  const std::vector<std::int64_t> set = {1, -1, -1};
  const std::vector<std::uint64_t> words = {1, 0, 0b1010, 1};  // words 2 and 3: categories 1, 3 and 64
  ForestArrays arrays = model.arrays();
  arrays.trees[0].set = {set.data(), set.size()};
  arrays.trees[0].set_words = {words.data(), words.size()};
  arrays.trees[0].words_per_set = 2;
  const auto is_left = [&](float weight) { return sums_of(import_arrays(arrays, "model"), {0, weight})[0] == 0.75; };
  for (const float weight : {1.0f, 3.0f, 64.0f}) EXPECT_TRUE(is_left(weight)) << weight;
  for (const float weight : {0.0f, 2.0f, 1.5f, 65.0f, 127.0f, -1.0f, 128.0f, std::nanf("")})
    EXPECT_FALSE(is_left(weight)) << weight;
  model.nodes[0].nan_left = 1;  // applies to values that are not categories, too
  for (const float weight : {1.0f, 1.5f, -1.0f, -0.5f, 128.0f, 1e30f, std::nanf("")}) EXPECT_TRUE(is_left(weight));
  EXPECT_FALSE(is_left(2.0f));
  arrays.trees[0].words_per_set = 4;
  EXPECT_THROW(import_arrays(arrays, "model"), Error);
  arrays.trees[0].words_per_set = 2;
  arrays.trees[0].set.size = 2;
  EXPECT_THROW(import_arrays(arrays, "model"), Error);
}

TEST(ImportArrays, RefusesWhatIsNoTree) {
  const auto refusal = [](const LibraryModel& model, const auto& change) {
    ForestArrays arrays = model.arrays();
    change(arrays);
    try {
      import_arrays(arrays, "model");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  const auto as_it_is = [](ForestArrays&) {};
  LibraryModel model;
  EXPECT_EQ(refusal(model, as_it_is), "taken");
  testdata::expect_sentence(refusal(model, [](ForestArrays& a) { a.trees[0].values.size = 4; }));
  testdata::expect_sentence(refusal(model, [](ForestArrays& a) { a.trees[0].left.size = 2; }));
  testdata::expect_sentence(refusal(model, [](ForestArrays& a) { a.trees[0].first_output = 1; }));
  testdata::expect_sentence(refusal(model, [](ForestArrays& a) { a.sums.base = {0}; }));
  testdata::expect_sentence(refusal(model, [](ForestArrays& a) { a.num_attributes = 0; }));
  model.nodes[0].right = 7;
  testdata::expect_sentence(refusal(model, as_it_is));
  model.nodes[0].right = std::int64_t{1} << 40;
  testdata::expect_sentence(refusal(model, as_it_is));
  model.nodes[0] = {1, 2, -2, 0.1, 0};
  testdata::expect_sentence(refusal(model, as_it_is));
  model.nodes[0] = {1, 2, 1, std::nan(""), 0};
  testdata::expect_sentence(refusal(model, as_it_is));
}

}  // namespace
}  // namespace fernwood::records
