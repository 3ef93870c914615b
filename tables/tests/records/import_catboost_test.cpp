// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "records/imported.h"
#include "records/record_bytes_of.h"
#include "sentences.h"

namespace fernwood::records {
namespace {

using testing::ElementsAre;

const float kCatboostNan = std::nanf("");

TEST(ImportCatboost, BitsOfALeafsNumberAreTheAnswersOfItsTests) {
  const RecordForest forest = import_text(kCatboostModel);
  EXPECT_EQ(forest.link, Link::kIdentity);
  EXPECT_THAT(forest.attributes, ElementsAre("size", "weight"));
  EXPECT_THAT(forest.targets, ElementsAre("target0"));
  EXPECT_NE(forest.provenance_json.find(R"("imported_from":"catboost","version":"1.2.10")"), std::string::npos);
  // Values equal to a border are not above it.
  EXPECT_THAT(predicted_of(forest, {0.5f, -1}), ElementsAre(2 * (1 + 0.125) + 0.25));
  EXPECT_THAT(predicted_of(forest, {0.6f, -1}), ElementsAre(2 * (2 + 0.125) + 0.25));
  EXPECT_THAT(predicted_of(forest, {0.5f, -0.9f}), ElementsAre(2 * (4 + 0.0625) + 0.25));
  EXPECT_THAT(predicted_of(forest, {0.6f, -0.9f}), ElementsAre(2 * (8 + 0.0625) + 0.25));
}

TEST(ImportCatboost, UnknownValuesAnswerAsTheirFeatureSays) {
  EXPECT_THAT(float_sums_of(import_text(kCatboostModel), {kCatboostNan, -1}), ElementsAre(2 * (1 + 0.125) + 0.25));
  EXPECT_THAT(float_sums_of(import_text(kCatboostModel), {0, kCatboostNan}), ElementsAre(2 * (4 + 0.0625) + 0.25));
  EXPECT_THAT(float_sums_of(import_text(with(kCatboostModel, "AsTrue", "AsIs")), {0, kCatboostNan}),
              ElementsAre(2 * (1 + 0.125) + 0.25));
  testdata::expect_sentence(import_refusal(with(kCatboostModel, "AsTrue", "AsEver")));
}

TEST(ImportCatboost, ScaleAndBiasFollowTheLastTreeIn64Bits) {
  // 2^53 + 1 rounds to 2^53, so that a sum starting with the bias would differ.
  const RecordForest forest =
      import_text(with(with(kCatboostModel, "[0.125,0.0625]", "[9007199254740992,0]"), "\"scale_and_bias\":[2,[0.25]]",
                       "\"scale_and_bias\":[1,-9007199254740992]"));
  EXPECT_THAT(float_sums_of(forest, {0, -1}), ElementsAre(0));
}

/// The model with a different loss function.
std::string catboost_of(const std::string& loss) { return with(kCatboostModel, "\"RMSE\"", "\"" + loss + "\""); }

/// The model with two values in each leaf, the second being the negative of the first.
std::string catboost_of_two(const std::string& loss) {
  std::string text = with(catboost_of(loss), "[1,2,4,8]", "[1,-1,2,-2,4,-4,8,-8]");
  text = with(text, "[0.125,0.0625]", "[0.125,-0.125,0.0625,-0.0625]");
  return with(text, "[2,[0.25]]", "[1,[0,0]]");
}

TEST(ImportCatboost, ValuesFollowFromTheSumsByTheLoss) {
  const double sum = 2 * 1.125 + 0.25;
  const auto predicted = [](const std::string& loss) {
    return predicted_of(import_text(catboost_of(loss)), {0, -1}).at(0);
  };
  for (const char* loss : {"MAE", "MAPE", "Quantile", "Huber", "Lq", "LogCosh", "Expectile", "Cox", "YetiRank",
                           "QueryRMSE", "PairLogit", "LambdaMart"})
    EXPECT_EQ(predicted(loss), sum) << loss;
  for (const char* loss : {"Poisson", "Tweedie"}) EXPECT_EQ(predicted(loss), std::exp(sum)) << loss;
  for (const char* loss : {"Logloss", "CrossEntropy", "Focal"}) {
    const RecordForest forest = import_text(catboost_of(loss));
    EXPECT_THAT(forest.classes, ElementsAre("0", "1")) << loss;
    EXPECT_EQ(predicted_of(forest, {0, -1})[1], 1 / (1 + std::exp(-sum))) << loss;
    EXPECT_NEAR(sums_of(forest, {0, -1})[0], sum, 1e-8) << loss;
  }
}

TEST(ImportCatboost, LeavesMayHaveSeveralValues) {
  EXPECT_THAT(predicted_of(import_text(catboost_of_two("MultiRMSE")), {0, -1}), ElementsAre(1.125, -1.125));
  const double share = 1 / (1 + std::exp(-1.125));
  EXPECT_THAT(predicted_of(import_text(catboost_of_two("MultiLogloss")), {0, -1}),
              ElementsAre(share, 1 / (1 + std::exp(1.125))));
  const RecordForest classes = import_text(catboost_of_two("MultiClass"));
  EXPECT_EQ(classes.link, Link::kSoftmax);
  EXPECT_THAT(sums_of(classes, {0, -1}), ElementsAre(1.125, -1.125));
  EXPECT_EQ(import_text(catboost_of_two("MultiClassOneVsAll")).link, Link::kSigmoid);
  const std::string quantiles =
      with(catboost_of_two("MultiQuantile"), "\"params\":{}", R"("params":{"alpha":"0.1,0.9"})");
  EXPECT_THAT(import_text(quantiles).targets, ElementsAre("quantile 0.1", "quantile 0.9"));
  testdata::expect_sentence(import_refusal(catboost_of_two("Logloss")));
}

TEST(ImportCatboost, ClassesAreNamedByTextsOrNumbers) {
  const auto classes = [](const std::string& names) {
    return import_text(with(catboost_of("Logloss"), "\"params\":{\"loss_function\"",
                            "\"class_params\":{\"class_names\":" + names + "},\"params\":{\"loss_function\""))
        .classes;
  };
  EXPECT_THAT(classes(R"(["no","yes"])"), ElementsAre("no", "yes"));
  EXPECT_THAT(classes("[-1,0.5]"), ElementsAre("-1", "0.5"));
  EXPECT_THAT(classes("[]"), ElementsAre("0", "1"));
}

TEST(ImportCatboost, AProbabilityThresholdDecidesClassesAndNotProbabilities) {
  const std::string info = "\"model_info\":{";
  const auto with_threshold = [&](const std::string& share) {
    return with(with(catboost_of("Logloss"), "[2,[0.25]]", "[1,[0]]"), info,
                info + "\"binclass_probability_threshold\":\"" + share + "\",");
  };
  const double share = 1 / (1 + std::exp(-1.125));  // 0.755, of the record's sum of 1.125
  const RecordForest usual = import_text(with_threshold("0.5")), forest = import_text(with_threshold("0.8"));
  EXPECT_EQ(forest.class_threshold, -std::log(1 / 0.8 - 1));
  EXPECT_EQ(predicted_of(forest, {0, -1})[1], share);
  const std::vector<float> record = {0, -1};
  EXPECT_EQ(classify_record(usual, record.data()), 1);
  EXPECT_EQ(classify_record(forest, record.data()), 0);
  EXPECT_EQ(classify_record(import_text(with_threshold("0.75")), record.data()), 1);
  EXPECT_TRUE(read_records(record_bytes(forest), "model") == forest);
  EXPECT_THROW(import_text(with_threshold("1")), Error);
}

TEST(ImportCatboost, CoversAreSumsOfTheWeightsOfLeaves) {
  const RecordForest forest = import_text(kCatboostModel);
  // In breadth-first order, the last test first: all records, the sides of the test of weight, then of those of size.
  EXPECT_THAT(forest.trees[0].covers, ElementsAre(10, 4, 6, 3, 1, 2, 4));
  EXPECT_THAT(forest.trees[1].covers, ElementsAre(10, 5, 5));
  EXPECT_TRUE(import_text(with(kCatboostModel, "[3,1,2,4]", "[]")).trees[1].covers.empty());
}

/// weight > -1 leads to leaf 3, else size > 0.5 to leaf 2, else leaf 1.
const std::string kNestedTree = R"({"left":{"left":{"value":1,"weight":4},"right":{"value":2,"weight":5},"split":{
"border":0.5,"float_feature_index":0,"split_index":0,"split_type":"FloatFeature"}},"right":{"value":3,"weight":6},
"split":{"border":-1,"float_feature_index":1,"split_index":1,"split_type":"FloatFeature"}})";

