// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/smoothing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "dataset/test_files.h"
#include "predict/places.h"
#include "predict/plain_prediction.h"
#include "sentences.h"

namespace fernwood::predict {
namespace {

using Planes = std::vector<Array2<float>>;

/// Smoothed planes of a frame's cells.
Planes smooth_cells(const image::Frame& frame, Planes planes, const Smoothing& smoothing, int threads = 2) {
  ThreadPool pool(threads);
  Smoother(smoothing).smooth_cells(image::FrameImages(frame), planes, pool);
  return planes;
}

Prediction smooth(const image::Frame& frame, const image::ContextMaps& maps, std::size_t num_classes,
                  const Smoothing& smoothing, int threads = 2) {
  ThreadPool pool(threads);
  Prediction out{image::LabelImage(frame.rows(), frame.cols()),
                 Planes(num_classes, Array2<float>(frame.rows(), frame.cols())),
                 {}};
  Smoother(smoothing).smooth(image::FrameImages(frame), maps, std::vector<forest::ClassPriorCorrection>(num_classes), 0,
                             pool, out);
  return out;
}

/// A frame of uniform colour and depth.
image::Frame flat_frame(std::size_t rows, std::size_t cols) {
  return {Array2<image::Rgb>(rows, cols, {90, 90, 90}), Array2<std::uint16_t>(rows, cols, 2000)};
}

/// Cells of a frame without values.
image::ContextMaps empty_maps(const image::Frame& frame, std::size_t num_classes) {
  image::ContextMaps maps{static_cast<std::size_t>(image::context_cells(static_cast<std::int32_t>(frame.rows()))),
                          static_cast<std::size_t>(image::context_cells(static_cast<std::int32_t>(frame.cols()))),
                          {}};
  maps.values.resize(num_classes * maps.rows * maps.cols);
  return maps;
}

/// Two classes: the first is certain in the left half, the second in the right half.
image::ContextMaps halves(const image::Frame& frame) {
  image::ContextMaps maps = empty_maps(frame, 2);
  const std::size_t num_cells = maps.rows * maps.cols;
  for (std::size_t cell = 0; cell < num_cells; ++cell)
    maps.values[(cell % maps.cols < maps.cols / 2 ? 0 : num_cells) + cell] = 255;
  return maps;
}

image::ContextMaps noise_maps(const image::Frame& frame, std::size_t num_classes, std::uint32_t seed) {
  forest::Noise noise(seed);
  image::ContextMaps maps = empty_maps(frame, num_classes);
  for (std::uint8_t& value : maps.values) value = static_cast<std::uint8_t>(noise.between(0, 255));
  return maps;
}

TEST(SmoothingFormulas, DifferencesAreThoseOfColorsAndOfDepthsRelativeToTheNearerOne) {
  EXPECT_EQ(color_difference({0, 10, 255}, {255, 7, 0}), 255 + 3 + 255);
  EXPECT_EQ(depth_difference(1000, 1100), 0.1f);
  EXPECT_EQ(depth_difference(1100, 1000), 0.1f);
  for (const std::uint16_t unknown : {0, 32768}) EXPECT_EQ(depth_difference(unknown, 1000), 0);
}

TEST(SmoothingFormulas, LinksLetThroughWhatThePaperSays) {
  // Two passes: sigma_1 = sigma sqrt(3) 2^(2 - 1) / sqrt(4^2 - 1) (eq. 14), a = exp(-sqrt(2) / sigma_1), a^d (eq. 21).
  const double log_a = -std::sqrt(2.0) / (20 * std::sqrt(3.0) * 2 / std::sqrt(15.0));
  const LinkScale scale = link_scale({.extent_px = 20});
  const auto weight = [&](const SmoothingGuide& guide) { return link_weight(link_exponent(scale, guide, 0, 1, 4)); };
  const image::Rgb color[] = {{10, 10, 10}, {30, 15, 10}};
  const std::uint16_t depth_mm[] = {1000, 1500};
  EXPECT_NEAR(weight({}), std::exp(log_a * 4), 1e-6);
  EXPECT_NEAR(weight({color, nullptr}), std::exp(log_a * (4 + 20 * 0.25)), 1e-6);
  EXPECT_NEAR(weight({nullptr, depth_mm}), std::exp(log_a * (4 + 20 * 2.5)), 1e-6);
  EXPECT_NEAR(weight({color, depth_mm}), std::exp(log_a * (4 + 20 * 2.75)), 1e-6);
  const image::Rgb black_and_white[] = {{0, 0, 0}, {255, 255, 255}};
  EXPECT_EQ(weight({black_and_white, depth_mm}), 0.0f);
}

TEST(SmoothingFormulas, PixelsLieBetweenTheRepresentativePixelsOfTwoCells) {
  const auto expect = [](std::int32_t pixel, std::int32_t pixels, const NeighbouringCells& wanted) {
    const NeighbouringCells got = neighbouring_cells(pixel, pixels);
    EXPECT_EQ(got.first, wanted.first);
    EXPECT_EQ(got.second, wanted.second);
    EXPECT_EQ(got.to_first, wanted.to_first);
    EXPECT_EQ(got.to_second, wanted.to_second);
  };
  // Those of 13 pixels are 2, 6, 10 and, because 14 is beyond the border, 12.
  expect(1, 13, {0, 0, 0, 1});
  expect(2, 13, {0, 1, 0, 4});
  expect(5, 13, {0, 1, 3, 1});
  expect(11, 13, {2, 3, 1, 1});
  expect(12, 13, {2, 3, 2, 0});
  expect(11, 12, {2, 2, 0, 1});
  expect(0, 1, {0, 0, 0, 1});
}

TEST(SmoothingFormulas, SharesAreThoseOfLinearInterpolationUnlessAnEdgeIsCloser) {
  EXPECT_EQ(share_of_second(1, 3, 0, 0), 0.25f);
  EXPECT_EQ(share_of_second(1, 3, 20, 0), 1.0f);
  EXPECT_EQ(share_of_second(3, 1, 0, 20), 0.0f);
  EXPECT_EQ(share_of_second(0, 4, 0, 20), 0.0f);
  EXPECT_EQ(share_of_second(4, 0, 20, 0), 1.0f);
  // In the last pass, an exponent is twice that of the first: 3 / (1 e^2 + 3).
  EXPECT_NEAR(share_of_second(3, 1, 0, 1), 3 / (std::exp(2.0) + 3), 1e-6);
}

TEST(Smoothing, RunsThereAndBackOverThreeCells) {
  const Smoothing smoothing{.extent_px = 4};
  Array2<float> plane(1, 3);
  plane(0, 0) = 1;
  // (1, 0, 0) -> forward (1, w, w^2) -> backward (1 - w + w m, m, w^2), m = w (1 - w) + w^3; then again with w^2.
  const double w1 = link_weight(link_exponent(link_scale(smoothing), {}, 0, 1, 4));
  double p[] = {1, 0, 0};
  for (const double w : {w1, w1 * w1}) {
    p[1] = (1 - w) * p[1] + w * p[0];
    p[2] = (1 - w) * p[2] + w * p[1];
    p[1] = (1 - w) * p[1] + w * p[2];
    p[0] = (1 - w) * p[0] + w * p[1];
  }
  const Array2<float> got = smooth_cells(flat_frame(1, 12), {plane}, smoothing)[0];
  for (std::size_t x = 0; x < 3; ++x) EXPECT_NEAR(got(0, x), p[x], 1e-6) << x;

  // Columns are smoothed like rows.
  Array2<float> column(3, 1);
  column(0, 0) = 1;
  const Array2<float> got_down = smooth_cells(flat_frame(12, 1), {column}, smoothing)[0];
  EXPECT_TRUE(std::equal(got.begin(), got.end(), got_down.begin()));
}

TEST(Smoothing, ExtentIsTheStandardDeviationOfWhatAPixelGives) {
  constexpr std::size_t kCells = 401;
  Array2<float> plane(1, kCells);
  plane(0, kCells / 2) = 1;
  const Array2<float> got = smooth_cells(flat_frame(1, 4 * kCells), {plane}, {.extent_px = 20})[0];
  double sum = 0, squares = 0;
  for (std::size_t x = 0; x < kCells; ++x) {
    const double distance_px = 4 * (static_cast<double>(x) - kCells / 2);
    sum += got(0, x);
    squares += got(0, x) * distance_px * distance_px;
  }
  EXPECT_NEAR(sum, 1, 1e-4);
  EXPECT_NEAR(std::sqrt(squares / sum), 20, 0.2);
}

TEST(Smoothing, EqualProbabilitiesStayAsTheyAre) {
  const image::Frame frame = forest::noise_frame(23, 70, 1);
  image::ContextMaps maps = empty_maps(frame, 2);
  std::fill_n(maps.values.begin(), maps.values.size() / 2, std::uint8_t{51});
  const Prediction got = smooth(frame, maps, 2, {.extent_px = 30});
  EXPECT_EQ(got.probabilities, (Planes{Array2<float>(23, 70, 0.2f), Array2<float>(23, 70)}));
  EXPECT_EQ(got.labels, image::LabelImage(23, 70, 0));
}

TEST(Smoothing, StopsAtAnEdgeOfDepthOrColor) {
  image::Frame step = flat_frame(8, 40), picture = flat_frame(8, 40);
  for (std::size_t y = 0; y < 8; ++y) {
    std::fill_n(step.depth_mm.row(y), 20, std::uint16_t{1000});
    std::fill_n(picture.color.row(y), 20, image::Rgb{255, 255, 255});
  }
  const auto of_left_border = [](const image::Frame& frame) {
    return smooth(frame, halves(frame), 2, {.extent_px = 40}).probabilities[0](3, 0);
  };
  EXPECT_LT(of_left_border(flat_frame(8, 40)), 0.9f);
  EXPECT_GT(of_left_border(step), 0.99f);
  EXPECT_GT(of_left_border(picture), 0.99f);
  // A hole in depth is not an edge.
  for (std::size_t y = 0; y < 8; ++y) step.depth_mm(y, 22) = 0;
  EXPECT_LT(of_left_border(step), 0.9f);
}

TEST(Smoothing, LabelsChangeAtTheEdgeBetweenTwoCells) {
  for (std::size_t edge = 19; edge <= 22; ++edge) {  // cells are evaluated at 18 and 22
    image::Frame across = flat_frame(40, 40), down = flat_frame(40, 40);
    image::LabelImage labels_across(40, 40, 1), labels_down(40, 40, 1);
    for (std::size_t i = 0; i < 40; ++i)
      for (std::size_t before = 0; before < edge; ++before) {
        across.color(i, before) = down.color(before, i) = {255, 255, 255};
        labels_across(i, before) = labels_down(before, i) = 0;
      }
    const image::ContextMaps maps = halves(across);
    image::ContextMaps turned = maps;
    for (std::size_t c = 0; c < 2; ++c)
      for (std::size_t row = 0; row < 10; ++row)
        for (std::size_t col = 0; col < 10; ++col)
          turned.values[(c * 10 + col) * 10 + row] = maps.values[(c * 10 + row) * 10 + col];
    EXPECT_EQ(smooth(across, maps, 2, {.extent_px = 40}).labels, labels_across) << edge;
    EXPECT_EQ(smooth(down, turned, 2, {.extent_px = 40}).labels, labels_down) << edge;
  }
}

TEST(Smoothing, PixelsAreInterpolatedBetweenSmoothedCells) {
  constexpr Smoothing kSmoothing{.extent_px = 30};
  const LinkScale scale = link_scale(kSmoothing);
  for (const auto& [rows, cols] : std::vector<std::pair<std::int32_t, std::int32_t>>{
           {37, 53}, {1, 1}, {2, 3}, {5, 5}, {32, 33}, {1, 70}, {70, 1}, {18, 21}}) {
    const image::Frame frame = forest::noise_frame(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols), 3);
    const SmoothingGuide guide{frame.color.data(), frame.depth_mm.data()};
    const image::ContextMaps maps = noise_maps(frame, 3, 4);
    Planes cells(3, Array2<float>(maps.rows, maps.cols));
    for (std::size_t i = 0; i < maps.values.size(); ++i)
      cells[i / cells[0].size()].data()[i % cells[0].size()] = share_of_steps(maps.values[i]);
    cells = smooth_cells(frame, cells, kSmoothing);
    const Prediction got = smooth(frame, maps, 3, kSmoothing);
    const auto share = [&](const NeighbouringCells& between, std::int32_t pixel, std::int32_t first,
                           std::int32_t second) {
      const auto exponent = [&](std::int32_t of) {
        return link_exponent(scale, guide, static_cast<std::size_t>(pixel), static_cast<std::size_t>(of), 0);
      };
      return share_of_second(between.to_first, between.to_second, exponent(first), exponent(second));
    };
    for (std::int32_t y = 0; y < rows; ++y)
      for (std::int32_t x = 0; x < cols; ++x) {
        const NeighbouringCells across = neighbouring_cells(x, cols), down = neighbouring_cells(y, rows);
        const std::int32_t sides[] = {down.first, down.second};
        forest::BestClass best;
        for (std::size_t c = 0; c < 3; ++c) {
          float values[2] = {};
          for (int side = 0; side < 2; ++side) {
            const std::int32_t begin = image::context_pixel(sides[side], rows) * cols;
            const float* row = cells[c].row(static_cast<std::size_t>(sides[side]));
            values[side] = smoothed(row[across.first], row[across.second],
                                    share(across, begin + x, begin + image::context_pixel(across.first, cols),
                                          begin + image::context_pixel(across.second, cols)));
          }
          const float value = smoothed(values[0], values[1],
                                       share(down, y * cols + x, image::context_pixel(sides[0], rows) * cols + x,
                                             image::context_pixel(sides[1], rows) * cols + x));
          ASSERT_EQ(got.probabilities[c](static_cast<std::size_t>(y), static_cast<std::size_t>(x)), value);
          best.offer(static_cast<std::int32_t>(c), value);
        }
        ASSERT_EQ(got.labels(static_cast<std::size_t>(y), static_cast<std::size_t>(x)), best.label);
      }
  }
}

TEST(Smoothing, GivesTheSameBitsOnAnyNumberOfThreads) {
  const image::Frame frame = forest::noise_frame(37, 150, 3);
  const image::ContextMaps maps = noise_maps(frame, 3, 4);
  const Prediction wanted = smooth(frame, maps, 3, {.extent_px = 30}, 1);
  for (const int threads : {2, 5}) {
    const Prediction got = smooth(frame, maps, 3, {.extent_px = 30}, threads);
    EXPECT_EQ(got.probabilities, wanted.probabilities) << threads;
    EXPECT_EQ(got.labels, wanted.labels) << threads;
  }
}

TEST(Smoothing, ASingleCellTakesTheLabelOfItsNeighbours) {
  const image::Frame frame = flat_frame(36, 36);
  image::ContextMaps maps = empty_maps(frame, 2);
  for (std::size_t cell = 0; cell < 81; ++cell) {
    maps.values[cell] = cell == 40 ? 102 : 153;
    maps.values[81 + cell] = cell == 40 ? 153 : 102;
  }
  EXPECT_EQ(smooth(frame, maps, 2, {.extent_px = 20}).labels, image::LabelImage(36, 36, 0));
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
  /// Trees of all pixels, labels and probabilities by smoothed cells.
  Prediction wanted(const forest::Forest& forest, const image::Frame& frame) {
    ThreadPool pool(1);
    Prediction out = plain_prediction(forest, frame);
    Smoother(kStrong).smooth(image::FrameImages(frame), plain_cells(forest, frame),
                             forest::correct_probabilities(forest, true), 0, pool, out);
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

TEST_P(SmoothingAt, TakesCellsWhetherOrNotTheyAreInterpolated) {
  const image::Frame frame = forest::noise_frame(25, 38, 7);
  for (const forest::Forest& forest :
       {forest::noise_forest(4, 2, {"lab", "depth"}, 8), forest::noise_boosted(4, 2, {"lab", "depth"}, 8)}) {
    constexpr PredictRequest kProbabilities{.probabilities = true, .per_tree = false};
    const Prediction usual = predictor(forest)->predict(frame, kProbabilities);
    for (const bool interpolate : {false, true}) {
      PredictOptions options = GetParam().options();
      options.smoothing = kStrong;
      options.interpolate = interpolate;
      expect_same(make_predictor(forest, options)->predict(frame, kProbabilities), usual);
    }
  }
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
