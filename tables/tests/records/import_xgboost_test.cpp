// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fernwood/core/error.h"
#include "fernwood/records/record_file.h"
#include "records/imported.h"
#include "records/record_bytes_of.h"
#include "sentences.h"

namespace fernwood::records {
namespace {

using testing::ElementsAre;

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
  // logit(0.8) = log(0.8 / 0.2) = log(4); for binary:logitraw, the base score is not a probability.
  const std::string scored = with(kXgboostModel, "\"5E-1\"", "\"[8E-1]\"");
  EXPECT_NEAR(sums_of(import_text(scored), {1, 0})[0], std::log(4.0) + 0.75, 1e-8);
  EXPECT_NEAR(sums_of(import_text(with(scored, "logistic", "logitraw")), {1, 0})[0], 1.55, 1e-7);
  testdata::expect_sentence(import_refusal(with(kXgboostModel, "\"5E-1\"", "\"1\"")));
  testdata::expect_sentence(import_refusal(with(kXgboostModel, "\"5E-1\"", "\"[5E-1,\"")));
}

TEST(ImportXgboost, ClassesHaveTreesOfTheirOwn) {
  std::string multi = with(kXgboostModel, "binary:logistic", "multi:softprob");
  multi = with(with(multi, "\"num_class\":\"0\"", "\"num_class\":\"3\""), "\"5E-1\"", "\"[1,-1E0,0.25]\"");
  const RecordForest forest = import_text(with(multi, "\"tree_info\":[0,0]", "\"tree_info\":[2,1]"));
  EXPECT_EQ(forest.link, Link::kSoftmax);
  EXPECT_THAT(sums_of(forest, {1, 0}), ElementsAre(1.0, -0.5, 0.5));
  testdata::expect_sentence(import_refusal(with(multi, "\"tree_info\":[0,0]", "\"tree_info\":[2,3]")));
}

/// The first test is whether the size is category 1, 3 or 70.
const std::string kXgboostCategories =
    with(kXgboostModel, R"("split_type":[0,0,0,0,0])",
         R"("split_type":[1,0,0,0,0],"categories":[1,3,70],"categories_nodes":[0],"categories_segments":[0],)"
         R"("categories_sizes":[3])");

TEST(ImportXgboost, CategoriesOfASetGoRightAndAllElseLeft) {
  const RecordForest forest = import_text(kXgboostCategories);
  EXPECT_EQ(forest.columns.sets.size(), 1u);
  const auto sum_at = [&](float size) { return float_sums_of(forest, {size, 0})[0]; };
  const double left = sum_at(std::nanf(""));  // the default side
  for (const float size : {1.0f, 1.9f, 3.0f, 70.5f}) EXPECT_NE(sum_at(size), left) << size;
  for (const float size :
       {0.0f, -0.0f, -1.0f, -0.5f, 2.0f, 69.0f, 71.0f, 128.0f, 16777216.0f, 1e30f, -INFINITY, INFINITY})
    EXPECT_EQ(sum_at(size), left) << size;
  const RecordForest right = import_text(with(kXgboostCategories, "\"default_left\":[1,", "\"default_left\":[0,"));
  EXPECT_EQ(float_sums_of(right, {std::nanf(""), 0})[0], sum_at(1));
  EXPECT_EQ(float_sums_of(right, {-1, 0})[0], left);
  for (const RecordSummary::AttributeUse& use : summarize(forest).attributes) EXPECT_EQ(use.splits, 1u) << use.name;
}

TEST(ImportXgboost, RefusesSetsThatAreNone) {
  testdata::expect_sentence(import_refusal(with(kXgboostCategories, "[1,3,70]", "[1,3,-70]")));
  testdata::expect_sentence(import_refusal(with(kXgboostCategories, "[1,3,70]", "[1,3,16777216]")));
  testdata::expect_sentence(
      import_refusal(with(kXgboostCategories, "\"categories_sizes\":[3]", "\"categories_sizes\":[4]")));
  testdata::expect_sentence(
      import_refusal(with(kXgboostCategories, "\"categories_nodes\":[0]", "\"categories_nodes\":[5]")));
}

TEST(ImportXgboost, ANumberCanStandForUnknownValues) {
  const RecordForest forest = import_text(kXgboostModel, {.missing = 3.0f}), plain = import_text(kXgboostModel);
  const float unknown = std::nanf("");
  EXPECT_EQ(float_sums_of(forest, {3, 0}), float_sums_of(plain, {unknown, 0}));
  EXPECT_EQ(float_sums_of(forest, {unknown, 3}), float_sums_of(plain, {unknown, unknown}));
  EXPECT_EQ(float_sums_of(forest, {2.5f, 0}), float_sums_of(plain, {2.5f, 0}));
  const RecordForest sets = import_text(kXgboostCategories, {.missing = 3.0f});
  EXPECT_EQ(float_sums_of(sets, {3, 0}), float_sums_of(sets, {unknown, 0}));
  EXPECT_NE(float_sums_of(sets, {3, 0}), float_sums_of(sets, {1, 0}));
  EXPECT_THROW(import_text(kXgboostModel, {.missing = INFINITY}), Error);
}

TEST(ImportXgboost, DartWeighsTrees) {
  std::string dart =
      with(kXgboostModel, "\"gradient_booster\":{", "\"gradient_booster\":{\"weight_drop\":[0.5,2],\"gbtree\":{");
  dart = with(dart, "\"name\":\"gbtree\"}", "\"name\":\"gbtree\"},\"name\":\"dart\"}");
  EXPECT_THAT(sums_of(import_text(dart), {1, 0}), ElementsAre(0.5 * 0.25 + 2 * 0.5));
  // Version 3.3 has the weights beside the model of a gbtree, 3.4 in it.
  for (const char* before : {"\"gradient_booster\":{", "\"model\":{"})
    EXPECT_THAT(
        sums_of(import_text(with(kXgboostModel, before, std::string(before) + "\"weight_drop\":[0.5,2],")), {1, 0}),
        ElementsAre(0.5 * 0.25 + 2 * 0.5))
        << before;
}

TEST(ImportXgboost, FieldsThatAreNotKnownAreRefused) {
  for (const char* before : {"\"gradient_booster\":{", "\"model\":{", "\"learner_model_param\":{"})
    testdata::expect_sentence(import_refusal(with(kXgboostModel, before, std::string(before) + "\"tree_bias\":[1],")));
}

TEST(ImportXgboost, AVersionThatWasNotComparedIsNoted) {
  const auto note = [](const std::string& version) {
    return version_note(import_text(with(kXgboostModel, "[1,7,6]", version)));
  };
  for (const char* version : {"[1,7,6]", "[3,4,0]", "[3,4,9]"}) EXPECT_EQ(note(version), "") << version;
  for (const char* version : {"[3,5,0]", "[3,10,0]", "[4,0,0]"}) EXPECT_NE(note(version), "") << version;
}

TEST(ImportXgboost, TrainingOnOneClassAndTooManyAttributesAreNamed) {
  for (const char* score : {"[0E0]", "[1E0]"})
    testdata::expect_sentence(import_refusal(with(kXgboostModel, "\"5E-1\"", std::string("\"") + score + "\"")));
  testdata::expect_sentence(import_refusal(
      with(kXgboostModel, "\"num_feature\":\"2\",\"num_target\"", "\"num_feature\":\"70000\",\"num_target\"")));
}

/// Five rounds with one tree each, of which the second is the best.
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
  testdata::expect_sentence(note);
  EXPECT_EQ(trees(false, Rounds::kAuto, &note), 5u);
  testdata::expect_sentence(note);
  EXPECT_EQ(trees(true, Rounds::kAll), 5u);
  EXPECT_EQ(trees(false, Rounds::kBest), 2u);
  ImportOptions options;
  import_text_of(kXgboostModel, "model", options, &note);
  EXPECT_EQ(note, "");
}

