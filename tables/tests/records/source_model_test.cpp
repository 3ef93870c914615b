// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/import/source_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <limits>

#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood::records {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Thresholds at which rounding to 32 bits could be wrong.
const double kThresholds[] = {0.0,
                              -0.0,
                              1.0,
                              0.1,
                              -0.1,
                              1e-46,
                              -1e-46,
                              FLT_MIN,
                              1e308,
                              -1e308,
                              FLT_MAX,
                              -FLT_MAX,
                              1e-35,
                              -1e-35f,
                              16777217,
                              -16777217,
                              kInfinity,
                              -kInfinity,
                              0.1f,
                              std::nextafter(0.1f, 1.0),
                              std::nextafter(0.1f, 0.0)};

/// The float nearest to the threshold, its neighbours, zeros and infinities.
std::vector<float> values_around(double threshold) {
  const float nearest = static_cast<float>(threshold), infinity = std::numeric_limits<float>::infinity();
  return {nearest,  std::nextafter(nearest, infinity), std::nextafter(nearest, -infinity), 0.0f, -0.0f, infinity,
          -infinity};
}

TEST(SourceModel, TestsOfFloatsKeepTheirMeaningExactly) {
  for (const double threshold : kThresholds)
    for (const float value : values_around(threshold)) {
      const UpToTest up = up_to(threshold), under = below(threshold);
      EXPECT_EQ((value <= up.threshold) != up.swapped, value <= threshold) << value << " <= " << threshold;
      EXPECT_EQ((value <= under.threshold) != under.swapped, value < threshold) << value << " < " << threshold;
    }
}

/// A softmax model of two outputs and one attribute, with one tree of these nodes and leaf values 0, 1, 2 ...
SourceModel model_of(const std::vector<SourceNode>& nodes) {
  SourceModel model;
  model.num_classes = 2;
  model.num_attributes = 1;
  model.link = Link::kSoftmax;
  model.sums.base = {0.5, -0.5};
  SourceTree& tree = model.trees.emplace_back();
  tree.nodes = nodes;
  double value = 0;
  for (SourceNode& node : tree.nodes) {
    if (!node.is_leaf()) continue;
    tree.add_leaf(node, &value);
    ++value;
  }
  return model;
}

const ErrorContext kPlace = {"f", ""};

SourceNode test_node(int left, int right, UpToTest test, bool nan_left) { return {left, right, 0, test, nan_left, 0}; }

TEST(SourceModel, TreesComeInBreadthFirstOrder) {
  // The root's left child is node 4, whose children are nodes 1 and 3; its right child is node 2.
  const SourceModel model = model_of({test_node(4, 2, {5, false}, true), {}, {}, {}, test_node(3, 1, {2, true}, true)});
  const RecordForest forest = to_record_forest(model, kPlace);
  EXPECT_EQ(forest.fraction_bits, 29);  // sums reach 2.5 in magnitude
  const RecordTree& tree = forest.trees[0];
  // The second test is inverted, along with its children and the side of NaN.
  EXPECT_EQ(tree.nodes,
            (std::vector<RecordNode>{{5, 1, 0, 1}, {2, 3, 0, 0}, {0, ~0, 0, 0}, {0, ~1, 0, 0}, {0, ~2, 0, 0}}));
  const std::int32_t one = 1 << 29;
  EXPECT_EQ(tree.leaf_values(0, 0), 1 * one);  // node 2 of the source has the second leaf
  EXPECT_EQ(tree.leaf_values(1, 0), 0 * one);  // node 1
  EXPECT_EQ(tree.leaf_values(2, 0), 2 * one);  // node 3
  EXPECT_EQ(forest.base, (std::vector<std::int32_t>{one / 2, -one / 2}));
}

std::string refusal(const SourceModel& model) {
  try {
    to_record_forest(model, kPlace);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    return error.what();
  }
  return "";
}

TEST(SourceModel, RefusesWhatIsNoTree) {
  const UpToTest test{1, false};
  EXPECT_EQ(refusal(model_of({test_node(1, 2, test, false), {}, {}})), "");
  testdata::expect_sentence(refusal(model_of({test_node(0, 1, test, false), {}})));
  testdata::expect_sentence(refusal(model_of({test_node(1, 3, test, false), {}, {}})));
  testdata::expect_sentence(refusal(model_of({test_node(1, -1, test, false), {}, {}})));
  testdata::expect_sentence(refusal(model_of({test_node(1, 2, {NAN, false}, false), {}, {}})));
  SourceModel model = model_of({test_node(1, 2, test, false), {}, {}});
  model.trees[0].nodes[0].attribute = 1;
  testdata::expect_sentence(refusal(model));
  model = model_of({{}});
  model.trees[0].leaf_values[0] = kInfinity;
  testdata::expect_sentence(refusal(model));
  model.trees[0].leaf_values[0] = 1e10;
  testdata::expect_sentence(refusal(model));
}

TEST(SourceModel, SumsOfManyRoundedValuesFit) {
  SourceModel model = model_of({{}});
  model.sums.base = {0, 0};
  model.trees[0].leaf_values[0] = 1 - 1e-12;
  model.trees.assign(5000, model.trees[0]);
  RecordForest forest = to_record_forest(model, kPlace);
  forest.classes = {"a", "b"};
  forest.attributes = {"x"};
  check_records(forest, "f");
  EXPECT_EQ(forest.fraction_bits, 18);  // 5000 << 18 is 1310720000
}

}  // namespace
}  // namespace fernwood::records
