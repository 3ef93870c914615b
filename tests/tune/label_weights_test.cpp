// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "tune/label_weights.h"

#include <gtest/gtest.h>

#include <random>

namespace fernwood::tune {
namespace {

/// Pixels of one frequent and several rare classes, with calibrated probabilities.
EvaluatedPixels calibrated_pixels(std::size_t count, std::size_t num_classes, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto unit = [&] { return static_cast<float>(random() >> 8) / 16777216.0f; };
  EvaluatedPixels pixels{Array2<float>(count, num_classes), std::vector<std::uint16_t>(count)};
  for (std::size_t p = 0; p < count; ++p) {
    float* const row = pixels.probabilities.row(p);
    float sum = 0;
    for (std::size_t c = 0; c < num_classes; ++c) {
      const float u = unit();
      sum += row[c] = c == 0 ? 1.0f : 0.3f * u * u * u * u;
    }
    float place = unit();
    for (std::size_t c = 0; c < num_classes; ++c) {
      row[c] /= sum;
      if (place >= 0) pixels.labels[p] = static_cast<std::uint16_t>(c);
      place -= row[c];
    }
  }
  return pixels;
}

double score_of(const EvaluatedPixels& pixels, const std::vector<float>& weights, Goal goal) {
  std::vector<double> truth(weights.size(), 0), predicted(weights.size(), 0), right(weights.size(), 0);
  for (std::size_t p = 0; p < pixels.labels.size(); ++p) {
    std::size_t best = 0;
    for (std::size_t c = 1; c < weights.size(); ++c)
      if (weights[c] * pixels.probabilities(p, c) > weights[best] * pixels.probabilities(p, best)) best = c;
    ++truth[pixels.labels[p]];
    ++predicted[best];
    right[best] += best == pixels.labels[p];
  }
  double all_right = 0, all = 0, classes = 0, iou = 0;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    all_right += right[c];
    all += truth[c];
    classes += right[c] / truth[c] / static_cast<double>(weights.size());
    iou += right[c] / (truth[c] + predicted[c] - right[c]) / static_cast<double>(weights.size());
  }
  return goal == Goal::kPixels ? all_right / all : goal == Goal::kClasses ? classes : iou;
}

TEST(LabelCounts, ScoresAreThoseOfAPlainLoop) {
  const EvaluatedPixels pixels = calibrated_pixels(3000, 4, 1);
  ThreadPool pool(2);
  for (const std::vector<float>& weights : {std::vector<float>{1, 1, 1, 1}, {1, 4, 8, 2}}) {
    const LabelCounts counts = count_labels(pixels, {0, 3000}, weights, pool);
    for (const Goal goal : kGoals) EXPECT_NEAR(counts.score(goal), score_of(pixels, weights, goal), 1e-12);
  }
}

TEST(FindWeights, OfTwoClassesFindsTheBestOfAllSteps) {
  const EvaluatedPixels pixels = calibrated_pixels(4000, 2, 2);
  ThreadPool pool(2);
  for (const Goal goal : kGoals) {
    double highest = 0;
    for (int step = -112; step <= 112; ++step)
      highest = std::max(highest, score_of(pixels, {1.0f, static_cast<float>(std::exp2(step / 8.0))}, goal));
    const std::vector<float> found = find_weights(pixels, {0, 4000}, goal, pool);
    EXPECT_EQ(found[0], 1.0f);
    EXPECT_NEAR(score_of(pixels, found, goal), highest, 2e-4) << to_string(goal);
  }
}

TEST(FindWeights, OfManyClassesNoSingleChangeIsBetter) {
  const EvaluatedPixels pixels = calibrated_pixels(20000, 5, 3);
  ThreadPool pool(2);
  for (const Goal goal : {Goal::kClasses, Goal::kIou}) {
    const std::vector<float> found = find_weights(pixels, {0, 20000}, goal, pool);
    const double score = score_of(pixels, found, goal);
    EXPECT_GT(score, score_of(pixels, std::vector<float>(5, 1.0f), goal) + 0.05);
    for (std::size_t c = 1; c < 5; ++c)
      for (const float factor : {0.25f, 0.5f, 0.84089642f, 1.18920712f, 2.0f, 4.0f}) {
        std::vector<float> other = found;
        other[c] *= factor;
        EXPECT_LE(score_of(pixels, other, goal), score + 1e-4) << to_string(goal) << " " << c << " " << factor;
      }
  }
}

TEST(FindWeights, AreTheSameOnAnyNumberOfThreads) {
  const EvaluatedPixels pixels = calibrated_pixels(50000, 4, 4);
  ThreadPool one(1), three(3);
  EXPECT_EQ(find_weights(pixels, {100, 49000}, Goal::kIou, one), find_weights(pixels, {100, 49000}, Goal::kIou, three));
}

TEST(FindWeights, LeaveAClassWithoutAPixelAlone) {
  EvaluatedPixels pixels = calibrated_pixels(5000, 3, 5);
  for (std::uint16_t& label : pixels.labels) label = label == 2 ? 1 : label;
  ThreadPool pool(2);
  EXPECT_EQ(find_weights(pixels, {0, 5000}, Goal::kIou, pool)[2], 1.0f);
}

TEST(WeighLabels, TellsWhatToExpectAndScalesToAMeanOfOne) {
  const EvaluatedPixels pixels = calibrated_pixels(60000, 4, 6);
  ThreadPool pool(2);
  const WeighedLabels iou = weigh_labels(pixels, 30000, Goal::kIou, pool);
  ASSERT_EQ(iou.weights.size(), 4u);
  EXPECT_NEAR(iou.weights[0] + iou.weights[1] + iou.weights[2] + iou.weights[3], 4.0f, 1e-4);
  EXPECT_LT(iou.weights[0], iou.weights[1]);
  EXPECT_NEAR(iou.before.mean_iou, score_of(pixels, {1, 1, 1, 1}, Goal::kIou), 1e-12);
  EXPECT_GT(iou.after.mean_iou, iou.before.mean_iou);
  // Other pixels of the same distribution reach the estimated score.
  EXPECT_NEAR(score_of(calibrated_pixels(60000, 4, 7), iou.weights, Goal::kIou), iou.after.mean_iou, 0.01);
}

TEST(WeighLabels, KeepsEqualWeightsWhereOthersGainNothing) {
  const EvaluatedPixels pixels = calibrated_pixels(2000, 3, 8);  // the unweighted labels are already the most accurate
  ThreadPool pool(2);
  const WeighedLabels labels = weigh_labels(pixels, 1000, Goal::kPixels, pool);
  EXPECT_TRUE(labels.weights.empty());
  EXPECT_EQ(labels.after, labels.before);
}

}  // namespace
}  // namespace fernwood::tune