/// The model with `tree` instead of its own trees.
std::string with_nested(const std::string& tree) {
  const std::size_t begin = kCatboostModel.find("\"oblivious_trees\""),
                    end = kCatboostModel.find(",\"scale_and_bias\"");
  return kCatboostModel.substr(0, begin) + "\"trees\":[" + tree + "]" + kCatboostModel.substr(end);
}

TEST(ImportCatboost, TreesWhoseLevelsDifferAreRead) {
  const RecordForest forest = import_text(with_nested(kNestedTree));
  EXPECT_THAT(float_sums_of(forest, {0, -1}), ElementsAre(2 * 1 + 0.25));
  EXPECT_THAT(float_sums_of(forest, {1, -1}), ElementsAre(2 * 2 + 0.25));
  EXPECT_THAT(float_sums_of(forest, {1, 0}), ElementsAre(2 * 3 + 0.25));
  EXPECT_THAT(forest.trees[0].covers, ElementsAre(15, 9, 6, 4, 5));
  std::string deep = R"({"value":1})";
  for (int level = 0; level < 100; ++level) deep = "{\"left\":" + deep + "}";
  testdata::expect_sentence(import_refusal(with_nested(deep)));
}

/// Sum of the model catboost_categories() for one record.
double catboost_sum(const RecordForest& forest, const std::string& colour, float size, const std::string& city) {
  const auto category = [](const std::string& text) { return value_of_category(category_of_text(text)); };
  return float_sums_of(forest, {category(colour), size, category(city)}).at(0);
}

