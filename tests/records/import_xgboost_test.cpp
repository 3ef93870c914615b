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

TEST(ImportXgboost, ValuesBelowTheThresholdGoLeft) {
  const RecordForest forest = import_text(kXgboostModel);
  EXPECT_EQ(forest.link, Link::kLogistic);
  EXPECT_THAT(forest.classes, ElementsAre("0", "1"));
  EXPECT_THAT(forest.attributes, ElementsAre("size", "weight"));
  EXPECT_EQ(forest.provenance_json.find(R"("imported_from":"xgboost","version":"1.7.6")") == std::string::npos, false);
  EXPECT_THAT(sums_of(forest, {1.4f, 0}), ElementsAre(0.75));
  EXPECT_THAT(sums_of(forest, {1.5f, -1}), ElementsAre(0.0));
  EXPECT_THAT(sums_of(forest, {1.5f, 0}), ElementsAre(0.625));
  EXPECT_THAT(sums_of(forest, {1.5f, -0.0f}), ElementsAre(0.625));
  EXPECT_THAT(sums_of(forest, {std::nanf(""), -1}), ElementsAre(0.75));
  EXPECT_THAT(sums_of(forest, {2, std::nanf("")}), ElementsAre(0.625));
}

TEST(ImportXgboost, SumsBeginWithTheBaseScore) {
  // The logarithm of 0.8 / 0.2 is that of 4; of binary:logitraw the score is no probability.
  const std::string scored = with(kXgboostModel, "\"5E-1\"", "\"[8E-1]\"");
  EXPECT_NEAR(sums_of(import_text(scored), {1, 0})[0], std::log(4.0) + 0.75, 1e-8);
  EXPECT_NEAR(sums_of(import_text(with(scored, "logistic", "logitraw")), {1, 0})[0], 1.55, 1e-8);
  EXPECT_THAT(
      import_refusal(with(kXgboostModel, "\"5E-1\"", "\"1\"")),
      HasSubstr("model field learner.learner_model_param.base_score must be a probability above 0 and below 1"));
  EXPECT_THAT(import_refusal(with(kXgboostModel, "\"5E-1\"", "\"[5E-1,\"")),
              HasSubstr("base_score is not JSON at byte 7"));
}

TEST(ImportXgboost, ClassesHaveTreesOfTheirOwn) {
  std::string multi = with(kXgboostModel, "binary:logistic", "multi:softprob");
  multi = with(with(multi, "\"num_class\":\"0\"", "\"num_class\":\"3\""), "\"5E-1\"", "\"[1,-1E0,0.25]\"");
  const RecordForest forest = import_text(with(multi, "\"tree_info\":[0,0]", "\"tree_info\":[2,1]"));
  EXPECT_EQ(forest.link, Link::kSoftmax);
  EXPECT_THAT(sums_of(forest, {1, 0}), ElementsAre(1.0, -0.5, 0.5));
  EXPECT_THAT(import_refusal(with(multi, "\"tree_info\":[0,0]", "\"tree_info\":[2,3]")),
              HasSubstr("tree_info[1] must be a whole number from 0 to 2, not 3"));
}

TEST(ImportXgboost, DartWeighsTrees) {
  std::string dart =
      with(kXgboostModel, "\"gradient_booster\":{", "\"gradient_booster\":{\"weight_drop\":[0.5,2],\"gbtree\":{");
  dart = with(dart, "\"name\":\"gbtree\"}", "\"name\":\"gbtree\"},\"name\":\"dart\"}");
  EXPECT_THAT(sums_of(import_text(dart), {1, 0}), ElementsAre(0.5 * 0.25 + 2 * 0.5));
}

/// Five rounds of a tree each, the best of which is the second.
std::string stopped_early(bool of_classifier) {
  const std::string leaf =
      R"({"default_left":[0],"left_children":[-1],"right_children":[-1],"split_conditions":[1],"split_indices":[0],"tree_param":{}})";
  std::string text =
      with(kXgboostModel, "\"tree_info\":[0,0]", "\"tree_info\":[0,0,0,0,0],\"iteration_indptr\":[0,1,2,3,4,5]");
  text = with(text, "\"size_leaf_vector\":\"0\"}}]",
              "\"size_leaf_vector\":\"0\"}}," + leaf + "," + leaf + "," + leaf + "]");
  return with(text, "{\"learner\":{",
              std::string("{\"learner\":{\"attributes\":{\"best_iteration\":\"1\"") +
                  (of_classifier ? ",\"scikit_learn\":\"{}\"}," : "},"));
}

TEST(ImportXgboost, TakesTheRoundsThatPredictOfTheFilesWriterTakes) {
  const auto trees = [](bool of_classifier, Rounds rounds, std::string* note = nullptr) {
    ImportOptions options;
    options.rounds = rounds;
    return import_text_of(stopped_early(of_classifier), "model", options, note).trees.size();
  };
  std::string note;
  EXPECT_EQ(trees(true, Rounds::kAuto, &note), 2u);
  EXPECT_THAT(note, HasSubstr("the first 2 of 5 rounds are taken, as XGBClassifier.predict does"));
  EXPECT_EQ(trees(false, Rounds::kAuto, &note), 5u);
  EXPECT_THAT(note, HasSubstr("all 5 rounds are taken, as Booster.predict does"));
  EXPECT_EQ(trees(true, Rounds::kAll), 5u);
  EXPECT_EQ(trees(false, Rounds::kBest), 2u);
  ImportOptions options;
  import_text_of(kXgboostModel, "model", options, &note);
  EXPECT_EQ(note, "");
}

TEST(ImportXgboost, RefusesWhatItCannotHold) {
  EXPECT_THAT(import_refusal(with(with(kXgboostModel, "\"num_target\":\"1\"", "\"num_target\":\"2\""), "\"5E-1\"",
                                  "\"[5E-1,5E-1]\"")),
              testing::AllOf(HasSubstr("has several outputs"), testing::Not(HasSubstr("damaged"))));
  EXPECT_THAT(import_refusal(with(kXgboostModel, "binary:logistic", "reg:squarederror")),
              HasSubstr("has the objective reg:squarederror; classifiers of binary:logistic"));
  EXPECT_THAT(import_refusal(with(kXgboostModel, "\"name\":\"gbtree\"", "\"name\":\"gblinear\"")),
              HasSubstr("has the booster gblinear, which has no trees"));
  EXPECT_THAT(import_refusal(with(kXgboostModel, "\"split_type\":[0,", "\"split_type\":[1,")),
              HasSubstr("has categorical splits"));
  EXPECT_THAT(import_refusal(with(kXgboostModel, "\"size_leaf_vector\":\"1\"", "\"size_leaf_vector\":\"3\"")),
              HasSubstr("trees with a vector in each leaf"));
  EXPECT_THAT(import_refusal(with(kXgboostModel, "[1,-1,3,-1,-1]", "[1,-1,2,-1,-1]")),
              HasSubstr("is the child of two"));
  EXPECT_THAT(import_refusal(with(kXgboostModel, "[1,-1,3,-1,-1]", "[1,-1,3,-1]")),
              HasSubstr("model field learner.gradient_booster.model.trees[0].right_children must have 4 elements"));
  EXPECT_THAT(import_refusal(with(kXgboostModel, "[0,0,1,0,0]", "[0,0,2,0,0]")), HasSubstr("asks attribute 2 of 2"));
  EXPECT_THAT(import_refusal(kXgboostModel.substr(0, 700)), HasSubstr("the model is not JSON at byte 701"));
}

}  // namespace
}  // namespace fernwood::records
