// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fernwood/records/record_file.h"
#include "fernwood_tables.h"
#include "records/record_models.h"
#include "sentences.h"
#include "test_folder.h"

namespace fernwood::c_api {
namespace {

using testing::ElementsAre;

class CRecords : public testing::Test {
 protected:
  // Two trees: one predicts class 1 where a > 1, the other where b > 2.
  void SetUp() override {
    records::save_records(records::stumps({{0, 1.0f}, {1, 2.0f}}), path_);
    ASSERT_EQ(fernwood_record_forest_load(path_.c_str(), &forest_), FERNWOOD_OK) << fernwood_last_error();
    const char* const options[] = {"device=cpu", "threads=1", "remember=false"};
    ASSERT_EQ(fernwood_record_predictor_new(forest_, options, 3, &predictor_), FERNWOOD_OK) << fernwood_last_error();
  }
  void TearDown() override {
    fernwood_record_forest_free(forest_);
    fernwood_record_predictor_free(predictor_);
  }

  testdata::TestFolder folder_;
  std::filesystem::path path_ = folder_ / "a.fernwood";
  fernwood_record_forest* forest_ = nullptr;
  fernwood_record_predictor* predictor_ = nullptr;
};

TEST_F(CRecords, KnowsItsNames) {
  EXPECT_EQ(fernwood_record_forest_num_attributes(forest_), 2u);
  EXPECT_EQ(fernwood_record_forest_num_classes(forest_), 2u);
  EXPECT_STREQ(fernwood_record_forest_class_name(forest_, 1), "one");
  EXPECT_EQ(fernwood_record_forest_class_name(forest_, 2), nullptr);
}

TEST(CRecordCategories, AreThoseOfTheLibrary) {
  const auto bits = [](float value) { return static_cast<std::uint32_t>(bits_of(value)); };
  EXPECT_EQ(bits(fernwood_record_category("abc", 3)), 978243121u);
  EXPECT_EQ(bits(fernwood_record_category("abcd", 3)), 978243121u);
  EXPECT_EQ(bits(fernwood_record_category("", 0)), 797982799u);
  EXPECT_EQ(bits(fernwood_record_category(nullptr, 3)), 797982799u);
}

TEST_F(CRecords, RowsAndColumnsGiveTheSame) {
  const float rows[] = {2, 3, -7, 0, 0, -7, 2, 0, -7}, columns[] = {2, 0, 2, 3, 0, 0};
  for (const fernwood_records& records : {fernwood_records{rows, 3, 2, 3, 1}, {columns, 3, 2, 1, 3}}) {
    std::int32_t classes[3] = {};
    ASSERT_EQ(fernwood_classify(predictor_, &records, classes), FERNWOOD_OK) << fernwood_last_error();
    EXPECT_THAT(classes, ElementsAre(1, 0, 0));  // the first of equal classes
    double probabilities[6] = {}, margins[6] = {};
    ASSERT_EQ(fernwood_record_predict(predictor_, &records, probabilities), FERNWOOD_OK) << fernwood_last_error();
    EXPECT_THAT(probabilities, ElementsAre(0.0, 1.0, 1.0, 0.0, 0.5, 0.5));
    ASSERT_EQ(fernwood_record_margins(predictor_, &records, margins), FERNWOOD_OK) << fernwood_last_error();
    EXPECT_THAT(margins, ElementsAre(0, 2, 2, 0, 1, 1));  // sums over two trees
    std::int32_t leaves[6] = {-1, -1, -1, -1, -1, -1};
    ASSERT_EQ(fernwood_record_leaves(predictor_, &records, leaves), FERNWOOD_OK) << fernwood_last_error();
    EXPECT_THAT(leaves, ElementsAre(1, 1, 0, 0, 1, 0));
  }
}

TEST_F(CRecords, AsksTheFirstTreesOnly) {
  fernwood_record_predictor* first = nullptr;
  const char* const options[] = {"device=cpu", "threads=1", "iterations=1"};
  ASSERT_EQ(fernwood_record_predictor_new(forest_, options, 3, &first), FERNWOOD_OK) << fernwood_last_error();
  const float rows[] = {2, 0, 0, 3};
  const fernwood_records records = {rows, 2, 2, 2, 1};
  double margins[4] = {};
  std::int32_t leaves[3] = {-1, -1, -1}, classes[2] = {};
  ASSERT_EQ(fernwood_record_margins(first, &records, margins), FERNWOOD_OK);
  ASSERT_EQ(fernwood_record_leaves(first, &records, leaves), FERNWOOD_OK);
  ASSERT_EQ(fernwood_classify(first, &records, classes), FERNWOOD_OK);
  EXPECT_THAT(margins, ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(leaves, ElementsAre(1, 0, -1));  // one number for each record and evaluated tree
  EXPECT_THAT(classes, ElementsAre(1, 0));
  fernwood_record_predictor_free(first);
  const char* const many[] = {"iterations=3"};
  EXPECT_EQ(fernwood_record_predictor_new(forest_, many, 1, &first), FERNWOOD_USAGE);
  testdata::expect_sentence(fernwood_last_error());
}

TEST_F(CRecords, ARegressorPredictsValuesAndHasNoClasses) {
  records::RecordForest values = records::stumps({{0, 1.5f}});
  values.classes.clear();
  values.targets = {"height"};
  values.link = records::Link::kExponential;
  values.base.clear();
  values.trees[0].leaf_values = {};
  values.trees[0].float_values = Array2<double>(2, 1);
  values.trees[0].float_values(1, 0) = 0.5;
  values.float_sums = records::FloatSums{.base = {1}};
  records::save_records(values, folder_ / "values.fernwood");
  fernwood_record_forest* forest = nullptr;
  ASSERT_EQ(fernwood_record_forest_load((folder_ / "values.fernwood").c_str(), &forest), FERNWOOD_OK);
  EXPECT_EQ(fernwood_record_forest_num_classes(forest), 0u);
  EXPECT_EQ(fernwood_record_forest_num_targets(forest), 1u);
  EXPECT_EQ(fernwood_record_forest_num_outputs(forest), 1u);
  EXPECT_EQ(fernwood_record_forest_num_trees(forest), 1u);
  EXPECT_STREQ(fernwood_record_forest_target_name(forest, 0), "height");
  EXPECT_EQ(fernwood_record_forest_target_name(forest, 1), nullptr);
  fernwood_record_predictor* predictor = nullptr;
  const char* const options[] = {"device=cpu"};
  ASSERT_EQ(fernwood_record_predictor_new(forest, options, 1, &predictor), FERNWOOD_OK);
  const float rows[] = {1, 0, 2, 0};
  const fernwood_records records = {rows, 2, 2, 2, 1};
  double margins[2], predicted[2];
  std::int32_t classes[2];
  ASSERT_EQ(fernwood_record_margins(predictor, &records, margins), FERNWOOD_OK);
  ASSERT_EQ(fernwood_record_predict(predictor, &records, predicted), FERNWOOD_OK);
  EXPECT_THAT(margins, ElementsAre(1.0, 1.5));
  EXPECT_THAT(predicted, ElementsAre(std::exp(1.0), std::exp(1.5)));
  EXPECT_EQ(fernwood_classify(predictor, &records, classes), FERNWOOD_USAGE);
  testdata::expect_sentence(fernwood_last_error());
  fernwood_record_predictor_free(predictor);
  fernwood_record_forest_free(forest);
}

TEST_F(CRecords, SavesTheSameBytes) {
  ASSERT_EQ(fernwood_record_forest_save(forest_, (folder_ / "b.fernwood").c_str()), FERNWOOD_OK);
  EXPECT_EQ(model_checksum(folder_ / "b.fernwood"), model_checksum(path_));
}

TEST_F(CRecords, WrongArgumentsAreRefused) {
  const float values[] = {1, 2, 3};
  std::int32_t classes[3] = {};
  const fernwood_records wide = {values, 1, 3, 3, 1}, no_step = {values, 1, 2, 0, 1}, both = {values, 1, 2, 2, 2};
  EXPECT_EQ(fernwood_classify(predictor_, &wide, classes), FERNWOOD_DATA);
  testdata::expect_sentence(fernwood_last_error());
  EXPECT_EQ(fernwood_classify(predictor_, &no_step, classes), FERNWOOD_USAGE);
  EXPECT_EQ(fernwood_classify(predictor_, &both, classes), FERNWOOD_USAGE);
  const fernwood_records no_values = {nullptr, 1, 2, 2, 1}, none = {nullptr, 0, 2, 2, 1};
  EXPECT_EQ(fernwood_classify(predictor_, &no_values, classes), FERNWOOD_USAGE);
  EXPECT_EQ(fernwood_classify(predictor_, &none, nullptr), FERNWOOD_OK);
  EXPECT_EQ(fernwood_record_predict(nullptr, &none, nullptr), FERNWOOD_USAGE);
  constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max() / 8 + 1;
  for (const fernwood_records& huge :
       {fernwood_records{values, kHuge, 2, 2, 1}, fernwood_records{values, 2, 2, kHuge, 1},
        fernwood_records{values, 2, 2, 1, kHuge}}) {
    EXPECT_EQ(fernwood_classify(predictor_, &huge, classes), FERNWOOD_USAGE);
    testdata::expect_sentence(fernwood_last_error());
  }
  const char* const unknown[] = {"strategi=auto"};
  fernwood_record_predictor* predictor = nullptr;
  EXPECT_EQ(fernwood_record_predictor_new(forest_, unknown, 1, &predictor), FERNWOOD_USAGE);
  testdata::expect_sentence(fernwood_last_error());
  EXPECT_EQ(fernwood_record_predictor_new(forest_, nullptr, 1, &predictor), FERNWOOD_USAGE);
  testdata::expect_sentence(fernwood_last_error());
  fernwood_record_forest* forest = nullptr;
  EXPECT_EQ(fernwood_record_forest_import(folder_.write("x.json", std::string("{}")).c_str(), &forest), FERNWOOD_MODEL);
}

}  // namespace
}  // namespace fernwood::c_api