/// The model with a different objective, base score and number of targets.
std::string xgboost_of(const std::string& objective, const std::string& base_score, int num_targets = 1) {
  const std::string text = with(with(kXgboostModel, "binary:logistic", objective), "\"5E-1\"", base_score);
  return with(text, "\"num_target\":\"1\"", "\"num_target\":\"" + std::to_string(num_targets) + "\"");
}

TEST(ImportXgboost, ValuesFollowFromTheSumsByTheObjective) {
  struct Expected {
    const char* objective;
    Link link;
    float base, predicted;
  };
  // For a size of 1 the sum is base + 0.25 + 0.5; the base score is 0.25.
  const float of_probability = -std::log(3.0f), of_mean = std::log(0.25f);
  for (const Expected& expected :
       {Expected{"reg:squarederror", Link::kIdentity, 0.25f, 1.0f},
        {"reg:squaredlogerror", Link::kIdentity, 0.25f, 1.0f},
        {"reg:absoluteerror", Link::kIdentity, 0.25f, 1.0f},
        {"reg:pseudohubererror", Link::kIdentity, 0.25f, 1.0f},
        {"rank:ndcg", Link::kIdentity, 0.25f, 1.0f},
        {"rank:map", Link::kIdentity, 0.25f, 1.0f},
        {"rank:pairwise", Link::kIdentity, 0.25f, 1.0f},
        {"reg:logistic", Link::kSigmoid, of_probability, 1 / (1 + std::exp(-(of_probability + 0.25f + 0.5f)))},
        {"count:poisson", Link::kExponential, of_mean, std::exp(of_mean + 0.25f + 0.5f)},
        {"reg:gamma", Link::kExponential, of_mean, std::exp(of_mean + 0.25f + 0.5f)},
        {"reg:tweedie", Link::kExponential, of_mean, std::exp(of_mean + 0.25f + 0.5f)},
        {"survival:cox", Link::kExponential, of_mean, std::exp(of_mean + 0.25f + 0.5f)},
        {"survival:aft", Link::kExponential, of_mean, std::exp(of_mean + 0.25f + 0.5f)}}) {
    const RecordForest forest = import_text(xgboost_of(expected.objective, "\"2.5E-1\""));
    EXPECT_EQ(forest.link, expected.link) << expected.objective;
    EXPECT_TRUE(forest.classes.empty() && forest.targets.size() == 1) << expected.objective;
    EXPECT_THAT(forest.float_sums->base, ElementsAre(expected.base)) << expected.objective;
    EXPECT_THAT(predicted_of(forest, {1, 0}), ElementsAre(expected.predicted)) << expected.objective;
  }
  testdata::expect_sentence(import_refusal(xgboost_of("reg:gamma", "\"0E0\"")));
}

