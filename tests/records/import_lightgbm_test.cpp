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

// size <= 0.1 leads to weight <= -2 (0.5, else 0.25), unknown sizes too; else -1. Missing values of weight are taken
// for 0.
const std::string kBinary =
    "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=1\n"
    "objective=binary sigmoid:2\nfeature_names=size weight\nfeature_infos=[0:1] [0:1]\ntree_sizes=300 80\n\n"
    "Tree=0\nnum_leaves=3\nnum_cat=0\nsplit_feature=0 1\nsplit_gain=1 1\nthreshold=0.10000000000000001 -2\n"
    "decision_type=10 2\nleft_child=1 -1\nright_child=-2 -3\nleaf_value=0.5 -1 0.25\nis_linear=0\nshrinkage=1\n\n\n"
    "Tree=1\nnum_leaves=1\nnum_cat=0\nleaf_value=0.125\nis_linear=0\nshrinkage=1\n\n\nend of trees\n\n"
    "parameters:\n[boosting: gbdt]\nend of parameters\n";

TEST(ImportLightgbm, ValuesUpToTheThresholdGoLeftInDoublePrecision) {
  const RecordForest forest = import_text(kBinary);
  EXPECT_EQ(forest.link, Link::kLogistic);
  EXPECT_THAT(forest.attributes, ElementsAre("size", "weight"));
  // Leaf values times 2, the objective's sigmoid. The float 0.1 is larger than the double.
  EXPECT_THAT(sums_of(forest, {0.1f, 0}), ElementsAre(-2 + 0.25));
  EXPECT_THAT(sums_of(forest, {std::nextafter(0.1f, 0.0f), -2}), ElementsAre(1 + 0.25));
  EXPECT_THAT(sums_of(forest, {0, -1.9f}), ElementsAre(0.5 + 0.25));
}

TEST(ImportLightgbm, UnknownValuesGoWhereTheKindOfMissingValuesSays) {
  EXPECT_THAT(sums_of(import_text(kBinary), {kLightgbmNan, -2}), ElementsAre(1.25));  // 10: NaN is missing, left
  EXPECT_THAT(sums_of(import_text(kBinary), {0, kLightgbmNan}), ElementsAre(0.75));   // 2: NaN is 0, which is above -2
  EXPECT_THAT(sums_of(import_text(with(kBinary, "decision_type=10", "decision_type=8")), {kLightgbmNan, -2}),
              ElementsAre(-1.75));
  EXPECT_THAT(sums_of(import_text(with(kBinary, " -2\n", " 0\n")), {0, kLightgbmNan}), ElementsAre(1.25));
  // A split of known from unknown values.
  EXPECT_THAT(sums_of(import_text(with(kBinary, "0.10000000000000001", "inf")), {INFINITY, 0}), ElementsAre(0.75));
  EXPECT_THAT(import_refusal(with(kBinary, "decision_type=10", "decision_type=6")), HasSubstr("takes 0 for missing"));
}

TEST(ImportLightgbm, TinyValuesAreZero) {
  // 1e-35 is as good as 0, on both sides of it.
  const RecordForest above = import_text(with(kBinary, " -2\n", " 1e-40\n"));
  EXPECT_THAT(sums_of(above, {0, 1e-35f}), ElementsAre(1.25));
  EXPECT_THAT(sums_of(above, {0, 1.1e-35f}), ElementsAre(0.75));
  const RecordForest under = import_text(with(kBinary, " -2\n", " -1e-35\n"));
  EXPECT_THAT(sums_of(under, {0, -1e-35f}), ElementsAre(0.75));
  EXPECT_THAT(sums_of(under, {0, -1.1e-35f}), ElementsAre(1.25));
}

TEST(ImportLightgbm, ClassesTakeTurnsAndRandomForestsAreAveraged) {
  std::string multi = with(kBinary, "num_class=1\nnum_tree_per_iteration=1", "num_class=2\nnum_tree_per_iteration=2");
  multi = with(multi, "objective=binary sigmoid:2", "objective=multiclass num_class:2");
  const RecordForest forest = import_text(multi);
  EXPECT_EQ(forest.link, Link::kSoftmax);
  EXPECT_THAT(sums_of(forest, {1, 0}), ElementsAre(-1, 0.125));
  const RecordForest averaged = import_text(with(kBinary, "sigmoid:2\n", "sigmoid:1\naverage_output\n"));
  EXPECT_THAT(sums_of(averaged, {1, 0}), ElementsAre((-1 + 0.125) / 2));
}

TEST(ImportLightgbm, RefusesWhatItCannotHold) {
  EXPECT_THAT(import_refusal(with(kBinary, "binary sigmoid:2", "multiclassova num_class:3")),
              HasSubstr("has the objective multiclassova; classifiers of binary and multiclass can be imported"));
  EXPECT_THAT(import_refusal(with(kBinary, "decision_type=10", "decision_type=1")),
              HasSubstr("tree 0: has categorical splits"));
  EXPECT_THAT(import_refusal(with(kBinary, "is_linear=0", "is_linear=1")),
              HasSubstr("has linear models in its leaves"));
  EXPECT_THAT(import_refusal(with(kBinary, "num_leaves=3", "num_leaves=50000000")),
              HasSubstr("leaf_value has 3 values, not 50000000"));
  EXPECT_THAT(import_refusal(kBinary.substr(0, kBinary.find("end of trees"))),
              HasSubstr("the line \"end of trees\" is missing"));
  EXPECT_THAT(import_refusal(with(kBinary, "0.5 -1 0.25", "0.5 -1")),
              HasSubstr("tree 0: leaf_value has 2 values, not 3"));
  EXPECT_THAT(import_refusal(with(kBinary, "0.5 -1 0.25", "0.5 x 0.25")),
              HasSubstr("leaf_value has the value x, which is no number"));
  EXPECT_THAT(import_refusal(with(kBinary, "left_child=1 -1", "left_child=1 -5")),
              HasSubstr("has a child 6, but 5 nodes"));
  EXPECT_THAT(import_refusal(with(kBinary, "left_child=1 -1", "left_child=1 -2147483648")),
              HasSubstr("has a child 2147483647, but 5 nodes"));
  EXPECT_THAT(import_refusal(with(kBinary, "left_child=1 -1", "left_child=0 -1")), HasSubstr("is the child of two"));
  EXPECT_THAT(import_refusal(with(kBinary, "tree_sizes=300 80", "tree_sizes=300")), HasSubstr("has 2 trees"));
}

}  // namespace
}  // namespace fernwood::records
