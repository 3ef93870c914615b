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

TEST(ImportSklearn, SharesOfClassesAreSummed) {
  const RecordForest forest = import_text(kSklearnModel);
  EXPECT_EQ(forest.link, Link::kMean);
  EXPECT_THAT(forest.classes, ElementsAre("no", "yes"));
  EXPECT_THAT(forest.attributes, ElementsAre("f0", "f1"));
  EXPECT_EQ(forest.options_json, R"({"objective":"RandomForestClassifier"})");
  // The float 0.1 is larger than the double.
  EXPECT_THAT(sums_of(forest, {0, 0.1f}), ElementsAre(1.5, 0.5));
  EXPECT_THAT(sums_of(forest, {0, std::nextafter(0.1f, 0.0f)}), ElementsAre(0.75, 1.25));
  EXPECT_THAT(sums_of(forest, {0, std::nanf("")}), ElementsAre(0.75, 1.25));
}

TEST(ImportSklearn, RefusesWhatIsDamaged) {
  EXPECT_THAT(import_refusal(with(kSklearnModel, "\"mean\"", "\"median\"")),
              HasSubstr("model field link must be \"mean\""));
  EXPECT_THAT(import_refusal(with(kSklearnModel, "\"left\":[1,", "\"left\":[1.5,")),
              HasSubstr("a child is 1.5, not a whole"));
  EXPECT_THAT(import_refusal(with(kSklearnModel, "0.25,0.75,1.0,0.0", "0.25,0.75,1.0")),
              HasSubstr("trees[0].leaf_values must have 4 elements, not 3"));
  EXPECT_THAT(import_refusal(with(kSklearnModel, "\"version\":1", "\"version\":2")),
              HasSubstr("version must be 1, not 2"));
}

TEST(ImportModel, NamesMayBeGiven) {
  EXPECT_THAT(import_text(kSklearnModel, {ModelSource::kAuto, {"a", "b"}, {"x", "y"}}).classes, ElementsAre("a", "b"));
  EXPECT_THAT(import_text(kSklearnModel, {ModelSource::kAuto, {}, {"x", "y"}}).attributes, ElementsAre("x", "y"));
  EXPECT_THAT(import_refusal(kSklearnModel, {ModelSource::kAuto, {"a", "b", "c"}, {}}),
              HasSubstr("has 2 classes, but 3 names were given"));
}

TEST(ImportModel, SaysWhatOtherFilesAre) {
  EXPECT_THAT(import_refusal(""), HasSubstr("is empty"));
  EXPECT_THAT(import_refusal("FERNWOOD"), HasSubstr("is a model file of fernwood already"));
  EXPECT_THAT(import_refusal("   \n"), HasSubstr("is not a model that can be imported"));
  EXPECT_THAT(import_refusal("{}"), HasSubstr("is not a model that can be imported"));
  EXPECT_THAT(import_refusal("\x80\x04\x95"), HasSubstr("run scripts/export_sklearn"));
  EXPECT_THAT(import_refusal("binf\x00\x00"), HasSubstr("save it with save_model(\"NAME.json\")"));
  EXPECT_THAT(import_refusal(kSklearnModel, {ModelSource::kXgboost, {}, {}}),
              HasSubstr("model field learner is missing"));
  EXPECT_THAT(import_refusal(kSklearnModel, {ModelSource::kLightgbm, {}, {}}),
              HasSubstr("\"end of trees\" is missing"));
}

}  // namespace
}  // namespace fernwood::records