TEST(ImportCatboost, TestsOfCategoriesAskColumnsOfTables) {
  const RecordForest forest = import_text(catboost_categories());
  EXPECT_THAT(forest.attributes, ElementsAre("colour", "size", "city"));
  EXPECT_THAT(forest.columns.text_attributes, ElementsAre(0, 2));
  EXPECT_EQ(forest.columns.num_columns(), 3u);
  EXPECT_EQ(catboost_sum(forest, "blue", 0, "Aue"), 1.125);
  EXPECT_EQ(catboost_sum(forest, "red", 0, "Aue"), 2.125);
  EXPECT_EQ(catboost_sum(forest, "blue", 0, "Ulm"), 4.125);
  EXPECT_EQ(catboost_sum(forest, "blue", 1, "Ulm"), 4.0625);
  EXPECT_EQ(catboost_sum(forest, "blue", kCatboostNan, "Ulm"), 4.0625);
  EXPECT_EQ(catboost_sum(forest, "red", 1, "Ulm"), 8.125);
  EXPECT_EQ(catboost_sum(forest, "", 1, "nowhere"), 1.125);
}

TEST(ImportCatboost, StatisticsOfCategoriesFollowTheirType) {
  const auto values = [](const std::string& text) {
    const RecordForest forest = import_text(text);
    std::vector<float> found;  // from the table of cities: Aue, Ulm, others
    for (const CategoryTable& table : forest.columns.tables)
      if (table.parts.size() == 1 && table.parts[0].attribute == 2)
        for (const std::string city : {"Aue", "Ulm", "Bonn"}) {
          const std::uint64_t key = extend_key(0, table.parts[0], value_of_category(category_of_text(city)));
          found.push_back(table.values(find_key(table.keys.data(), table.keys.size(), key), 0));
        }
    return found;
  };
  const std::string borders = catboost_categories(), buckets = with(borders, "\"Borders\"", "\"Buckets\"");
  EXPECT_THAT(values(borders), ElementsAre((1 + 0.5f) / 5 * 10, (3 + 0.5f) / 5 * 10, 5));
  EXPECT_THAT(values(buckets), ElementsAre((3 + 0.5f) / 5 * 10, (1 + 0.5f) / 5 * 10, 5));
  const std::string means = with(borders, "\"Borders\"", "\"BinarizedTargetMeanValue\"");
  EXPECT_THAT(values(means), ElementsAre((3 + 0.5f) / 2 * 10, (1 + 0.5f) / 4 * 10, 5));
  EXPECT_EQ(values(with(borders, "\"Borders\"", "\"FloatTargetMeanValue\"")), values(means));
  const std::string three = with(with(with(borders, ",1,3,", ",1,3,4,"), ",9,9,", ",9,9,9,"), ",3,1],\"hash_stride\":3",
                                 ",3,1,0],\"hash_stride\":4");
  EXPECT_THAT(values(three), ElementsAre((1 + 0.5f) / 5 * 10, (7 + 0.5f) / 9 * 10, 5));
}

