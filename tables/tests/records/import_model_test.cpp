// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "records/imported.h"
#include "sentences.h"

namespace fernwood::records {
namespace {

using testing::ElementsAre;

TEST(ImportModel, NamesMayBeGiven) {
  EXPECT_THAT(import_text(kXgboostModel, {ModelSource::kAuto, {"a", "b"}, {"x", "y"}}).classes, ElementsAre("a", "b"));
  EXPECT_THAT(import_text(kXgboostModel, {ModelSource::kAuto, {}, {"x", "y"}}).attributes, ElementsAre("x", "y"));
  testdata::expect_sentence(import_refusal(kXgboostModel, {ModelSource::kAuto, {"a", "b", "c"}, {}}));
}

TEST(ImportModel, NamesDiffer) {
  testdata::expect_sentence(import_refusal(kXgboostModel, {ModelSource::kAuto, {}, {"x", "x"}}));
  testdata::expect_sentence(import_refusal(kXgboostModel, {ModelSource::kAuto, {"1", "1.0"}, {}}));
  testdata::expect_sentence(import_refusal(kXgboostModel, {ModelSource::kAuto, {"yes", "nan"}, {}}));
}

TEST(ImportModel, RoundsAreOnlyOfXgboost) {
  ImportOptions options;
  options.rounds = Rounds::kBest;
  for (const std::string& model : {kLightgbmModel, kTreeliteModel})
    testdata::expect_sentence(import_refusal(model, options));
}

TEST(ImportModel, SaysWhatOtherFilesAre) {
  testdata::expect_sentence(import_refusal(""));
  testdata::expect_sentence(import_refusal("FERNWOOD"));
  testdata::expect_sentence(import_refusal("   \n"));
  testdata::expect_sentence(import_refusal("{}"));
  testdata::expect_sentence(import_refusal("\x80\x04\x95"));
  testdata::expect_sentence(import_refusal("binf\x00\x00"));
  testdata::expect_sentence(import_refusal(kTreeliteModel, {ModelSource::kXgboost, {}, {}}));
  testdata::expect_sentence(import_refusal(kXgboostModel, {ModelSource::kLightgbm, {}, {}}));
}

}  // namespace
}  // namespace fernwood::records
