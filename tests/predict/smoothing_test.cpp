// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/smoothing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dataset/test_files.h"
#include "predict/places.h"
#include "predict/plain_prediction.h"
#include "sentences.h"

namespace fernwood::predict {
namespace {

using Planes = std::vector<Array2<float>>;

Planes smooth(const image::Frame& frame, const Planes& planes, const Smoothing& smoothing, int threads = 2) {
  ThreadPool pool(threads);
  Prediction out{image::LabelImage(frame.rows(), frame.cols()), planes, {}};
  Smoother(smoothing).smooth(frame, {.probabilities = true}, std::vector<forest::ClassPriorCorrection>(planes.size()),
                             pool, out);
  return out.probabilities;
}

/// A frame of uniform colour and depth.
image::Frame flat_frame(std::size_t rows, std::size_t cols) {
  return {Array2<image::Rgb>(rows, cols, {90, 90, 90}), Array2<std::uint16_t>(rows, cols, 2000)};
}

/// A plane with 1 in the left half, and 0 in the right half.
Array2<float> left_half(std::size_t rows, std::size_t cols) {
  Array2<float> plane(rows, cols);
  for (std::size_t y = 0; y < rows; ++y) std::fill_n(plane.row(y), cols / 2, 1.0f);
  return plane;
}

Array2<float> noise_plane(std::size_t rows, std::size_t cols, std::uint32_t seed) {
  forest::Noise noise(seed);
  Array2<float> plane(rows, cols);
  for (float& value : plane) value = static_cast<float>(noise.between(0, 1000)) / 1000;
  return plane;
}

TEST(SmoothingFormulas, DifferencesAreCountedInSteps) {
  EXPECT_EQ(color_steps({0, 10, 255}, {255, 7, 0}), 255 + 3 + 255);
  EXPECT_EQ(depth_steps(1000, 1100), 204);  // 0.1 * 2048, rounded down
  EXPECT_EQ(depth_steps(1100, 1000), 204);
  EXPECT_EQ(depth_steps(1, 32767), kMaxDepthSteps);
  for (const std::uint16_t unknown : {0, 32768}) EXPECT_EQ(depth_steps(unknown, 1000), 0);
}

TEST(SmoothingFormulas, LinksLetThroughWhatThePaperSays) {
  // Two passes: sigma_1 = sigma sqrt(3) 2^(2 - 1) / sqrt(4^2 - 1) (eq. 14), a = exp(-sqrt(2) / sigma_1), a^d (eq. 21).
  const double log_a = -std::sqrt(2.0) / (20 * std::sqrt(3.0) * 2 / std::sqrt(15.0));
  const LinkTables tables = link_tables({.extent_px = 20});
  const image::Rgb color[] = {{10, 10, 10}, {30, 15, 10}};
  const std::uint16_t depth_mm[] = {1000, 1500};
  EXPECT_NEAR(link_weight(tables, {}, 0, 1), std::exp(log_a), 1e-6);
  EXPECT_NEAR(link_weight(tables, {color, nullptr}, 0, 1), std::exp(log_a * (1 + 20 * 0.25)), 1e-6);
  EXPECT_NEAR(link_weight(tables, {nullptr, depth_mm}, 0, 1), std::exp(log_a * (1 + 20 * 2.5)), 1e-6);
  EXPECT_NEAR(link_weight(tables, {color, depth_mm}, 0, 1), std::exp(log_a * (1 + 20 * 2.75)), 1e-6);
  const image::Rgb black_and_white[] = {{0, 0, 0}, {255, 255, 255}};
  EXPECT_EQ(link_weight(tables, {black_and_white, depth_mm}, 0, 1), 0.0f);
}

TEST(Smoothing, RunsThereAndBackOverThreePixels) {
  const image::Frame frame = flat_frame(1, 3);
  const Smoothing smoothing{.extent_px = 4};
  Array2<float> plane(1, 3);
  plane(0, 0) = 1;
  // (1, 0, 0) -> forward (1, w, w^2) -> backward (1 - w + w m, m, w^2), m = w (1 - w) + w^3; then again with w^2.
  const double w1 = link_weight(link_tables(smoothing), {}, 0, 1);
  double p[] = {1, 0, 0};
  for (const double w : {w1, w1 * w1}) {
    p[1] = (1 - w) * p[1] + w * p[0];
    p[2] = (1 - w) * p[2] + w * p[1];
    p[1] = (1 - w) * p[1] + w * p[2];
    p[0] = (1 - w) * p[0] + w * p[1];
  }
  const Array2<float> got = smooth(frame, {plane}, smoothing)[0];
  for (std::size_t x = 0; x < 3; ++x) EXPECT_NEAR(got(0, x), p[x], 1e-6) << x;

  // Columns are smoothed like rows.
  Array2<float> column(3, 1);
  column(0, 0) = 1;
  const Array2<float> got_down = smooth(flat_frame(3, 1), {column}, smoothing)[0];
  EXPECT_TRUE(std::equal(got.begin(), got.end(), got_down.begin()));
}

TEST(Smoothing, ExtentIsTheStandardDeviationOfWhatAPixelGives) {
  constexpr std::size_t kSize = 801;
  Array2<float> plane(1, kSize);
  plane(0, kSize / 2) = 1;
  const Array2<float> got = smooth(flat_frame(1, kSize), {plane}, {.extent_px = 20})[0];
  double sum = 0, squares = 0;
  for (std::size_t x = 0; x < kSize; ++x) {
    const double distance = static_cast<double>(x) - kSize / 2;
    sum += got(0, x);
    squares += got(0, x) * distance * distance;
  }
  EXPECT_NEAR(sum, 1, 1e-4);
  EXPECT_NEAR(std::sqrt(squares / sum), 20, 0.2);
}

TEST(Smoothing, EqualProbabilitiesStayAsTheyAre) {
  const Planes planes = {Array2<float>(23, 70, 0.3f), Array2<float>(23, 70, 0.7f), Array2<float>(23, 70)};
  EXPECT_EQ(smooth(forest::noise_frame(23, 70, 1), planes, {.extent_px = 30}), planes);
}

TEST(Smoothing, StopsAtAnEdgeOfDepthOrColor) {
  image::Frame step = flat_frame(6, 20), picture = flat_frame(6, 20);
  for (std::size_t y = 0; y < 6; ++y) {
    std::fill_n(step.depth_mm.row(y), 10, std::uint16_t{1000});
    std::fill_n(picture.color.row(y), 10, image::Rgb{255, 255, 255});
  }
  const Planes planes = {left_half(6, 20)};
  EXPECT_LT(smooth(flat_frame(6, 20), planes, {.extent_px = 40})[0](3, 0), 0.9f);
  EXPECT_GT(smooth(step, planes, {.extent_px = 40})[0](3, 0), 0.99f);
  EXPECT_GT(smooth(picture, planes, {.extent_px = 40})[0](3, 0), 0.99f);
  // A hole in depth is not an edge.
  for (std::size_t y = 0; y < 6; ++y) step.depth_mm(y, 10) = 0;
  EXPECT_LT(smooth(step, planes, {.extent_px = 40})[0](3, 0), 0.9f);
}

TEST(Smoothing, GivesTheSameBitsOnAnyNumberOfThreads) {
  const image::Frame frame = forest::noise_frame(37, 150, 3);
  const Planes planes = {noise_plane(37, 150, 4), noise_plane(37, 150, 5), noise_plane(37, 150, 6)};
  const Smoothing smoothing{.extent_px = 30};
  const Planes wanted = smooth(frame, planes, smoothing, 1);
  EXPECT_NE(wanted, planes);
  for (const int threads : {2, 5}) EXPECT_EQ(smooth(frame, planes, smoothing, threads), wanted) << threads;
}

TEST(Smoothing, LabelsFollowAndProbabilitiesAreGivenOnlyIfAskedFor) {
  // A single pixel with a different label takes the label of its neighbours.
  Prediction out{image::LabelImage(9, 9), {Array2<float>(9, 9, 0.6f), Array2<float>(9, 9, 0.4f)}, {}};
  out.probabilities[0](4, 4) = 0.4f;
  out.probabilities[1](4, 4) = 0.6f;
  ThreadPool pool(2);
  Smoother(Smoothing{.extent_px = 5})
      .smooth(flat_frame(9, 9), {}, std::vector<forest::ClassPriorCorrection>(2), pool, out);
  EXPECT_EQ(out.labels, image::LabelImage(9, 9, 0));
  EXPECT_TRUE(out.probabilities.empty());
}

TEST(Smoothing, OptionsOutOfTheirRangeAreUsageErrors) {
  const auto make = [](const Smoothing& smoothing) {
    make_predictor(forest::noise_forest(3, 1, {"lab"}, 1), {.device = "cpu", .threads = 1, .smoothing = smoothing});
  };
  for (const int extent : {-1, 1001}) testdata::expect_refused(ErrorKind::kUsage, [&] { make({.extent_px = extent}); });
}

constexpr Smoothing kStrong{.extent_px = 30};

class SmoothingAt : public PlaceTest {
 protected:
  std::unique_ptr<Predictor> predictor(const forest::Forest& forest) {
    PredictOptions options = GetParam().options();
    options.smoothing = kStrong;
    return make_predictor(forest, options);
  }
  Prediction wanted(const forest::Forest& forest, const image::Frame& frame) {
    ThreadPool pool(1);
    Prediction out = plain_prediction(forest, frame);
    Smoother(kStrong).smooth(frame, kAll, forest::correct_probabilities(forest, true), pool, out);
    return out;
  }
  void expect_smoothed(const forest::Forest& forest, const image::Frame& frame) {
    expect_all_same(predictor(forest)->predict(frame, kAll), wanted(forest, frame));
  }
};
INSTANTIATE_TEST_SUITE_P(Every, SmoothingAt, testing::ValuesIn(every_device()),
                         [](const auto& info) { return info.param.name(); });

TEST_P(SmoothingAt, ChangesTheMeansOverTreesAndNoTreeAlone) {
  const forest::Forest forest = forest::noise_forest(5, 3, {"lab", "depth"}, 1);
  for (const auto& [rows, cols] : std::vector<std::pair<std::size_t, std::size_t>>{
           {37, 53}, {1, 1}, {32, 32}, {33, 65}, {1, 70}, {70, 1}, {17, 16}})
    expect_smoothed(forest, forest::noise_frame(rows, cols, 2));
}

TEST_P(SmoothingAt, LooksAtAllThatAFrameHas) {
  const image::Frame both = forest::noise_frame(21, 34, 3);
  const forest::Forest by_color = forest::noise_forest(4, 2, {"lab"}, 1),
                       by_depth = forest::noise_forest(4, 2, {"depth"}, 1);
  expect_smoothed(by_color, both);
  expect_smoothed(by_depth, both);
  expect_smoothed(by_color, {both.color, {}});
  expect_smoothed(by_depth, {{}, both.depth_mm});
  EXPECT_NE(predictor(by_color)->predict(both, kAll).probabilities,
            predictor(by_color)->predict(image::Frame{both.color, {}}, kAll).probabilities);
}

TEST_P(SmoothingAt, KnowsManyClasses) {
  for (const std::size_t num_classes : {1u, 31u, 33u, 70u})
    expect_smoothed(forest::noise_forest(num_classes, 2, {"lab", "depth"}, 5), forest::noise_frame(13, 17, 6));
}

TEST_P(SmoothingAt, SmoothsFramesOfDifferentSizesTogether) {
  const forest::Forest forest = forest::noise_forest(4, 2, {"lab", "depth"}, 13);
  std::vector<image::Frame> frames;
  std::vector<image::LabelImage> labels;
  for (const std::size_t size : {30u, 5u, 17u, 40u, 1u}) {
    frames.push_back(forest::noise_frame(size, 2 * size, static_cast<std::uint32_t>(size), size % 2 ? 4 : 0));
    labels.push_back(wanted(forest, frames.back()).labels);
  }
  EXPECT_EQ(predictor(forest)->label(frames), labels);
}

}  // namespace
}  // namespace fernwood::predict
