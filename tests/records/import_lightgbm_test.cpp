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

const float kLightgbmNan = std::nanf("");

TEST(ImportLightgbm, ValuesUpToTheThresholdGoLeftInDoublePrecision) {
  const RecordForest forest = import_text(kLightgbmModel);
  EXPECT_EQ(forest.link, Link::kLogistic);
  EXPECT_THAT(forest.attributes, ElementsAre("size", "weight"));
  // Leaf values times 2, the objective's sigmoid. The float 0.1 is larger than the double.
  EXPECT_THAT(sums_of(forest, {0.1f, 0}), ElementsAre(-2 + 0.25));
  EXPECT_THAT(sums_of(forest, {std::nextafter(0.1f, 0.0f), -2}), ElementsAre(1 + 0.25));
  EXPECT_THAT(sums_of(forest, {0, -1.9f}), ElementsAre(0.5 + 0.25));
}

TEST(ImportLightgbm, UnknownValuesGoWhereTheKindOfMissingValuesSays) {
  EXPECT_THAT(sums_of(import_text(kLightgbmModel), {kLightgbmNan, -2}), ElementsAre(1.25));  // 10: NaN is missing, left
  EXPECT_THAT(sums_of(import_text(kLightgbmModel), {0, kLightgbmNan}),
              ElementsAre(0.75));  // 2: NaN is 0, which is above -2
  EXPECT_THAT(sums_of(import_text(with(kLightgbmModel, "decision_type=10", "decision_type=8")), {kLightgbmNan, -2}),
              ElementsAre(-1.75));
  EXPECT_THAT(sums_of(import_text(with(kLightgbmModel, " -2\n", " 0\n")), {0, kLightgbmNan}), ElementsAre(1.25));
  // A split of known from unknown values.
  EXPECT_THAT(sums_of(import_text(with(kLightgbmModel, "0.10000000000000001", "inf")), {INFINITY, 0}),
              ElementsAre(0.75));
  EXPECT_THAT(import_refusal(with(kLightgbmModel, "decision_type=10", "decision_type=6")),
              HasSubstr("takes 0 for missing"));
}

TEST(ImportLightgbm, TinyValuesAreZero) {
  // 1e-35 is as good as 0, on both sides of it.
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
  EXPECT_THAT(import_refusal(with(kLightgbmModel, "binary sigmoid:2", "multiclassova num_class:3")),
              HasSubstr("has the objective multiclassova; classifiers of binary and multiclass can be imported"));
  EXPECT_THAT(import_refusal(with(kLightgbmModel, "decision_type=10", "decision_type=1")),
              HasSubstr("tree 0: has categorical splits"));
  EXPECT_THAT(import_refusal(with(kLightgbmModel, "is_linear=0", "is_linear=1")),
              HasSubstr("has linear models in its leaves"));
  EXPECT_THAT(import_refusal(with(kLightgbmModel, "num_leaves=3", "num_leaves=50000000")),
              HasSubstr("leaf_value has 3 values, not 50000000"));
  EXPECT_THAT(import_refusal(kLightgbmModel.substr(0, kLightgbmModel.find("end of trees"))),
              HasSubstr("the line \"end of trees\" is missing"));
  EXPECT_THAT(import_refusal(with(kLightgbmModel, "0.5 -1 0.25", "0.5 -1")),
              HasSubstr("tree 0: leaf_value has 2 values, not 3"));
  EXPECT_THAT(import_refusal(with(kLightgbmModel, "0.5 -1 0.25", "0.5 x 0.25")),
              HasSubstr("leaf_value has the value x, which is not a number"));
  EXPECT_THAT(import_refusal(with(kLightgbmModel, "left_child=1 -1", "left_child=1 -5")),
              HasSubstr("has a child 6, but 5 nodes"));
  EXPECT_THAT(import_refusal(with(kLightgbmModel, "left_child=1 -1", "left_child=1 -2147483648")),
              HasSubstr("has a child 2147483647, but 5 nodes"));
  EXPECT_THAT(import_refusal(with(kLightgbmModel, "left_child=1 -1", "left_child=0 -1")),
              HasSubstr("is the child of two"));
  EXPECT_THAT(import_refusal(with(kLightgbmModel, "tree_sizes=300 80", "tree_sizes=300")), HasSubstr("has 2 trees"));
}

TEST(ImportLightgbm, AModelWithAnObjectiveOfItsOwnIsNotDamaged) {
  EXPECT_THAT(import_refusal(with(kLightgbmModel, "objective=binary sigmoid:2\n", "")),
              testing::AllOf(HasSubstr("has no objective"), testing::Not(HasSubstr("damaged"))));
}

TEST(ImportLightgbm, SpacesOfItsColumnsAreUnderscores) {
  EXPECT_TRUE(spaces_are_underscores(import_text(kLightgbmModel)));
  EXPECT_FALSE(spaces_are_underscores(import_text(kXgboostModel)));
}

}  // namespace
}  // namespace fernwood::records
