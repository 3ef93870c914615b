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

const float kLightgbmNan = std::nanf("");

TEST(ImportLightgbm, ValuesUpToTheThresholdGoLeftInDoublePrecision) {
  const RecordForest forest = import_text(kLightgbmModel);
  EXPECT_EQ(forest.link, Link::kLogistic);
  EXPECT_THAT(forest.attributes, ElementsAre("size", "weight"));
  // Leaf values are multiplied by 2, the objective's sigmoid. The float 0.1 is greater than the double.
  EXPECT_THAT(sums_of(forest, {0.1f, 0}), ElementsAre(-2 + 0.25));
  EXPECT_THAT(sums_of(forest, {std::nextafter(0.1f, 0.0f), -2}), ElementsAre(1 + 0.25));
  EXPECT_THAT(sums_of(forest, {0, -1.9f}), ElementsAre(0.5 + 0.25));
}

TEST(ImportLightgbm, UnknownValuesGoWhereTheKindOfMissingValuesSays) {
  EXPECT_THAT(sums_of(import_text(kLightgbmModel), {kLightgbmNan, -2}), ElementsAre(1.25));  // 10: NaN is missing, left
  EXPECT_THAT(sums_of(import_text(kLightgbmModel), {0, kLightgbmNan}),
              ElementsAre(0.75));  // 2: NaN counts as 0, which is above -2
  EXPECT_THAT(sums_of(import_text(with(kLightgbmModel, "decision_type=10", "decision_type=8")), {kLightgbmNan, -2}),
              ElementsAre(-1.75));
  EXPECT_THAT(sums_of(import_text(with(kLightgbmModel, " -2\n", " 0\n")), {0, kLightgbmNan}), ElementsAre(1.25));
  // A split of known from unknown values.
  EXPECT_THAT(sums_of(import_text(with(kLightgbmModel, "0.10000000000000001", "inf")), {INFINITY, 0}),
              ElementsAre(0.75));
}

TEST(ImportLightgbm, ZeroCanBeMissing) {
  for (const bool left : {false, true}) {
    const std::string text = with(kLightgbmModel, "decision_type=10", left ? "decision_type=6" : "decision_type=4");
    const RecordForest forest = import_text(text);
    const double unknown = left ? 1.25 : -1.75;
    for (const float size : {0.0f, -0.0f, kLightgbmNan, 1e-35f, -1e-35f, 1e-42f})
      EXPECT_THAT(sums_of(forest, {size, -2}), ElementsAre(unknown)) << size;
    EXPECT_THAT(sums_of(forest, {1.1e-35f, -2}), ElementsAre(1.25));
    EXPECT_THAT(sums_of(forest, {1, -2}), ElementsAre(-1.75));
    EXPECT_THAT(sums_of(forest, {-1, 0}), ElementsAre(0.75));  // a weight of 0 is a known value
  }
  const std::string both = with(with(kLightgbmModel, "split_feature=0 1", "split_feature=0 0"), "=10 2", "=6 2");
  testdata::expect_sentence(import_refusal(both));
}

/// The first test is whether the size is category 1, 3, 33 or 64.
const std::string kLightgbmCategories =
    with(with(with(kLightgbmModel, "num_cat=0", "num_cat=1\ncat_boundaries=0 3\ncat_threshold=10 2 1"),
              "decision_type=10 2", "decision_type=9 2"),
         "threshold=0.10000000000000001", "threshold=0");

TEST(ImportLightgbm, CategoriesOfASetGoLeftAndAllElseRight) {
  const RecordForest forest = import_text(kLightgbmCategories);
  for (const float size : {1.0f, 1.9f, 3.0f, 33.0f, 64.5f}) EXPECT_THAT(sums_of(forest, {size, -2}), ElementsAre(1.25));
  for (const float size :
       {0.0f, -0.5f, -1.0f, 2.0f, 32.0f, 65.0f, 96.0f, 128.0f, 3e9f, INFINITY, -INFINITY, kLightgbmNan})
    EXPECT_THAT(sums_of(forest, {size, -2}), ElementsAre(-1.75)) << size;
  const RecordForest zero = import_text(with(kLightgbmCategories, "cat_threshold=10", "cat_threshold=1"));
  for (const float size : {0.0f, -0.5f, -0.999f, 0.999f}) EXPECT_THAT(sums_of(zero, {size, -2}), ElementsAre(1.25));
  EXPECT_THAT(sums_of(zero, {-1, -2}), ElementsAre(-1.75));
}

