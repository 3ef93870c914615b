// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/data/class_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/test_files.h"
#include "fernwood/forest/forest.h"
#include "sentences.h"
#include "train/training_data.h"

namespace fernwood::train {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::IsEmpty;

const image::ClassMap kRoom{{{"floor", {1, 0, 0}}, {"wall", {2, 0, 0}}, {"night stand", {3, 0, 0}}}, {}, {}};

std::vector<float> resolve(const std::string& text, const std::vector<std::uint64_t>& pixels = {5, 5, 5}) {
  check_class_weights(text);
  return resolve_class_weights(text, kRoom, pixels);
}

TEST(ClassWeights, AreNoneForTheDataAsTheyAre) { EXPECT_THAT(resolve("data"), IsEmpty()); }

TEST(ClassWeights, BalancedAreInverseToThePixelsWithAMeanOfOne) {
  // 1/1, 1/1, 1/2, with mean 5/6.
  EXPECT_THAT(resolve("balanced", {10, 10, 20}), ElementsAre(FloatEq(1.2f), FloatEq(1.2f), FloatEq(0.6f)));
}

TEST(ClassWeights, SqrtAreInverseToTheRootOfThePixels) {
  // 1/1, 1/2, 1/4, with mean 7/12.
  EXPECT_THAT(resolve("cbrt", {1, 8, 64}), ElementsAre(FloatEq(12.0f / 7), FloatEq(6.0f / 7), FloatEq(3.0f / 7)));
  EXPECT_THAT(resolve("cbrt", {1000000007}), ElementsAre(1.0f));
  EXPECT_THAT(resolve("sqrt", {1, 4, 16}), ElementsAre(FloatEq(12.0f / 7), FloatEq(6.0f / 7), FloatEq(3.0f / 7)));
}

TEST(ClassWeights, OfClassesWithoutPixelsAreOneAndCountForNoMean) {
  EXPECT_THAT(resolve("balanced", {4, 0, 1}), ElementsAre(FloatEq(0.4f), FloatEq(1.0f), FloatEq(1.6f)));
  EXPECT_THAT(resolve("sqrt", {0, 0, 0}), ElementsAre(1.0f, 1.0f, 1.0f));
}

TEST(ClassWeights, StayWithinTheirBounds) {
  EXPECT_THAT(resolve("balanced", {1, 1, std::uint64_t{1} << 47}), ElementsAre(1.5f, 1.5f, forest::kMinClassWeight));
}

TEST(ClassWeights, ByNameLeaveOthersAtOne) {
  EXPECT_THAT(resolve("night stand = 4.5, floor=1e-6"), ElementsAre(1e-6f, 1.0f, 4.5f));
  EXPECT_THAT(resolve("wall=1e6"), ElementsAre(1.0f, 1e6f, 1.0f));
}

TEST(ClassWeights, ThatCannotBeReadAreUsageErrorsBeforeAnyDataAreRead) {
  for (const char* text : {"balancd", "", "floor=2,", "floor=", "floor=x", "floor=2x", "floor=0", "floor=-1",
                           "floor=nan", "floor=inf", "floor=2e6"})
    testdata::expect_refused(ErrorKind::kUsage, [&] { check_class_weights(text); });
}

TEST(ClassWeights, NameClassesOfTheData) {
  testdata::expect_refused(ErrorKind::kUsage, [] { resolve("wal=2"); });
  testdata::expect_refused(ErrorKind::kUsage, [] { resolve("ceiling=2"); });
  testdata::expect_refused(ErrorKind::kUsage, [] { resolve("wall=2,wall=3"); });
}

TEST(ClassWeights, DoNotUndoASamplingOfClassesTwice) {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  options.class_weights = "balanced";
  options.sampling = Sampling::kClasses;
  EXPECT_NO_THROW(options.check());
  options.leaves.reweight = false;
  testdata::expect_refused(ErrorKind::kUsage, [&] { options.check(); });
  options.class_weights = "floor=2";
  EXPECT_NO_THROW(options.check());
}

TEST(ClassWeights, ChangeWhatLeavesSayAndNoTree) {
  TrainingData data;
  add_scenes(data, 3);
  const forest::Forest plain = train_forest(data.dataset(), small_training());
  TrainOptions options = small_training();
  options.class_weights = "balanced";
  const forest::Forest balanced = train_forest(data.dataset(), options);
  EXPECT_EQ(balanced.labelling_trees(), plain.labelling_trees());
  EXPECT_EQ(balanced.options_json, plain.options_json);
  EXPECT_THAT(plain.leaves.class_weights, IsEmpty());
  EXPECT_EQ(balanced.leaves.class_weights, resolve_class_weights("balanced", plain.classes, plain.class_pixels));
  EXPECT_NE(forest::leaf_votes(balanced, balanced.labelling_trees()[0], 0),
            forest::leaf_votes(plain, plain.labelling_trees()[0], 0));
}

}  // namespace
}  // namespace fernwood::train
