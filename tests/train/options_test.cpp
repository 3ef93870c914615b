// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/train/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "dataset/test_files.h"
#include "sentences.h"

namespace fernwood::train {
namespace {

struct Range {
  const char* flag;
  int TrainOptions::*field;
  int low, high;
};
constexpr int kMost = 2147483647;
constexpr Range kRanges[] = {
    {"--trees", &TrainOptions::trees, 1, 10000},
    {"--samples-per-frame", &TrainOptions::samples_per_frame, 1, 1000000},
    {"--features", &TrainOptions::features, 1, 1000000},
    {"--thresholds", &TrainOptions::thresholds, 1, 255},
    {"--max-depth", &TrainOptions::max_depth, 1, 64},
    {"--min-samples", &TrainOptions::min_samples, 1, kMost},
    {"--max-offset", &TrainOptions::max_offset, 1, 127},
    {"--max-half-extent", &TrainOptions::max_half_extent, 1, 127},
    {"--frames-per-tree", &TrainOptions::frames_per_tree, 0, kMost},
    {"--early-stopping-rounds", &TrainOptions::early_stopping_rounds, 0, 10000},
    {"--cascade", &TrainOptions::cascade, 1, 4},
};

TEST(TrainOptions, DefaultsAreGood) { TrainOptions().check(); }

TEST(TrainOptions, RangesEndWhereTheySay) {
  for (const Range& range : kRanges) {
    TrainOptions options = defaults_of(forest::ForestKind::kForest);
    for (const int good : {range.low, range.high}) {
      options.*range.field = good;
      EXPECT_NO_THROW(options.check()) << range.flag << " " << good;
    }
    options.*range.field = range.low - 1;
    testdata::expect_refused(ErrorKind::kUsage, [&] { options.check(); });
    if (range.high == kMost) continue;
    options.*range.field = range.high + 1;
    testdata::expect_refused(ErrorKind::kUsage, [&] { options.check(); });
  }
}

TEST(TrainOptions, FernsHaveAtMost25Levels) {
  TrainOptions options;
  options.algorithm = forest::ForestKind::kFerns;
  options.max_depth = 25;
  EXPECT_NO_THROW(options.check());
  options.max_depth = 26;
  testdata::expect_refused(ErrorKind::kUsage, [&] { options.check(); });
}

TEST(DefaultsOf, EachKindAreOfThatKindAndGood) {
  for (const forest::ForestKind kind : forest::kForestKinds) {
    EXPECT_EQ(defaults_of(kind).algorithm, kind);
    EXPECT_NO_THROW(defaults_of(kind).check());
  }
  EXPECT_EQ(to_json(defaults_of(TrainOptions().algorithm)), to_json(TrainOptions()));
}

TEST(TrainOptions, FoldsAreTwoAtLeastAndInTheJsonOfStages) {
  TrainOptions options;
  options.folds = 1;
  testdata::expect_refused(ErrorKind::kUsage, [&] { options.check(); });
  options.folds = 3;
  EXPECT_EQ(to_json(options), to_json(TrainOptions()));
  options.cascade = 2;
  EXPECT_NE(to_json(options).find(R"("folds":3)"), std::string::npos);
}

TEST(Presets, AreNamedAndGood) {
  std::set<std::string> options;
  for (const Preset& preset : presets()) {
    EXPECT_NO_THROW(preset.options.check()) << preset.name;
    EXPECT_NO_THROW(preset.with_backbone.check()) << preset.name;
    EXPECT_TRUE(options.insert(to_json(preset.options)).second) << preset.name;
    EXPECT_EQ(preset.name == kDefaultPreset, to_json(preset.options) == to_json(TrainOptions()));
  }
}

TEST(TrainOptions, UnaryFeatureFractionIsAFraction) {
  TrainOptions options;
  for (const float good : {0.0f, 1.0f}) {
    options.unary_feature_fraction = good;
    EXPECT_NO_THROW(options.check());
  }
  for (const float bad : {-0.1f, 1.1f, not_a_number()}) {
    options.unary_feature_fraction = bad;
    testdata::expect_refused(ErrorKind::kUsage, [&] { options.check(); });
  }
}

TEST(TrainOptions, JsonTellsAnyTwoSettingsApart) {
  const auto changed = [](const std::function<void(TrainOptions&)>& change) {
    TrainOptions options = defaults_of(forest::ForestKind::kForest);
    change(options);
    return to_json(options);
  };
  std::set<std::string> texts = {to_json(defaults_of(forest::ForestKind::kForest))};
  for (const Range& range : kRanges) texts.insert(changed([&](TrainOptions& o) { o.*range.field += 1; }));
  EXPECT_EQ(texts.size(), 1 + std::size(kRanges));
  for (const auto& change : std::vector<std::function<void(TrainOptions&)>>{
           [](TrainOptions& o) { o.seed += 1; }, [](TrainOptions& o) { o.sampling = Sampling::kPixels; },
           [](TrainOptions& o) { o.mirror_augmentation = false; },
           [](TrainOptions& o) { o.score = ScoreKind::kInformationGain; },
           [](TrainOptions& o) { o.unary_feature_fraction = 0.5f; },
           [](TrainOptions& o) { o.algorithm = forest::ForestKind::kFerns; }})
    EXPECT_TRUE(texts.insert(changed(change)).second);
}

TEST(TrainOptions, JsonHoldsTheFieldsByName) {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  options.seed = 18446744073709551615u;
  options.sampling = Sampling::kPixels;
  const std::string json = to_json(options);
  for (const char* part : {R"("trees":5)", R"("seed":18446744073709551615)", R"("sampling":"pixels")",
                           R"("score":"normalized-information-gain")", R"("mirror_augmentation":true)"})
    EXPECT_NE(json.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace fernwood::train