TEST(ImportXgboost, SumsAreRoundedTo32BitsBeginningWithTheBase) {
  // Added one after the other, 2^24 + 0.25 + 0.5 remains 2^24.
  const RecordForest forest = import_text(xgboost_of("reg:squarederror", "\"1.6777216E7\""));
  EXPECT_THAT(float_sums_of(forest, {1, 0}), ElementsAre(16777216.0));
}

TEST(ImportXgboost, HingeIsClassOneAboveZero) {
  const RecordForest forest = import_text(xgboost_of("binary:hinge", "\"-7.5E-1\""));
  EXPECT_EQ(classify_record(forest, std::vector<float>{1.4f, 0}.data()), 0);  // -0.75 + 0.75
  EXPECT_EQ(classify_record(import_text(xgboost_of("binary:hinge", "\"-7.4E-1\"")), std::vector<float>{1.4f, 0}.data()),
            1);
}

TEST(ImportXgboost, LabelsAndQuantilesAreTargets) {
  const std::string two_trees =
      with(xgboost_of("binary:logistic", "\"[5E-1,7.5E-1]\"", 2), "\"tree_info\":[0,0]", "\"tree_info\":[1,0]");
  const RecordForest labels = import_text(two_trees);
  EXPECT_EQ(labels.link, Link::kSigmoid);
  EXPECT_THAT(float_sums_of(labels, {1, 0}), ElementsAre(0.5f, -std::log(1.0f / 0.75f - 1.0f) + 0.25f));
  EXPECT_EQ(import_text(with(two_trees, "logistic", "logitraw")).link, Link::kIdentity);
  const std::string quantiles =
      with(with(two_trees, "binary:logistic", "reg:quantileerror"), "\"name\":\"reg:quantileerror\"",
           "\"name\":\"reg:quantileerror\",\"quantile_loss_param\":{\"quantile_alpha\":\"[0.1,0.9]\"}");
  EXPECT_THAT(import_text(quantiles).targets, ElementsAre("quantile 0.1", "quantile 0.9"));
  testdata::expect_sentence(import_refusal(with(two_trees, "binary:logistic", "reg:expectileerror")));
  testdata::expect_sentence(import_refusal(with(two_trees, "binary:logistic", "binary:hinge")));
}

