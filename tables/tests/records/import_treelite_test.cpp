// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "records/imported.h"
#include "sentences.h"

namespace fernwood::records {
namespace {

using testing::ElementsAre;

/// Value of the leaf for a weight when the test has the given operator.
double leaf_at(const std::string& operation, float weight) {
  return sums_of(import_text(with(kTreeliteModel, "\"<=\"", '"' + operation + '"')), {0, weight})[0] / 2 - 1;
}

TEST(ImportTreelite, EveryOperatorKeepsItsMeaningAndItsSideOfUnknownValues) {
  EXPECT_EQ(leaf_at("<", 3), 0.25);
  EXPECT_EQ(leaf_at("<=", 3), 0.5);
  EXPECT_EQ(leaf_at(">", 3), 0.25);
  EXPECT_EQ(leaf_at(">=", 3), 0.5);
  for (const char* operation : {"<", "<=", ">", ">="}) {
    const bool less = operation[0] == '<';
    EXPECT_EQ(leaf_at(operation, 2.5f), less ? 0.5 : 0.25) << operation;
    EXPECT_EQ(leaf_at(operation, 3.5f), less ? 0.25 : 0.5) << operation;
    EXPECT_EQ(leaf_at(operation, std::nanf("")), 0.5) << operation;
  }
  testdata::expect_sentence(import_refusal(with(kTreeliteModel, "\"<=\"", "\"==\"")));
}

TEST(ImportTreelite, LeavesMayHoldAProbabilityOfEachClass) {
  std::string text = with(with(kTreeliteModel, "kBinaryClf", "kMultiClf"), "\"num_class\":[1]", "\"num_class\":[2]");
  text = with(with(text, "\"sigmoid\"", "\"identity_multiclass\""), "[1,1]", "[1,2]");
  text = with(with(text, "\"class_id\":[0]", "\"class_id\":[-1]"), "\"base_scores\":[1.0]", "\"base_scores\":[0,0]");
  text = with(with(text, "\"leaf_value\":0.5", "\"leaf_value\":[1,0]"), "\"leaf_value\":0.25",
              "\"leaf_value\":[0.25,0.75]");
  const RecordForest forest = import_text(text);
  EXPECT_EQ(forest.link, Link::kMean);
  EXPECT_THAT(sums_of(forest, {0, 4}), ElementsAre(0.25, 0.75));
  testdata::expect_sentence(import_refusal(with(text, "[1,0]", "[1]")));
  testdata::expect_sentence(import_refusal(with(text, "[1,0]", "[1,-1]")));
}

/// The model as a regressor: 1, plus 0.5 where the tested value is up to 3, else plus 0.25.
std::string treelite_values(const std::string& postprocessor, const std::string& type = "float64") {
  const std::string text =
      with(with(kTreeliteModel, "kBinaryClf", "kRegressor"), "\"sigmoid\"", "\"" + postprocessor + "\"");
  return with(text, "{\"threshold_type\"", "{\"leaf_output_type\":\"" + type + "\",\"ratio_c\":4,\"threshold_type\"");
}

TEST(ImportTreelite, ValuesFollowFromTheSumsByThePostprocessor) {
  struct Expected {
    const char* postprocessor;
    Link link;
    double predicted;
  };
  for (const Expected& expected : {Expected{"identity", Link::kIdentity, 1.5},
                                   {"exponential", Link::kExponential, std::exp(1.5)},
                                   {"sigmoid", Link::kSigmoid, 1 / (1 + std::exp(-2 * 1.5))},
                                   {"signed_square", Link::kSignedSquare, 2.25},
                                   {"logarithm_one_plus_exp", Link::kSoftplus, std::log1p(std::exp(1.5))}}) {
    const RecordForest forest = import_text(treelite_values(expected.postprocessor));
    EXPECT_EQ(forest.link, expected.link) << expected.postprocessor;
    EXPECT_THAT(predicted_of(forest, {0, 3}), ElementsAre(expected.predicted)) << expected.postprocessor;
  }
  const std::string isolation = with(treelite_values("exponential_standard_ratio"), "kRegressor", "kIsolationForest");
  EXPECT_THAT(predicted_of(import_text(with(isolation, "[1.0]", "[0]")), {0, 3}), ElementsAre(std::exp2(-0.5 / 4)));
  testdata::expect_sentence(import_refusal(treelite_values("softmax")));
}

TEST(ImportTreelite, SumsHaveThePrecisionOfLeavesAndEndWithTheBaseScores) {
  const std::string large = with(treelite_values("identity", "float32"), "[1.0]", "[16777216]");
  EXPECT_THAT(float_sums_of(import_text(large), {0, 3}), ElementsAre(16777216));
  EXPECT_THAT(float_sums_of(import_text(with(large, "float32", "float64")), {0, 3}), ElementsAre(16777216.5));
  const std::string averaged =
      with(treelite_values("identity"), "\"average_tree_output\":false", "\"average_tree_output\":true");
  EXPECT_THAT(float_sums_of(import_text(averaged), {0, 3}), ElementsAre(1.5));
}

TEST(ImportTreelite, SeveralTargetsMayHaveTreesOfTheirOwnOrVectorsInLeaves) {
  std::string text =
      with(treelite_values("identity"), "\"num_target\":1,\"num_class\":[1]", "\"num_target\":2,\"num_class\":[1,1]");
  text = with(text, "\"base_scores\":[1.0]", "\"base_scores\":[0,10]");
  EXPECT_THAT(predicted_of(import_text(with(text, "\"target_id\":[0]", "\"target_id\":[1]")), {0, 3}),
              ElementsAre(0, 10.5));
  text = with(with(text, "[1,1],\"target_id\":[0]", "[2,1],\"target_id\":[-1]"), "\"leaf_value\":0.5",
              "\"leaf_value\":[1,2]");
  text = with(text, "\"leaf_value\":0.25", "\"leaf_value\":[3,4]");
  EXPECT_THAT(predicted_of(import_text(text), {0, 3}), ElementsAre(1, 12));
  EXPECT_THAT(predicted_of(import_text(text), {0, 4}), ElementsAre(3, 14));
}

/// The model with a categorical test instead of the numerical one.
std::string treelite_categories(const std::string& list, bool default_left, bool matching_right) {
  const auto flag = [](bool holds) { return std::string(holds ? "true" : "false"); };
  const std::string text = with(kTreeliteModel, "\"comparison_op\":\"<=\",\n\"threshold\":3.0",
                                "\"category_list_right_child\":" + flag(matching_right) + ",\"category_list\":" + list);
  return with(with(text, "numerical_test", "categorical_test"), "\"default_left\":true",
              "\"default_left\":" + flag(default_left));
}

TEST(ImportTreelite, CategoriesOfTheListGoToTheChildThatTheNodeNames) {
  for (const bool matching_right : {false, true})
    for (const bool default_left : {false, true}) {
      const RecordForest forest = import_text(treelite_categories("[0,3,70]", default_left, matching_right));
      const auto is_left = [&](float value) { return sums_of(forest, {0, value})[0] == 2 * (1 + 0.5); };
      for (const float in : {0.0f, -0.0f, 0.9f, 3.0f, 3.5f, 70.0f}) EXPECT_EQ(is_left(in), !matching_right) << in;
      for (const float out : {1.0f, -0.5f, -3.0f, 71.0f, 200.0f, 3e9f, INFINITY, -INFINITY})
        EXPECT_EQ(is_left(out), matching_right) << out;
      EXPECT_EQ(is_left(std::nanf("")), default_left);
      const RecordForest none = import_text(treelite_categories("[]", default_left, matching_right));
      for (const float value : {0.0f, 1.0f, 70.0f})
        EXPECT_EQ(sums_of(none, {0, value})[0] == 2 * (1 + 0.5), matching_right) << value;
    }
}

TEST(ImportTreelite, CoversAreSumsOfCurvaturesElseNumbersOfRecords) {
  std::string text = with(kTreeliteModel, "{\"node_id\":0,", "{\"node_id\":0,\"data_count\":9,\"sum_hess\":5.5,");
  text = with(text, "{\"node_id\":1,", "{\"node_id\":1,\"data_count\":4,");
  EXPECT_TRUE(import_text(text).trees[0].covers.empty());
  text = with(text, "{\"node_id\":2,", "{\"node_id\":2,\"sum_hess\":3,");
  EXPECT_THAT(import_text(text).trees[0].covers, ElementsAre(5.5, 4, 3));
}

TEST(ImportTreelite, RefusesWhatItCannotHold) {
  testdata::expect_sentence(import_refusal(with(kTreeliteModel, "\"threshold\":3.0", "\"threshold\":")));
  testdata::expect_sentence(import_refusal(with(kTreeliteModel, "kBinaryClf", "kTimeSeries")));
  testdata::expect_sentence(import_refusal(with(kTreeliteModel, "\"sigmoid\"", "\"hinge\"")));
  testdata::expect_sentence(import_refusal(with(kTreeliteModel, "numerical_test", "text_test")));
  testdata::expect_sentence(import_refusal(treelite_categories("[1,65536]", true, false)));
  testdata::expect_sentence(import_refusal(treelite_categories("[1,-1]", true, false)));
  testdata::expect_sentence(import_refusal(with(kTreeliteModel, "\"num_target\":1", "\"num_target\":2")));
  testdata::expect_sentence(import_refusal(with(kTreeliteModel, "\"right_child\":2", "\"right_child\":7")));
  testdata::expect_sentence(import_refusal(with(kTreeliteModel, "\"class_id\":[0]", "\"class_id\":[1]")));
}

}  // namespace
}  // namespace fernwood::records
