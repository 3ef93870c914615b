// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/head/fit_linear_head.h"

#include <gtest/gtest.h>

#include <cmath>

#include "forest/noise.h"
#include "train/head/head_kernels.h"
#include "train/training_data.h"

namespace fernwood::train {
namespace {

TEST(SolvePositive, FindsWhatTheMatrixWasMultipliedWith) {
  forest::Noise noise(1);
  for (const std::size_t size : {1u, 2u, 7u, 40u}) {
    std::vector<double> root(size * size), matrix(size * size, 0.0), wanted(2 * size), right(2 * size, 0.0);
    for (double& value : root) value = noise.between(-100, 100) / 50.0;
    for (double& value : wanted) value = noise.between(-100, 100);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) {
        for (std::size_t k = 0; k < size; ++k) matrix[i * size + j] += root[i * size + k] * root[j * size + k];
        matrix[i * size + j] += i == j ? 1 : 0;
      }
    for (std::size_t column = 0; column < 2; ++column)
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j)
          right[column * size + i] += matrix[i * size + j] * wanted[column * size + j];
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = i + 1; j < size; ++j) matrix[i * size + j] = std::nan("");  // this triangle must not be read
    solve_positive(matrix, size, right);
    for (std::size_t i = 0; i < right.size(); ++i) EXPECT_NEAR(right[i], wanted[i], 1e-6) << size;
  }
}

constexpr std::size_t kRows = 12, kCols = 16, kMaps = 6;

/// Frames whose second and fifth maps together determine the class; the other maps are noise. Some pixels are void.
std::shared_ptr<dataset::InMemoryFrames> frames_of(std::size_t count) {
  std::vector<dataset::LabelledFrame> frames;
  for (std::size_t i = 0; i < count; ++i) {
    dataset::LabelledFrame frame{forest::noise_frame(kRows, kCols, static_cast<std::uint32_t>(i)),
                                 image::LabelImage(kRows, kCols)};
    forest::Noise noise(static_cast<std::uint32_t>(100 + i));
    frame.frame.maps = {kMaps, kRows, kCols, std::vector<float>(kMaps * kRows * kCols)};
    for (float& value : frame.frame.maps.values) value = static_cast<float>(noise.between(-1000, 1000)) / 1000;
    for (std::size_t pixel = 0; pixel < kRows * kCols; ++pixel) {
      const float one = frame.frame.maps.values[kRows * kCols + pixel],
                  other = frame.frame.maps.values[4 * kRows * kCols + pixel];
      frame.labels.data()[pixel] = noise.one_in(5) ? image::kVoid : one + other > 0.5f ? 2 : one - other > 0.5f ? 1 : 0;
    }
    frames.push_back(std::move(frame));
  }
  return dataset::supply_of(std::move(frames), dataset::name_classes({"rest", "one", "two"}));
}

std::shared_ptr<const image::LinearHead> fitted(const dataset::Dataset& data, int threads,
                                                const std::vector<std::uint64_t>& class_pixels = {500, 300, 200}) {
  image::Preparation preparation{image::ChannelLayout({"rgb"})};
  preparation.supplied_maps.assign(kMaps, {-1, 1});
  const image::ClassMap classes = {data.config().classes, {}, {}};
  LinearHeadFit head(data, preparation, classes.names(), 7);
  ThreadPool pool(threads);
  pool.for_each(data.size(), [&](std::size_t frame, int) {
    head.add(frame, {data.read_frame(frame), data.read_labels(frame, classes)});
  });
  return head.fit(class_pixels, pool, nullptr);
}

TEST(FitLinearHead, FindsTheMapsThatTellAClass) {
  const auto head = fitted(dataset::Dataset::from_memory(frames_of(40)), 2);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->classes, (std::vector<std::string>{"rest", "one", "two"}));
  for (int score : {1, 2}) {
    const std::int32_t* weights = head->weights.data() + score * static_cast<int>(kMaps);
    for (const int map : {0, 2, 3, 5}) EXPECT_LT(8 * std::abs(weights[map]), std::abs(weights[1])) << score << map;
    EXPECT_GT(weights[1], 0);
    EXPECT_EQ(weights[4] > 0, score == 2);
  }
}

TEST(FitLinearHead, IsTheSameOnAnyNumberOfThreads) {
  const dataset::Dataset data = dataset::Dataset::from_memory(frames_of(9));
  const auto one = fitted(data, 1);
  EXPECT_EQ(*fitted(data, 3), *one);
}

TEST(FitLinearHead, FewFramesGetACautiousOne) {
  const auto spread = [](const image::LinearHead& head) {
    double sum = 0;
    for (const std::int32_t weight : head.weights) sum += std::abs(std::ldexp(weight, -head.shift));
    return sum;
  };
  EXPECT_LT(3 * spread(*fitted(dataset::Dataset::from_memory(frames_of(3)), 1)),
            spread(*fitted(dataset::Dataset::from_memory(frames_of(100)), 1)));
}

TEST(FitLinearHead, WhereThereIsNothingToTellApartThereIsNone) {
  const dataset::Dataset data = dataset::Dataset::from_memory(frames_of(3));
  EXPECT_FALSE(fitted(data, 1, {700, 0, 0}));
  EXPECT_TRUE(fitted(data, 1, {700, 0, 5}));
}

TEST(HeadKernels, AddExactSumsOnEveryInstructionSet) {
  constexpr std::size_t kStep = 21, kPixels = 8, kCount = 19;
  std::vector<double> values(kStep * kPixels), factors(kPixels);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * 37 % 4095) - 2047;
  for (std::size_t p = 0; p < kPixels; ++p) factors[p] = static_cast<double>(p * 50 % 256);
  for (const Isa isa : available_isas()) {
    std::vector<double> sums(kCount, 5.0);
    head_kernels(isa).add_products(values.data(), kStep, factors.data(), kPixels, sums.data(), kCount);
    for (std::size_t j = 0; j < kCount; ++j) {
      double expected = 5;
      for (std::size_t p = 0; p < kPixels; ++p) expected += factors[p] * values[p * kStep] * values[p * kStep + j];
      EXPECT_EQ(sums[j], expected) << to_string(isa);
    }
  }
}

}  // namespace
}  // namespace fernwood::train