TEST(ImportXgboost, VectorsInLeavesAreReadInBothForms) {
  std::string text = xgboost_of("reg:squarederror", "\"[0E0,1E0]\"", 2);
  text = with(text, "\"size_leaf_vector\":\"1\"", "\"size_leaf_vector\":\"2\"");
  text = with(text, "\"size_leaf_vector\":\"0\"", "\"size_leaf_vector\":\"2\"");
  const std::string second = "\"base_weights\":[7,8],\"default_left\":[false]";
  const std::string by_nodes = with(with(text, "\"default_left\":[false]", second), "\"default_left\":[1,",
                                    "\"base_weights\":[0,0,1,2,0,0,3,4,5,6],\"default_left\":[1,");
  EXPECT_THAT(float_sums_of(import_text(by_nodes), {1, 0}), ElementsAre(1 + 7, 1 + 2 + 8));
  EXPECT_THAT(float_sums_of(import_text(by_nodes), {2, 0}), ElementsAre(5 + 7, 1 + 6 + 8));
  // Indices of leaf vectors: nodes 1, 3 and 4 have the vectors 2, 0 and 1.
  const std::string by_rows =
      with(with(with(with(text, "\"default_left\":[false]", "\"leaf_weights\":[7,8],\"default_left\":[false]"),
                     "\"right_children\":[-1]", "\"right_children\":[0]"),
                "\"default_left\":[1,", "\"leaf_weights\":[3,4,5,6,1,2],\"default_left\":[1,"),
           "[2,-1,4,-1,-1]", "[2,2,4,0,1]");
  EXPECT_THAT(float_sums_of(import_text(by_rows), {1, 0}), ElementsAre(1 + 7, 1 + 2 + 8));
  EXPECT_THAT(float_sums_of(import_text(by_rows), {2, 0}), ElementsAre(5 + 7, 1 + 6 + 8));
  testdata::expect_sentence(import_refusal(with(by_rows, "[2,2,4,0,1]", "[2,3,4,0,1]")));
  testdata::expect_sentence(import_refusal(with(by_nodes, "[0,0,1,2,0,0,3,4,5,6]", "[NaN,NaN,1,2,0,NaN,3,4,5,6]")));
}

TEST(ImportXgboost, CoversAreSumsOfCurvatures) {
  const std::string first =
      with(kXgboostModel, "\"default_left\":[1,", "\"sum_hessian\":[5E0,3E0,2E0,1.5E0,5E-1],\"default_left\":[1,");
  EXPECT_TRUE(import_text(first).trees[0].covers.empty());  // the other tree has none
  const std::string both = with(first, "\"default_left\":[false]", "\"sum_hessian\":[5E0],\"default_left\":[false]");
  EXPECT_THAT(import_text(both).trees[0].covers, ElementsAre(5, 3, 2, 1.5, 0.5));
  EXPECT_THAT(import_text(both).trees[1].covers, ElementsAre(5));
  EXPECT_TRUE(import_text(with(both, "1.5E0,", "-1.5E0,")).trees[1].covers.empty());
}