TEST(ImportCatboost, RefusesTablesThatAreNone) {
  const std::string model = catboost_categories();
  const auto refused = [&](const std::string& part, const std::string& replacement) {
    return import_refusal(with(model, part, replacement));
  };
  testdata::expect_sentence(refused("\"Borders\"", "\"Bounds\""));
  testdata::expect_sentence(refused("\"hash_stride\":3", "\"hash_stride\":2"));
  testdata::expect_sentence(refused("\"hash_stride\":3", "\"hash_stride\":4"));
  testdata::expect_sentence(refused(",3,1]", ",3,-1]"));
  testdata::expect_sentence(refused(",3,1]", ",2147483647,1]"));
  testdata::expect_sentence(refused(catboost_key("Aue"), "\"12x\""));
  testdata::expect_sentence(refused(catboost_key("Aue"), catboost_key("Ulm")));
  testdata::expect_sentence(refused("\"identifier\":\"share\"", "\"identifier\":\"other\""));
  testdata::expect_sentence(refused("\"split_index\":2", "\"split_index\":3"));
  testdata::expect_sentence(refused("\"split_index\":2", "\"split_index\":0"));
  testdata::expect_sentence(refused("{\"cat_feature_index\":1", "{\"cat_feature_index\":2"));
  testdata::expect_sentence(refused("\"cat_feature_value\"", "\"value\""));
  const std::string red = std::to_string(static_cast<std::int32_t>(category_of_text("red")));
  testdata::expect_sentence(refused("\"OneHotFeature\",\"value\":" + red, "\"OneHotFeature\",\"value\":5"));
}

TEST(ImportCatboost, RefusesStatisticsThatTheFileDoesNotTellApart) {
  const std::string shared = with(with(catboost_categories(), "\"Counter\"", "\"Borders\""), "\"identifier\":\"often\"",
                                  "\"identifier\":\"share\"");
  const auto options = [&](const std::string& first, const std::string& second) {
    const std::string ctr = R"({"ctr_type":"Borders","target_binarization":{"border_count":)";
    return with(
        shared, "\"params\":{\"loss",
        "\"params\":{\"cat_feature_params\":{\"simple_ctrs\":[" + ctr + first + "}}," + ctr + second + "}}]},\"loss");
  };
  EXPECT_EQ(import_refusal(options("1", "1")), "");
  testdata::expect_sentence(import_refusal(options("1", "2")));
}

TEST(ImportCatboost, RefusesWhatItCannotHold) {
  testdata::expect_sentence(import_refusal(catboost_of("RMSEWithUncertainty")));
  const std::string categorical =
      with(kCatboostModel, "\"features_info\":{",
           R"("features_info":{"categorical_features":[{"feature_id":"colour","flat_feature_index":2}],)");
  EXPECT_THAT(import_text(categorical).attributes, ElementsAre("size", "weight", "colour"));  // even if not tested
  const std::string texts = with(categorical, "categorical_features", "text_features");
  testdata::expect_sentence(import_refusal(with(texts, "FloatFeature", "EstimatedFeature")));
  testdata::expect_sentence(
      import_refusal(with(kCatboostModel, "\"float_feature_index\":0", "\"float_feature_index\":2")));
  testdata::expect_sentence(import_refusal(with(kCatboostModel, "[1,2,4,8]", "[1,2,4,8,16]")));
  testdata::expect_sentence(import_refusal(with(kCatboostModel, "[2,[0.25]]", "[2,[0.25,1]]")));
  testdata::expect_sentence(import_refusal("CBM1"));
}

}  // namespace
}  // namespace fernwood::records
