// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "records/imported.h"
#include "records/onnx_models.h"
#include "sentences.h"

namespace fernwood::records {
namespace {

using testing::ElementsAre;

const float kOnnxNan = std::nanf("");

TEST(ImportOnnx, ValuesThatFulfilTheTestGoToTheTrueChild) {
  const RecordForest forest = import_text(onnx_regressor().file());
  EXPECT_EQ(forest.link, Link::kIdentity);
  EXPECT_EQ(forest.attributes.size(), 2u);
  EXPECT_NE(forest.provenance_json.find(R"("imported_from":"onnx","version":"writer 1.2")"), std::string::npos);
  EXPECT_THAT(predicted_of(forest, {0.5f, -1}), ElementsAre(1.25));
  EXPECT_THAT(predicted_of(forest, {0.5f, -0.9f}), ElementsAre(2.25));
  EXPECT_THAT(predicted_of(forest, {0.6f, -1}), ElementsAre(4.25));
  EXPECT_THAT(predicted_of(forest, {kOnnxNan, kOnnxNan}), ElementsAre(2.25));  // NaN: node 0 true, node 1 false
}

TEST(ImportOnnx, ModesCompareAsTheyAreNamed) {
  const auto at_the_thresholds = [](const std::string& mode) {
    OnnxTreeWriter writer = onnx_regressor();
    writer.texts("nodes_modes", {mode, mode, "LEAF", "LEAF", "LEAF", "LEAF"});
    const RecordForest forest = import_text(writer.file());
    std::vector<double> found;
    for (const float value : {0.4f, 0.5f, 0.6f, kOnnxNan}) found.push_back(predicted_of(forest, {value, 9})[0] - 0.25);
    return found;
  };
  EXPECT_THAT(at_the_thresholds("BRANCH_LEQ"), ElementsAre(2, 2, 4, 2));
  EXPECT_THAT(at_the_thresholds("BRANCH_LT"), ElementsAre(2, 4, 4, 2));
  EXPECT_THAT(at_the_thresholds("BRANCH_GT"), ElementsAre(4, 4, 1, 1));
  EXPECT_THAT(at_the_thresholds("BRANCH_GTE"), ElementsAre(4, 1, 1, 1));
}

TEST(ImportOnnx, BaseValuesAreAddedLastAndAveragesAreOverTrees) {
  EXPECT_THAT(predicted_of(import_text(onnx_regressor().reals("base_values", {10}).file()), {0, -1}),
              ElementsAre(11.25));
  EXPECT_THAT(predicted_of(
                  import_text(onnx_regressor().text("aggregate_function", "AVERAGE").reals("base_values", {10}).file()),
                  {0, -1}),
              ElementsAre(1.25 / 2 + 10));
  // 2^24 + 1.25 rounds to 2^24 + 2 in 32 bits, but adding 1 and then 0.25 would give 2^24.
  EXPECT_THAT(float_sums_of(import_text(onnx_regressor().reals("base_values", {16777216}).file()), {0, -1}),
              ElementsAre(16777218));
}

TEST(ImportOnnx, NumbersOf64BitsStandInTensors) {
  for (const bool raw : {false, true}) {
    OnnxTreeWriter writer = onnx_regressor().remove("nodes_values").remove("target_weights");
    writer.doubles("nodes_values_as_tensor", {0.1, -1, 0, 0, 0, 0}, raw);
    const RecordForest forest = import_text(writer.doubles("target_weights_as_tensor", {0.1, 2, 4, 1e-9}, raw).file());
    EXPECT_THAT(predicted_of(forest, {0, -1}), ElementsAre(0.1 + 1e-9));
    EXPECT_THAT(predicted_of(forest, {0.1f, -1}), ElementsAre(4 + 1e-9));  // the float 0.1 is greater than the double
  }
}

TEST(ImportOnnx, LeavesGiveWhatTheyListToTheirTargets) {
  OnnxTreeWriter writer = onnx_trees("TreeEnsembleRegressor", "target", {1, 0, 0, 1}).whole("n_targets", 2);
  EXPECT_THAT(predicted_of(import_text(writer.file()), {0, -1}), ElementsAre(0, 1.25));
  EXPECT_THAT(predicted_of(import_text(writer.file()), {1, 0}), ElementsAre(4, 0.25));
  writer.text("post_transform", "LOGISTIC");
  EXPECT_THAT(predicted_of(import_text(writer.file()), {0, -1})[0], 0.5);
  writer.wholes("target_treeids", {7, 7, 7, 7}).wholes("target_nodeids", {2, 2, 4, 3});
  EXPECT_THAT(float_sums_of(import_text(writer.wholes("target_ids", {0, 1, 0, 0}).file()), {0, -1}), ElementsAre(1, 2));
  testdata::expect_sentence(import_refusal(writer.wholes("target_ids", {0, 0, 0, 0}).file()));
}

TEST(ImportOnnx, ArraysOfVersion5AreTheSameTrees) {
  const RecordForest forest = import_text(onnx_arrays().file());
  EXPECT_THAT(predicted_of(forest, {0.5f, -1}), ElementsAre(1.25));
  EXPECT_THAT(predicted_of(forest, {0.5f, -0.9f}), ElementsAre(2.25));
  EXPECT_THAT(predicted_of(forest, {0.6f, -1}), ElementsAre(4.25));
  EXPECT_THAT(predicted_of(forest, {kOnnxNan, kOnnxNan}), ElementsAre(2.25));
  EXPECT_THAT(predicted_of(import_text(onnx_arrays().whole("aggregate_function", 0).file()), {0, -1}),
              ElementsAre(1.25 / 2));
  OnnxTreeWriter two = onnx_arrays().whole("n_targets", 2).wholes("leaf_targetids", {1, 0, 0, 1});
  EXPECT_THAT(predicted_of(import_text(two.file()), {0, -1}), ElementsAre(0, 1.25));
  const auto refusal = [](const OnnxTreeWriter& writer) { return import_refusal(writer.file()); };
  testdata::expect_sentence(refusal(onnx_arrays().bytes("nodes_modes", {0, 6, 0})));
  testdata::expect_sentence(refusal(onnx_arrays().bytes("nodes_modes", {0, 99, 0})));
  testdata::expect_sentence(refusal(onnx_arrays().whole("aggregate_function", 3)));
  testdata::expect_sentence(refusal(onnx_arrays().whole("post_transform", 4)));
  testdata::expect_sentence(refusal(onnx_arrays().wholes("tree_roots", {1, 1})));
  testdata::expect_sentence(refusal(onnx_arrays().wholes("tree_roots", {1, 3})));
  testdata::expect_sentence(refusal(onnx_arrays().wholes("nodes_truenodeids", {4, 0, 3})));
  testdata::expect_sentence(refusal(onnx_arrays().wholes("nodes_truenodeids", {-1, 0, 3})));
}

TEST(ImportOnnx, ScoresOfOneClassOfTwoAreItsProbabilityOrItsLogOdds) {
  OnnxTreeWriter averaged = onnx_classifier({1, 1, 1, 1}).reals("class_weights", {0.25f, 0.5f, 0, 0.5f});
  const RecordForest mean = import_text(averaged.file());
  EXPECT_EQ(mean.link, Link::kMean);
  EXPECT_THAT(mean.classes, ElementsAre("no", "yes"));
  EXPECT_THAT(predicted_of(mean, {0, -1}), ElementsAre(0.25, 0.75));
  EXPECT_THAT(predicted_of(mean, {1, -1}), ElementsAre(0.5, 0.5));
  OnnxTreeWriter boosted = onnx_classifier({0, 0, 0, 0}).text("post_transform", "LOGISTIC").reals("base_values", {-2});
  const RecordForest logistic = import_text(boosted.file());
  EXPECT_EQ(logistic.link, Link::kLogistic);
  EXPECT_THAT(float_sums_of(logistic, {0, -1}), ElementsAre(1.25 - 2));
  EXPECT_NEAR(sums_of(logistic, {0, -1})[0], 1.25 - 2, 1e-7);
  testdata::expect_sentence(import_refusal(onnx_classifier({1, 1, 1, 1}).file()));
}

TEST(ImportOnnx, ScoresOfAllClassesAreProbabilitiesOrBecomeThem) {
  const auto link = [](const std::string& transform, const std::vector<float>& weights, std::string* note) {
    OnnxTreeWriter writer = onnx_classifier({0, 1, 0, 1}).text("post_transform", transform);
    return import_text_of(writer.reals("class_weights", weights).file(), "model", {}, note).link;
  };
  std::string note;
  EXPECT_EQ(link("NONE", {0.5f, 0.5f, 0.5f, 0.5f}, &note), Link::kMean);
  EXPECT_EQ(note, "");
  EXPECT_EQ(link("SOFTMAX", {0.5f, 0.5f, 0.5f, 0.5f}, &note), Link::kSoftmax);
  EXPECT_EQ(link("LOGISTIC", {0.5f, 0.5f, -0.5f, 0.5f}, &note), Link::kSigmoid);
  EXPECT_EQ(note, "");
  EXPECT_EQ(link("NONE", {0.5f, 0.5f, -0.5f, 0.5f}, &note), Link::kSoftmax);
  testdata::expect_sentence(note);
}

TEST(ImportOnnx, LabelsMayBeNumbersAndTheRootMayStandAnywhere) {
  OnnxTreeWriter writer = onnx_classifier({0, 1, 0, 1}).remove("classlabels_strings");
  EXPECT_THAT(import_text(writer.wholes("classlabels_int64s", {-3, 5}).file()).classes, ElementsAre("-3", "5"));
  OnnxTreeWriter turned = onnx_regressor().wholes("nodes_nodeids", {1, 0, 2, 3, 4, 0});
  turned.texts("nodes_modes", {"BRANCH_LEQ", "BRANCH_LEQ", "LEAF", "LEAF", "LEAF", "LEAF"});
  turned.wholes("nodes_truenodeids", {2, 1, 0, 0, 0, 0}).wholes("nodes_falsenodeids", {3, 4, 0, 0, 0, 0});
  const RecordForest forest = import_text(turned.file());  // tests value 1 <= -1, then value 0 <= 0.5
  EXPECT_THAT(predicted_of(forest, {0.5f, -1}), ElementsAre(1.25));
  EXPECT_THAT(predicted_of(forest, {0.6f, -1}), ElementsAre(2.25));
  EXPECT_THAT(predicted_of(forest, {0.6f, 0}), ElementsAre(4.25));
}

TEST(ImportOnnx, WhatFollowsTheTreesMayChangeNothing) {
  OnnxTreeWriter probabilities = onnx_classifier({1, 1, 1, 1}).reals("class_weights", {0.25f, 0.5f, 0, 0.5f});
  EXPECT_EQ(import_refusal(probabilities.file({"Cast", "ZipMap", "Normalizer", "ArgMax", "Identity"})), "");
  testdata::expect_sentence(import_refusal(onnx_regressor().file({"Normalizer"})));
  testdata::expect_sentence(import_refusal(onnx_regressor().file({"Exp"})));
  testdata::expect_sentence(import_refusal(onnx_regressor().file({"Mul"})));
  testdata::expect_sentence(import_refusal(onnx_regressor().file({"TreeEnsembleRegressor"})));
  testdata::expect_sentence(import_refusal(OnnxTreeWriter("Conv").file()));
}

/// onnx_regressor() with a different mode and value of the first test; unknown values go to the true child.
OnnxTreeWriter onnx_of_mode(const std::string& mode, float value) {
  return onnx_regressor()
      .texts("nodes_modes", {mode, "BRANCH_LEQ", "LEAF", "LEAF", "LEAF", "LEAF"})
      .reals("nodes_values", {value, -1, 0, 0, 0, 0});
}

TEST(ImportOnnx, EqualityIsAskedExactly) {
  const RecordForest equal = import_text(onnx_of_mode("BRANCH_EQ", 2).file());
  const RecordForest unequal = import_text(onnx_of_mode("BRANCH_NEQ", 2).file());
  const double when_true = 1.25, when_false = 4.25;
  for (const float other : {0.0f, -2.0f, 1.0f, 1.999f, 2.001f, 3.0f, 66.0f, 2.5f, 1e30f, INFINITY, -INFINITY}) {
    EXPECT_THAT(predicted_of(equal, {other, -1}), ElementsAre(when_false)) << other;
    EXPECT_THAT(predicted_of(unequal, {other, -1}), ElementsAre(when_true)) << other;
  }
  EXPECT_THAT(predicted_of(equal, {2, -1}), ElementsAre(when_true));
  EXPECT_THAT(predicted_of(unequal, {2, -1}), ElementsAre(when_false));
  const RecordForest zero = import_text(onnx_of_mode("BRANCH_EQ", -0.0f).file());
  EXPECT_THAT(predicted_of(zero, {0, -1}), ElementsAre(when_true));
  EXPECT_THAT(predicted_of(zero, {-0.5f, -1}), ElementsAre(when_false));
}

TEST(ImportOnnx, UnknownValuesAreUnequalWhateverTheNodeSays) {
  const std::vector<std::int64_t> right(6, 0);
  const double when_true = 1.25, when_false = 4.25;
  const auto at_unknown = [](const OnnxTreeWriter& writer) {
    return predicted_of(import_text(writer.file()), {kOnnxNan, -1});
  };
  EXPECT_THAT(at_unknown(onnx_of_mode("BRANCH_EQ", 2)), ElementsAre(when_true));
  EXPECT_THAT(at_unknown(onnx_of_mode("BRANCH_NEQ", 2)), ElementsAre(when_true));
  const char* missing = "nodes_missing_value_tracks_true";
  EXPECT_THAT(at_unknown(onnx_of_mode("BRANCH_EQ", 2).wholes(missing, right)), ElementsAre(when_false));
  EXPECT_THAT(at_unknown(onnx_of_mode("BRANCH_NEQ", 2).wholes(missing, right)), ElementsAre(when_true));
}

TEST(ImportOnnx, EqualitiesThatLeadToOneNodeAreASet) {
  // Nodes 0 to 2 test whether value 0 is 2, 3 or 70, and lead to leaf 3, else to leaf 4.
  const auto chain = [](const std::vector<std::int64_t>& when_true, const std::vector<std::int64_t>& missing) {
    return onnx_regressor()
        .wholes("nodes_treeids", {7, 7, 7, 7, 7})
        .wholes("nodes_nodeids", {0, 1, 2, 3, 4})
        .wholes("nodes_featureids", {0, 0, 0, 0, 0})
        .reals("nodes_values", {2, 3, 70, 0, 0})
        .texts("nodes_modes", {"BRANCH_EQ", "BRANCH_EQ", "BRANCH_EQ", "LEAF", "LEAF"})
        .wholes("nodes_truenodeids", when_true)
        .wholes("nodes_falsenodeids", {1, 2, 4, 0, 0})
        .wholes("nodes_missing_value_tracks_true", missing)
        .wholes("target_treeids", {7, 7})
        .wholes("target_nodeids", {3, 4})
        .wholes("target_ids", {0, 0})
        .reals("target_weights", {1, 2})
        .file();
  };
  const RecordForest forest = import_text(chain({3, 3, 3, 0, 0}, {0, 0, 0, 0, 0}));
  EXPECT_EQ(forest.columns.sets.size(), 1u);
  EXPECT_EQ(forest.trees[0].nodes.size(), 3u);
  for (const float in : {2.0f, 3.0f, 70.0f}) EXPECT_THAT(predicted_of(forest, {in, 0}), ElementsAre(1)) << in;
  for (const float out : {0.0f, 1.0f, 2.5f, 69.0f, 71.0f, kOnnxNan})
    EXPECT_THAT(predicted_of(forest, {out, 0}), ElementsAre(2)) << out;
  EXPECT_THAT(predicted_of(import_text(chain({3, 3, 3, 0, 0}, {1, 1, 1, 0, 0})), {kOnnxNan, 0}), ElementsAre(1));
  testdata::expect_sentence(import_refusal(chain({3, 3, 3, 0, 0}, {0, 1, 0, 0, 0})));
}

TEST(ImportOnnx, SetsAreAskedAsOnnxruntimeAsksThem) {
  // Nodes 0 and 2 test sets, the members of which are stored one after another; node 2 is the root of the second tree.
  const auto forest_of = [](std::vector<double> first, const std::vector<double>& second) {
    first.push_back(kOnnxNan);
    first.insert(first.end(), second.begin(), second.end());
    return import_text(onnx_arrays()
                           .bytes("nodes_modes", {6, 0, 6})
                           .doubles("membership_values", first)
                           .doubles("leaf_weights", {1, 2, 4, 0.25})
                           .wholes("nodes_truenodeids", {0, 0, 3})
                           .wholes("nodes_falsenodeids", {1, 2, 2})
                           .file());
  };
  const RecordForest small = forest_of({0, 30}, {7});
  for (const float in : {0.0f, 30.0f}) EXPECT_THAT(predicted_of(small, {0, in}), ElementsAre(5)) << in;
  for (const float out : {-0.5f, 0.5f, 7.0f, 30.5f, kOnnxNan})
    EXPECT_THAT(predicted_of(small, {0, out}), ElementsAre(6)) << out;
  EXPECT_THAT(predicted_of(small, {7, 0}), ElementsAre(4.25));
  const RecordForest large = forest_of({0, 31}, {7});
  for (const float in : {0.0f, -0.5f, 0.5f, 31.0f, 31.9f})
    EXPECT_THAT(predicted_of(large, {0, in}), ElementsAre(5)) << in;
  for (const float out : {-1.0f, 1.0f, 30.9f, 32.0f, 95.0f, INFINITY, kOnnxNan})
    EXPECT_THAT(predicted_of(large, {0, out}), ElementsAre(6)) << out;
}

TEST(ImportOnnx, RefusesWhatItCannotHold) {
  const auto refusal = [](const OnnxTreeWriter& writer) { return import_refusal(writer.file()); };
  testdata::expect_sentence(refusal(onnx_of_mode("BRANCH_EQ", 0.5f)));
  for (const float value : {-1.0f, 65536.0f, INFINITY, kOnnxNan})
    testdata::expect_sentence(refusal(onnx_of_mode("BRANCH_NEQ", value)));
  testdata::expect_sentence(refusal(onnx_of_mode("BRANCH_MEMBER", 0)));
  testdata::expect_sentence(refusal(onnx_regressor().text("aggregate_function", "MAX")));
  for (const char* transform : {"LOGISTIC", "PROBIT", "SOFTMAX"})
    testdata::expect_sentence(refusal(onnx_regressor().text("post_transform", transform)));
  testdata::expect_sentence(refusal(onnx_classifier({0, 1, 0, 1}).text("post_transform", "SOFTMAX_ZERO")));
  testdata::expect_sentence(refusal(onnx_regressor().wholes("nodes_featureids", {0, 2, 0, 0, 0, 0})));
  testdata::expect_sentence(refusal(onnx_regressor().wholes("nodes_featureids", {0, -1, 0, 0, 0, 0})));
  testdata::expect_sentence(refusal(onnx_regressor().wholes("nodes_featureids", {0})));
  testdata::expect_sentence(refusal(onnx_regressor().wholes("nodes_truenodeids", {1, 5, 0, 0, 0, 0})));
  testdata::expect_sentence(refusal(onnx_regressor().wholes("nodes_truenodeids", {4, 2, 0, 0, 0, 0})));
  testdata::expect_sentence(refusal(onnx_regressor().wholes("nodes_truenodeids", {1, 0, 0, 0, 0, 0})));
  testdata::expect_sentence(refusal(onnx_regressor().wholes("nodes_nodeids", {0, 1, 2, 2, 4, 0})));
  testdata::expect_sentence(refusal(onnx_regressor().wholes("target_ids", {0, 0, 1, 0})));
  testdata::expect_sentence(refusal(onnx_regressor().wholes("target_nodeids", {0, 3, 4, 0})));
  const std::string whole = onnx_regressor().file();
  for (std::size_t size = 3; size < whole.size(); ++size) EXPECT_NE(import_refusal(whole.substr(0, size)), "") << size;
}

TEST(ImportOnnx, WideLeavesThatAreMostlyEmptyCannotAskForAnyMemory) {
  OnnxTreeWriter writer = onnx_trees("TreeEnsembleRegressor", "target", {0, 65533, 0, 0}).whole("n_targets", 65534);
  EXPECT_EQ(import_refusal(writer.file()), "");
  const std::size_t num_leaves = 40;
  std::vector<std::int64_t> trees, nodes, ids(2 * num_leaves - 1, 0), when_true, when_false;
  std::vector<std::string> modes;
  for (std::size_t i = 0; i < 2 * num_leaves - 1; ++i) {  // a tree with one leaf at each level
    const bool is_leaf = i % 2 == 1 || i + 2 == 2 * num_leaves;
    trees.push_back(0);
    nodes.push_back(static_cast<std::int64_t>(i));
    modes.push_back(is_leaf ? "LEAF" : "BRANCH_LEQ");
    when_true.push_back(is_leaf ? 0 : static_cast<std::int64_t>(i) + 1);
    when_false.push_back(is_leaf ? 0 : static_cast<std::int64_t>(i) + 2);
  }
  writer.wholes("nodes_treeids", trees).wholes("nodes_nodeids", nodes).wholes("nodes_featureids", ids);
  writer.texts("nodes_modes", modes).wholes("nodes_truenodeids", when_true).wholes("nodes_falsenodeids", when_false);
  writer.reals("nodes_values", std::vector<float>(nodes.size())).remove("nodes_missing_value_tracks_true");
  writer.wholes("target_treeids", {0, 0, 0, 0}).wholes("target_nodeids", {1, 3, 5, 7});
  testdata::expect_sentence(import_refusal(writer.file()));
}

}  // namespace
}  // namespace fernwood::records