TEST(ImportLightgbm, RefusesSetsThatAreNone) {
  testdata::expect_sentence(import_refusal(with(kLightgbmCategories, "threshold=0 ", "threshold=1 ")));
  testdata::expect_sentence(import_refusal(with(kLightgbmCategories, "cat_threshold=10 2 1", "cat_threshold=10 2")));
  testdata::expect_sentence(import_refusal(with(kLightgbmCategories, "num_cat=1", "num_cat=0")));
}

TEST(ImportLightgbm, LinearLeavesAddTheirTermsInOrder) {
  const RecordForest forest = import_text(kLightgbmLinear);
  EXPECT_TRUE(forest.has_linear_leaves() && forest.trees[1].linear_leaves.empty());
  EXPECT_THAT(float_sums_of(forest, {0, -2}), ElementsAre(1 + 2 * -2.0 + 0.125));
  EXPECT_THAT(float_sums_of(forest, {1, -2}), ElementsAre(-1 + 0.125));
  EXPECT_THAT(float_sums_of(forest, {-1, 3}), ElementsAre(0.25 - 4 - 3 + 0.125));
  EXPECT_THAT(float_sums_of(forest, {-INFINITY, 0}), ElementsAre(-INFINITY));
}

TEST(ImportLightgbm, LinearLeavesAreConstantWhereAValueIsUnknown) {
  const RecordForest forest = import_text(kLightgbmLinear);
  EXPECT_THAT(float_sums_of(forest, {kLightgbmNan, -2}), ElementsAre(1 + 2 * -2.0 + 0.125));  // reads only weight
  EXPECT_THAT(float_sums_of(forest, {0, kLightgbmNan}), ElementsAre(0.25 + 0.125));
  EXPECT_THAT(float_sums_of(forest, {kLightgbmNan, 0}), ElementsAre(0.25 + 0.125));
  // In a leaf, a 0 that means an unknown size is a number, and tiny numbers are 0.
  const RecordForest zero = import_text(with(kLightgbmLinear, "decision_type=10", "decision_type=6"));
  EXPECT_THAT(float_sums_of(zero, {0, 3}), ElementsAre(0.25 - 3 + 0.125));
  const RecordForest tiny = import_text(with(with(kLightgbmLinear, "leaf_coeff=2 ", "leaf_coeff=1e35 "),
                                             "threshold=0.10000000000000001 -2", "threshold=0.1 1"));
  EXPECT_THAT(float_sums_of(tiny, {0, 1e-35f}), ElementsAre(1 + 0.125));
  EXPECT_NE(float_sums_of(tiny, {0, 1.1e-35f})[0], 1 + 0.125);
}

TEST(ImportLightgbm, LinearLeavesDecideClassesByTheirValues) {
  const RecordForest forest = import_text(kLightgbmLinear);
  for (const float weight : {-100.0f, -2.0f, 0.0f, 0.3f, 0.4f, 100.0f}) {
    const std::vector<float> record = {0, weight};
    EXPECT_EQ(classify_record(forest, record.data()), float_sums_of(forest, record)[0] > 0 ? 1 : 0) << weight;
  }
}

TEST(ImportLightgbm, RefusesLinearLeavesThatAreNone) {
  testdata::expect_sentence(import_refusal(with(kLightgbmLinear, "0 0 1  ", "0 2 1  ")));
  testdata::expect_sentence(import_refusal(with(kLightgbmLinear, "1e-17 4 -1", "1e-17 4")));
  testdata::expect_sentence(import_refusal(with(kLightgbmLinear, "1e-17 4 -1", "1e-17 4 nan")));
  testdata::expect_sentence(import_refusal(with(kLightgbmLinear, "leaf_const=1 ", "leaf_const=inf ")));
  testdata::expect_sentence(import_refusal(with(kLightgbmModel, "is_linear=0", "is_linear=1")));
}

