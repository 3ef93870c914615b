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

TEST(ImportModel, NamesMayBeGiven) {
  EXPECT_THAT(import_text(kXgboostModel, {ModelSource::kAuto, {"a", "b"}, {"x", "y"}}).classes, ElementsAre("a", "b"));
  EXPECT_THAT(import_text(kXgboostModel, {ModelSource::kAuto, {}, {"x", "y"}}).attributes, ElementsAre("x", "y"));
  EXPECT_THAT(import_refusal(kXgboostModel, {ModelSource::kAuto, {"a", "b", "c"}, {}}),
              HasSubstr("has 2 classes, but 3 names were given"));
}

TEST(ImportModel, NamesDiffer) {
  EXPECT_THAT(import_refusal(kXgboostModel, {ModelSource::kAuto, {}, {"x", "x"}}),
              HasSubstr("has several attributes \"x\"; give other names with --attributes"));
  EXPECT_THAT(import_refusal(kXgboostModel, {ModelSource::kAuto, {"1", "1.0"}, {}}),
              HasSubstr("which are the same number; give other names with --classes"));
  EXPECT_THAT(import_refusal(kXgboostModel, {ModelSource::kAuto, {"yes", "nan"}, {}}),
              HasSubstr("give other names with --classes"));
}

TEST(ImportModel, RoundsAreOnlyOfXgboost) {
  ImportOptions options;
  options.rounds = Rounds::kBest;
  for (const std::string& model : {kLightgbmModel, kTreeliteModel})
    EXPECT_THAT(import_refusal(model, options),
                HasSubstr("--rounds has no effect on a model that XGBoost did not write; leave it out"));
}

TEST(ImportModel, SaysWhatOtherFilesAre) {
  EXPECT_THAT(import_refusal(""), HasSubstr("is empty"));
  EXPECT_THAT(import_refusal("FERNWOOD"), HasSubstr("is a model file of fernwood already"));
  EXPECT_THAT(import_refusal("   \n"), HasSubstr("is not a model that can be imported"));
  EXPECT_THAT(import_refusal("{}"), HasSubstr("is not a model that can be imported"));
  EXPECT_THAT(import_refusal("\x80\x04\x95"), HasSubstr("which only Python reads; in Python "));
  EXPECT_THAT(import_refusal("binf\x00\x00"), HasSubstr("save it with save_model(\"NAME.json\")"));
  EXPECT_THAT(import_refusal(kTreeliteModel, {ModelSource::kXgboost, {}, {}}),
              HasSubstr("model field learner is missing"));
  EXPECT_THAT(import_refusal(kXgboostModel, {ModelSource::kLightgbm, {}, {}}),
              HasSubstr("\"end of trees\" is missing"));
}

}  // namespace
}  // namespace fernwood::records
