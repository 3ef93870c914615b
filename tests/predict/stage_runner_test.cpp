// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cpu_predictor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/test_files.h"
#include "fernwood/predict/predictor.h"
#include "forest/noise_stages.h"
#include "image/plane_numbers.h"
#include "predict/plain_prediction.h"
#include "sentences.h"

namespace fernwood::predict {
namespace {

using testing::ElementsAre;

/// Class 0 where a channel is up to `threshold` at the pixel itself, and class 1 above.
forest::Tree threshold_tree(std::uint8_t channel, float threshold) {
  forest::Tree tree;
  tree.nodes = {{1, threshold, {{}, {}, channel, forest::kNoChannel}, 0}, {~0, 0, {}, 0}, {~1, 0, {}, 0}};
  tree.leaf_counts = Array2<std::uint32_t>(2, 2);
  tree.leaf_counts(0, 0) = tree.leaf_counts(1, 1) = 1;
  return tree;
}

/// Class 0 at every pixel.
forest::Tree constant_tree() {
  forest::Tree tree;
  tree.nodes = {{~0, 0, {}, 0}};
  tree.leaf_counts = Array2<std::uint32_t>(1, 2);
  tree.leaf_counts(0, 0) = 1;
  return tree;
}

/// The first stage predicts class 1 where red exceeds 100; the second one where the first gives class 1 more than 1/2.
forest::Forest copying_forest() {
  forest::Forest forest = forest::noise_forest(2, 0, {"rgb"}, 1);
  forest::add_context_channels(forest);
  forest.leaves.reweight = false;
  forest.stages = {{threshold_tree(0, 100 * 128)}, {threshold_tree(4, 8160)}};  // 8160 = 255 * 64 / 2
  return forest;
}

/// Red is 0 before column `first`, and 200 from it on.
image::Frame half_red(std::size_t rows, std::size_t cols, std::size_t first) {
  image::Frame frame;
  frame.color = Array2<image::Rgb>(rows, cols);
  for (std::size_t y = 0; y < rows; ++y)
    for (std::size_t x = first; x < cols; ++x) frame.color(y, x).r = 200;
  return frame;
}

/// Values of a channel in row `y` of the pixels.
std::vector<int> values_in_row(const image::PreparedFrame& prepared, int channel, int y) {
  const image::FrameView view = prepared.view();
  std::vector<int> values;
  for (int x = 0; x < view.cols; ++x)
    values.push_back(static_cast<int>(
        forest::plane_sum(view, channel, forest::RegionBox{y * view.stride + x, 1, view.stride, 1, true})));
  return values;
}

TEST(ContextStageRunner, SecondStageReadsWhatTheFirstSays) {
  const forest::Forest forest = copying_forest();
  const image::Frame frame = half_red(8, 8, 4);
  const image::PreparedFrame prepared = prepare_for(forest, frame);
  // Centres of the 4-pixel cells lie between pixels 1 and 2, and 5 and 6; 1/8 of 16320 is 2040.
  for (const int y : {0, 3, 7}) {
    EXPECT_THAT(values_in_row(prepared, 3, y), ElementsAre(16320, 16320, 14280, 10200, 6120, 2040, 0, 0)) << y;
    EXPECT_THAT(values_in_row(prepared, 4, y), ElementsAre(0, 0, 2040, 6120, 10200, 14280, 16320, 16320)) << y;
  }
  const image::LabelImage labels = make_predictor(forest, {.device = "cpu"})->predict(frame).labels;
  for (std::size_t y = 0; y < 8; ++y)
    for (std::size_t x = 0; x < 8; ++x) EXPECT_EQ(labels(y, x), x < 4 ? 0 : 1) << x << "," << y;
}

TEST(ContextStageRunner, LastCellsAskTheLastPixelsOfFramesThatDoNotDivide) {
  // In frames of 5 or 6 columns, pixel 6 of the second cell does not exist, and the last pixel represents the cell.
  EXPECT_THAT(values_in_row(prepare_for(copying_forest(), half_red(5, 5, 4)), 4, 4),
              ElementsAre(0, 0, 2040, 6120, 10200));
  EXPECT_THAT(values_in_row(prepare_for(copying_forest(), half_red(1, 6, 5)), 4, 0),
              ElementsAre(0, 0, 2040, 6120, 10200, 14280));
  // Column 6 of 8 represents the cell, and is not red; column 7 has no effect.
  EXPECT_THAT(values_in_row(prepare_for(copying_forest(), half_red(1, 8, 7)), 4, 0),
              ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(values_in_row(prepare_for(copying_forest(), half_red(1, 1, 0)), 4, 0), ElementsAre(16320));
  EXPECT_THAT(values_in_row(prepare_for(copying_forest(), half_red(1, 1, 1)), 4, 0), ElementsAre(0));
}

TEST(ContextStageRunner, ProbabilitiesAreMeansOverTheTreesInBytes) {
  forest::Forest forest = copying_forest();
  forest.stages[0].push_back(constant_tree());
  const image::PreparedFrame prepared = prepare_for(forest, half_red(1, 8, 4));
  // 1/2 is 127.5 steps of 1/255, rounded up: 128 * 64 = 8192.
  EXPECT_THAT(values_in_row(prepared, 4, 0), ElementsAre(0, 0, 1024, 3072, 5120, 7168, 8192, 8192));
  EXPECT_EQ(values_in_row(prepared, 3, 0).back(), 8192);
  forest.stages[0].push_back(constant_tree());
  // 1/3 is 85 steps of 1/255.
  EXPECT_EQ(values_in_row(prepare_for(forest, half_red(1, 8, 4)), 4, 0).back(), 85 * 64);
  EXPECT_EQ(values_in_row(prepare_for(forest, half_red(1, 8, 4)), 3, 0).back(), 170 * 64);
}

TEST(ContextStageRunner, EachStageReadsTheOneBeforeIt) {
  forest::Forest forest = copying_forest();
  forest.stages.push_back(forest.stages.back());  // its cells are 0 and 255, too
  const image::Frame frame = half_red(4, 8, 4);
  EXPECT_THAT(values_in_row(prepare_for(forest, frame), 4, 0),
              ElementsAre(0, 0, 2040, 6120, 10200, 14280, 16320, 16320));
  forest.stages[1] = {threshold_tree(3, 8160)};  // now with the classes exchanged
  EXPECT_THAT(values_in_row(prepare_for(forest, frame), 4, 0),
              ElementsAre(16320, 16320, 14280, 10200, 6120, 2040, 0, 0));
}

TEST(ContextStageRunner, PixelsOfUnknownDepthGoRight) {
  forest::Forest forest = forest::noise_forest(2, 0, {"depth"}, 1);
  forest::add_context_channels(forest);
  forest.leaves.reweight = false;
  forest.stages = {{threshold_tree(0, 5000)}, {threshold_tree(2, 8160)}};
  image::Frame frame;
  frame.depth_mm = Array2<std::uint16_t>(1, 12, 1000);
  frame.depth_mm(0, 6) = 0;  // the representative pixel of the second of three cells
  EXPECT_THAT(values_in_row(prepare_for(forest, frame), 2, 0),
              ElementsAre(0, 0, 2040, 6120, 10200, 14280, 14280, 10200, 6120, 2040, 0, 0));
}

TEST(ContextStageRunner, AnyNumberOfThreadsGivesTheSamePlanes) {
  const forest::Forest forest = forest::noise_staged_forest(4, {2, 2, 1}, {"lab", "depth", "gradient"}, 3);
  const image::Frame frame = forest::noise_frame(45, 62, 4);
  const image::PreparedFrame plain = plain_prepared(forest, frame);
  const auto planes = [&](const image::PreparedFrame& prepared) {
    return image::plane_numbers(prepared.view(), forest.preparation.channels.num_channels());
  };
  EXPECT_EQ(planes(prepare_for(forest, frame)), planes(plain));
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(planes(prepare_for(forest, frame, &pool)), planes(plain)) << threads;
  }
}

TEST(ContextStageRunner, StageWithoutTreesIsAModelError) {
  forest::Forest forest = copying_forest();
  forest.stages.insert(forest.stages.begin() + 1, std::vector<forest::Tree>{});
  testdata::expect_refused(ErrorKind::kModel, [&] { prepare_for(forest, half_red(2, 2, 1)); });
  forest.stages.erase(forest.stages.begin(), forest.stages.end() - 1);
  testdata::expect_refused(ErrorKind::kModel, [&] { prepare_for(forest, half_red(2, 2, 1)); });
}

}  // namespace
}  // namespace fernwood::predict