/// The text in the form of XGBoost's save_raw("ubj"), with or without types for whole arrays.
std::string ubjson_of(const std::string& text, bool has_types) {
  const std::vector<std::uint8_t> bytes = nlohmann::json::to_ubjson(nlohmann::json::parse(text), has_types, has_types);
  return {bytes.begin(), bytes.end()};
}

TEST(ImportXgboost, UbjsonIsTheSameModelAsJson) {
  const auto parts = [](RecordForest forest) {
    forest.provenance_json = "{}";  // it contains the checksum of the file
    return forest;
  };
  for (const bool has_types : {false, true})
    EXPECT_EQ(parts(import_text(ubjson_of(kXgboostModel, has_types))), parts(import_text(kXgboostModel)));
}

TEST(ImportXgboost, NoByteOfUbjsonIsMoreThanARefusal) {
  const std::string model = ubjson_of(kXgboostModel, true);
  for (std::size_t i = 0; i < model.size(); ++i) {
    std::string changed = model;
    changed[i] = '\xb2';  // not valid at the start of a UTF-8 character
    try {
      const RecordForest forest = import_text(changed);
      record_bytes(forest);
      std::ostringstream onnx;
      write_onnx(forest, onnx);
    } catch (const Error&) {  // other exceptions fail the test
    }
  }
  std::string named = model;
  named[named.find("weight")] = '\xb2';
  testdata::expect_sentence(import_refusal(named));
  named = model;
  named[named.find("binary:logistic")] = '\xb2';
  EXPECT_NE(import_refusal(named), "");
}

TEST(ImportXgboost, UbjsonEndsAtItsLimits) {
  const std::string model = ubjson_of(kXgboostModel, true);
  for (std::size_t size = 2; size < model.size(); ++size) EXPECT_NE(import_refusal(model.substr(0, size)), "") << size;
  std::string deep =
      "{U\x01"
      "a";
  for (int level = 0; level < 100000; ++level) deep += "[";
  testdata::expect_sentence(import_refusal(deep));
  // An array that claims 2^62 nulls.
  testdata::expect_sentence(
      import_refusal("{U\x01"
                     "a[$Z#L@" +
                     std::string(7, '\0') + "}"));
  testdata::expect_sentence(
      import_refusal("{U\x01"
                     "a[$D#L@" +
                     std::string(7, '\0') + "}"));
}

TEST(ImportXgboost, RefusesWhatItCannotHold) {
  testdata::expect_sentence(import_refusal(with(kXgboostModel, "binary:logistic", "binary:unknown")));
  testdata::expect_sentence(import_refusal(with(kXgboostModel, "\"name\":\"gbtree\"", "\"name\":\"gblinear\"")));
  testdata::expect_sentence(import_refusal(with(kXgboostModel, "\"split_type\":[0,", "\"split_type\":[1,")));
  testdata::expect_sentence(
      import_refusal(with(kXgboostModel, "\"size_leaf_vector\":\"1\"", "\"size_leaf_vector\":\"3\"")));
  testdata::expect_sentence(import_refusal(with(kXgboostModel, "[1,-1,3,-1,-1]", "[1,-1,2,-1,-1]")));
  testdata::expect_sentence(import_refusal(with(kXgboostModel, "[1,-1,3,-1,-1]", "[1,-1,3,-1]")));
  testdata::expect_sentence(import_refusal(with(kXgboostModel, "[0,0,1,0,0]", "[0,0,2,0,0]")));
  testdata::expect_sentence(import_refusal(kXgboostModel.substr(0, 700)));
}

}  // namespace
}  // namespace fernwood::records
