// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>

#include "core/counts.h"
#include "fernwood/core/confusion.h"
#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood {
namespace {

using testdata::confusion_of;
using testdata::example_confusion;

// Rows of the example: 8 of 10 pixels correct for class 0, 3 of 8 for class 1, no pixels of class 2, 2 of 8 for void.

TEST(Metrics, WithoutVoidLooksAtLabelledPixelsOnly) {
  const Metrics metrics = compute_metrics(example_confusion(), {});
  EXPECT_DOUBLE_EQ(metrics.without_void.pixel, 11.0 / 18);                  // (8 + 3) / (10 + 8)
  EXPECT_DOUBLE_EQ(metrics.without_void.class_average, (0.8 + 0.375) / 2);  // class 2 has no pixels
  EXPECT_EQ(metrics.labelled_pixels, 18u);
  EXPECT_EQ(metrics.void_pixels, 8u);
}

TEST(Metrics, AllTakesVoidForAClass) {
  const Metrics metrics = compute_metrics(example_confusion(), {});
  EXPECT_DOUBLE_EQ(metrics.all.pixel, 0.5);  // (8 + 3 + 2) / 26
  EXPECT_DOUBLE_EQ(metrics.all.class_average, (0.8 + 0.375 + 0.25) / 3);
}

TEST(Metrics, WithoutBackgroundCountsBackgroundOnlyWhereItIsRight) {
  const Metrics first = compute_metrics(example_confusion(), 0);
  ASSERT_TRUE(first.without_background);
  EXPECT_DOUBLE_EQ(first.without_background->pixel, 13.0 / 24);  // 8 correct of class 0, and the 8 + 8 of the others
  EXPECT_DOUBLE_EQ(first.without_background->class_average, (0.375 + 0.25) / 2);

  const Metrics second = compute_metrics(example_confusion(), 1);
  EXPECT_DOUBLE_EQ(second.without_background->pixel, 13.0 / 21);  // 10 + 3 + 8
  EXPECT_DOUBLE_EQ(second.without_background->class_average, (0.8 + 0.25) / 2);
}

TEST(Metrics, VoidIsTheBackgroundUnlessOneIsNamed) {
  const Metrics metrics = compute_metrics(example_confusion(), {});
  ASSERT_TRUE(metrics.without_background);
  EXPECT_DOUBLE_EQ(metrics.without_background->pixel, 13.0 / 20);  // 10 + 8 + 2
  EXPECT_DOUBLE_EQ(metrics.without_background->class_average, (0.8 + 0.375) / 2);

  const Confusion no_void = confusion_of({{1, 2, 0}, {3, 4, 0}, {0, 0, 0}});
  EXPECT_FALSE(compute_metrics(no_void, {}).without_background);
  EXPECT_TRUE(compute_metrics(no_void, 1).without_background);
}

TEST(Metrics, CallingAllBackgroundLeavesNoOtherClassRight) {
  // Example of thesis section 3.3.1: 90 % of the pixels are background, and all are predicted as background.
  const Metrics metrics = compute_metrics(confusion_of({{90, 0, 0}, {10, 0, 0}, {0, 0, 0}}), 0);
  EXPECT_DOUBLE_EQ(metrics.without_void.pixel, 0.9);
  EXPECT_DOUBLE_EQ(metrics.without_background->pixel, 0.9);  // all background pixels are correct, so all of them count
  EXPECT_DOUBLE_EQ(metrics.without_background->class_average, 0.0);
}

TEST(Metrics, PerClassFiguresTellTruthFromPrediction) {
  const Metrics metrics = compute_metrics(example_confusion(), {});
  EXPECT_DOUBLE_EQ(metrics.class_accuracy[0], 0.8);        // 8 of 10 pixels of class 0
  EXPECT_DOUBLE_EQ(metrics.class_precision[0], 8.0 / 12);  // 8 of 8 + 4 pixels predicted as 0, without void
  EXPECT_DOUBLE_EQ(metrics.class_iou[0], 8.0 / 14);        // 10 + 12 - 8
  EXPECT_DOUBLE_EQ(metrics.class_accuracy[1], 0.375);
  EXPECT_DOUBLE_EQ(metrics.class_precision[1], 0.75);  // 3 of 1 + 3
  EXPECT_DOUBLE_EQ(metrics.class_iou[1], 3.0 / 9);     // 8 + 4 - 3
  EXPECT_DOUBLE_EQ(metrics.mean_iou, (8.0 / 14 + 3.0 / 9) / 2);
}

TEST(Metrics, ClassesWithoutPixelsAreNaNAndInNoMean) {
  const Metrics metrics = compute_metrics(example_confusion(), {});
  EXPECT_THAT(metrics.class_accuracy[2], testing::IsNan());
  EXPECT_THAT(metrics.class_iou[2], testing::IsNan());  // NaN although one labelled pixel is predicted as 2
  EXPECT_THAT(metrics.class_precision[2], testing::IsNan());

  // A class with pixels that is never predicted: accuracy 0, and no precision.
  const Metrics never = compute_metrics(confusion_of({{5, 0, 0}, {5, 0, 0}, {0, 0, 0}}), {});
  EXPECT_DOUBLE_EQ(never.class_accuracy[1], 0.0);
  EXPECT_DOUBLE_EQ(never.class_iou[1], 0.0);
  EXPECT_THAT(never.class_precision[1], testing::IsNan());
  EXPECT_DOUBLE_EQ(never.mean_iou, 0.25);  // (5 / 10 + 0) / 2
}

TEST(Metrics, NothingCountedGivesNaN) {
  const Metrics empty = compute_metrics(Confusion(2), {});
  EXPECT_THAT(empty.without_void.pixel, testing::IsNan());
  EXPECT_THAT(empty.without_void.class_average, testing::IsNan());
  EXPECT_THAT(empty.all.pixel, testing::IsNan());
  EXPECT_THAT(empty.mean_iou, testing::IsNan());

  const Metrics only_void = compute_metrics(confusion_of({{0, 0}, {6, 2}}), {});
  EXPECT_THAT(only_void.without_void.pixel, testing::IsNan());
  EXPECT_DOUBLE_EQ(only_void.all.pixel, 0.25);
}

TEST(Metrics, RefusesABackgroundThatIsNoClass) {
  testdata::expect_refused(ErrorKind::kRuntime, [] { compute_metrics(Confusion(2), 2); });
}

TEST(Accuracy, PoolsPixelsAndAveragesTheClassesThatHaveAny) {
  EXPECT_EQ(accuracy_of({30, 0, 1}, {40, 0, 10}), (Accuracy{31.0 / 50.0, (0.75 + 0.1) / 2}));
}

TEST(Accuracy, OthersThatAreRightCountAsPixelsAndForNoClass) {
  EXPECT_EQ(accuracy_of({30, 1}, {40, 10}, 50), (Accuracy{0.81, (0.75 + 0.1) / 2}));
}

TEST(Accuracy, OfNothingIsUnknown) {
  EXPECT_TRUE(std::isnan(accuracy_of({0, 0}, {0, 0}).pixel));
  EXPECT_TRUE(std::isnan(accuracy_of({}, {}).class_average));
}

}  // namespace
}  // namespace fernwood