TEST(ImportLightgbm, TinyValuesAreZero) {
  // Numbers up to 1e-35 count as 0, on both sides of it.
  const RecordForest above = import_text(with(kLightgbmModel, " -2\n", " 1e-40\n"));
  EXPECT_THAT(sums_of(above, {0, 1e-35f}), ElementsAre(1.25));
  EXPECT_THAT(sums_of(above, {0, 1.1e-35f}), ElementsAre(0.75));
  const RecordForest under = import_text(with(kLightgbmModel, " -2\n", " -1e-35\n"));
  EXPECT_THAT(sums_of(under, {0, -1e-35f}), ElementsAre(0.75));
  EXPECT_THAT(sums_of(under, {0, -1.1e-35f}), ElementsAre(1.25));
}

TEST(ImportLightgbm, ClassesTakeTurnsAndRandomForestsAreAveraged) {
  std::string multi =
      with(kLightgbmModel, "num_class=1\nnum_tree_per_iteration=1", "num_class=2\nnum_tree_per_iteration=2");
  multi = with(multi, "objective=binary sigmoid:2", "objective=multiclass num_class:2");
  const RecordForest forest = import_text(multi);
  EXPECT_EQ(forest.link, Link::kSoftmax);
  EXPECT_THAT(sums_of(forest, {1, 0}), ElementsAre(-1, 0.125));
  const RecordForest averaged = import_text(with(kLightgbmModel, "sigmoid:2\n", "sigmoid:1\naverage_output\n"));
  EXPECT_THAT(sums_of(averaged, {1, 0}), ElementsAre((-1 + 0.125) / 2));
}

TEST(ImportLightgbm, RefusesWhatItCannotHold) {
  testdata::expect_sentence(import_refusal(with(kLightgbmModel, "binary sigmoid:2", "of_tomorrow")));
  testdata::expect_sentence(import_refusal(with(kLightgbmModel, "num_leaves=3", "num_leaves=50000000")));
  testdata::expect_sentence(import_refusal(kLightgbmModel.substr(0, kLightgbmModel.find("end of trees"))));
  testdata::expect_sentence(import_refusal(with(kLightgbmModel, "0.5 -1 0.25", "0.5 -1")));
  testdata::expect_sentence(import_refusal(with(kLightgbmModel, "0.5 -1 0.25", "0.5 x 0.25")));
  testdata::expect_sentence(import_refusal(with(kLightgbmModel, "left_child=1 -1", "left_child=1 -5")));
  testdata::expect_sentence(import_refusal(with(kLightgbmModel, "left_child=1 -1", "left_child=1 -2147483648")));
  testdata::expect_sentence(import_refusal(with(kLightgbmModel, "left_child=1 -1", "left_child=0 -1")));
  testdata::expect_sentence(import_refusal(with(kLightgbmModel, "tree_sizes=300 80", "tree_sizes=300")));
}

/// The model with a different objective, or without one if "".
std::string lightgbm_of(const std::string& objective) {
  return with(kLightgbmModel, "objective=binary sigmoid:2\n", objective.empty() ? "" : "objective=" + objective + "\n");
}

TEST(ImportLightgbm, ValuesFollowFromTheSumsByTheObjective) {
  struct Expected {
    const char* objective;
    Link link;
    double predicted;
  };
  // The sum is -1 + 0.125.
  constexpr double kSum = -0.875;
  for (const Expected& expected : {Expected{"regression", Link::kIdentity, kSum},
                                   {"regression sqrt", Link::kSignedSquare, -kSum * kSum},
                                   {"regression_l1", Link::kIdentity, kSum},
                                   {"huber", Link::kIdentity, kSum},
                                   {"fair", Link::kIdentity, kSum},
                                   {"quantile", Link::kIdentity, kSum},
                                   {"mape", Link::kIdentity, kSum},
                                   {"lambdarank", Link::kIdentity, kSum},
                                   {"rank_xendcg", Link::kIdentity, kSum},
                                   {"", Link::kIdentity, kSum},
                                   {"poisson", Link::kExponential, std::exp(kSum)},
                                   {"gamma", Link::kExponential, std::exp(kSum)},
                                   {"tweedie", Link::kExponential, std::exp(kSum)},
                                   {"cross_entropy", Link::kSigmoid, 1 / (1 + std::exp(-kSum))},
                                   {"cross_entropy_lambda", Link::kSoftplus, std::log1p(std::exp(kSum))}}) {
    const RecordForest forest = import_text(lightgbm_of(expected.objective));
    EXPECT_EQ(forest.link, expected.link) << expected.objective;
    EXPECT_TRUE(forest.classes.empty() && forest.targets.size() == 1) << expected.objective;
    EXPECT_THAT(float_sums_of(forest, {1, 0}), ElementsAre(kSum)) << expected.objective;
    EXPECT_THAT(predicted_of(forest, {1, 0}), ElementsAre(expected.predicted)) << expected.objective;
  }
}

