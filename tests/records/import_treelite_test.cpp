// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "records/imported.h"

namespace fernwood::records {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The sum without base score at some weight, for an operator.
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
  EXPECT_THAT(import_refusal(with(kTreeliteModel, "\"<=\"", "\"==\"")),
              HasSubstr("comparison_op must be <, <=, > or >="));
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
  EXPECT_THAT(import_refusal(with(text, "[1,0]", "[1]")), HasSubstr("leaf_value must have 2 elements, not 1"));
  EXPECT_THAT(import_refusal(with(text, "[1,0]", "[1,-1]")), HasSubstr("a leaf's value is not a probability"));
}

TEST(ImportTreelite, RefusesWhatItCannotHold) {
  EXPECT_THAT(import_refusal(with(kTreeliteModel, "\"threshold\":3.0", "\"threshold\":")),
              HasSubstr("has an infinite threshold, of which Treelite writes nothing"));
  EXPECT_THAT(import_refusal(with(kTreeliteModel, "kBinaryClf", "kRegressor")), HasSubstr("is a model of kRegressor"));
  EXPECT_THAT(import_refusal(with(kTreeliteModel, "\"sigmoid\"", "\"hinge\"")),
              HasSubstr("has the postprocessor hinge"));
  EXPECT_THAT(import_refusal(with(kTreeliteModel, "numerical_test", "categorical_test")),
              HasSubstr("categorical splits"));
  EXPECT_THAT(import_refusal(with(kTreeliteModel, "\"num_target\":1", "\"num_target\":2")),
              HasSubstr("several targets"));
  EXPECT_THAT(import_refusal(with(kTreeliteModel, "\"right_child\":2", "\"right_child\":7")),
              HasSubstr("has a child 7"));
  EXPECT_THAT(import_refusal(with(kTreeliteModel, "\"class_id\":[0]", "\"class_id\":[1]")),
              HasSubstr("must be an output"));
}

}  // namespace
}  // namespace fernwood::records
