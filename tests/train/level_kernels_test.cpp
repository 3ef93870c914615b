// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/cpu/level_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "forest/noise.h"
#include "train/cpu/cpu_backend.h"
#include "train/data/sampler.h"

namespace fernwood::train {
namespace {

constexpr float kUntouched = 12345.0f;

class Stage1 : public testing::TestWithParam<Isa> {
 protected:
  const LevelKernels& kernels_ = level_kernels(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Each, Stage1, testing::ValuesIn(available_isas()),
                         [](const auto& info) { return to_string(info.param); });

std::vector<int> bins_of(const LevelKernels& kernels, const std::vector<float>& responses,
                         const std::vector<float>& thresholds) {
  std::vector<std::uint8_t> bins(responses.size() + 40, 99);
  kernels.bin(responses.data(), responses.size(), thresholds.data(), static_cast<int>(thresholds.size()), bins.data());
  EXPECT_TRUE(std::all_of(bins.end() - 40, bins.end(), [](std::uint8_t b) { return b == 99; }));
  return std::vector<int>(bins.begin(), bins.end() - 40);
}

TEST_P(Stage1, BinIsTheNumberOfThresholdsBelowTheResponse) {
  // A response equal to a threshold goes left of it; NaN goes right of all thresholds.
  const std::vector<float> responses = {-2, -1, -0.5f, -0.0f, 0, 1, 2, 3, not_a_number(), 1e30f, -1e30f};
  EXPECT_EQ(bins_of(kernels_, responses, {-1, 0, 2}), (std::vector<int>{0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 0}));
  EXPECT_EQ(bins_of(kernels_, responses, {0, 0}), (std::vector<int>{0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 0}));
  EXPECT_EQ(bins_of(kernels_, responses, {0}), (std::vector<int>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0}));
}

TEST_P(Stage1, BinsAnyNumberOfResponsesAmongAnyNumberOfThresholds) {
  forest::Noise noise(7);
  for (const std::size_t num_thresholds : {1u, 2u, 7u, 16u, 50u, 64u, 255u})
    for (const std::size_t count : {0u, 1u, 15u, 16u, 31u, 32u, 33u, 65u, 512u}) {
      std::vector<float> thresholds, responses;
      for (std::size_t t = 0; t < num_thresholds; ++t)
        thresholds.push_back(static_cast<float>(noise.between(-100, 100)));
      std::sort(thresholds.begin(), thresholds.end());
      std::vector<int> wanted;
      for (std::size_t i = 0; i < count; ++i) {
        responses.push_back(noise.one_in(10) ? not_a_number() : static_cast<float>(noise.between(-110, 110)) / 2);
        const auto below = std::ranges::count_if(thresholds, [&](float t) { return t < responses[i]; });
        wanted.push_back(is_nan(responses[i]) ? static_cast<int>(num_thresholds) : static_cast<int>(below));
      }
      ASSERT_EQ(bins_of(kernels_, responses, thresholds), wanted) << num_thresholds << " thresholds, " << count;
    }
}

TEST(LevelBins, KeepTheSamplesThatGoOn) {
  ThreadPool pool(2);
  LevelBins bins;
  bins.reset(5, 2, 4);  // candidates 5 and 6
  for (std::uint8_t s = 0; s < 4; ++s) bins.row(5)[s] = s, bins.row(6)[s] = static_cast<std::uint8_t>(10 + s);
  bins.keep({0, 2, 3}, pool);
  bins.keep({1, 2}, pool);
  EXPECT_EQ(bins.row(5)[0], 2);
  EXPECT_EQ(bins.row(5)[1], 3);
  EXPECT_EQ(bins.row(6)[0], 12);
  EXPECT_EQ(bins.row(6)[1], 13);
}

}  // namespace
}  // namespace fernwood::train