TEST(ImportLightgbm, SumsAreAddedIn64BitsAndAveragedInRandomForests) {
  const RecordForest forest = import_text(with(lightgbm_of("regression"), "leaf_value=0.125", "leaf_value=1e-16"));
  EXPECT_THAT(float_sums_of(forest, {0, 0}), ElementsAre(0.25 + 1e-16));
  const RecordForest averaged = import_text(lightgbm_of("regression\naverage_output"));
  EXPECT_THAT(predicted_of(averaged, {1, 0}), ElementsAre(-0.875 / 2));
}

TEST(ImportLightgbm, OneClassAgainstAllOthersGivesAProbabilityOfEachByItself) {
  const std::string ova = with(lightgbm_of("multiclassova num_class:2 sigmoid:0.5"),
                               "num_class=1\nnum_tree_per_iteration=1", "num_class=2\nnum_tree_per_iteration=2");
  const RecordForest forest = import_text(ova);
  EXPECT_EQ(forest.link, Link::kSigmoid);
  const double first = 1 / (1 + std::exp(0.5)), second = 1 / (1 + std::exp(-0.0625));
  EXPECT_THAT(predicted_of(forest, {1, 0}), ElementsAre(first, second));
  std::vector<std::int32_t> sums(2);
  std::vector<float> probabilities(2);
  sum_trees(forest, std::vector<float>{1, 0}.data(), sums.data());
  probabilities_of(forest, sums.data(), probabilities.data());
  EXPECT_NEAR(probabilities[0], first, 1e-7);
  EXPECT_NEAR(probabilities[1], second, 1e-7);
}

TEST(ImportLightgbm, ObjectivesOfOnesOwnMayHaveSeveralOutputs) {
  const std::string two =
      with(lightgbm_of(""), "num_class=1\nnum_tree_per_iteration=1", "num_class=2\nnum_tree_per_iteration=2");
  EXPECT_THAT(predicted_of(import_text(two), {1, 0}), ElementsAre(-1, 0.125));
}

TEST(ImportLightgbm, CoversAreNumbersOfTrainingRecords) {
  const std::string first =
      with(kLightgbmModel, "leaf_value=0.5", "internal_count=10 6\nleaf_count=1 4 5\nleaf_value=0.5");
  EXPECT_TRUE(import_text(first).trees[0].covers.empty());  // the other tree has none
  const RecordForest forest =
      import_text(with(first, "leaf_value=0.125", "internal_count=\nleaf_count=10\nleaf_value=0.125"));
  EXPECT_THAT(forest.trees[0].covers, ElementsAre(10, 6, 4, 1, 5));
  EXPECT_THAT(forest.trees[1].covers, ElementsAre(10));
}

TEST(ImportLightgbm, TextsOfBeforeVersion2_2EndWithTheImportances) {
  const RecordForest old = import_text(with(kLightgbmModel, "end of trees\n", "feature importances:\nsize=1\n"));
  EXPECT_EQ(old.trees, import_text(kLightgbmModel).trees);
}

TEST(ImportLightgbm, SpacesOfItsColumnsAreUnderscores) {
  EXPECT_TRUE(spaces_are_underscores(import_text(kLightgbmModel)));
  EXPECT_FALSE(spaces_are_underscores(import_text(kXgboostModel)));
}

}  // namespace
}  // namespace fernwood::records
