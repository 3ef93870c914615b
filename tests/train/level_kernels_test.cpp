// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/level_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "predict/noise.h"
#include "train/sample_set.h"

namespace fernwood {
namespace {

constexpr float kUntouched = 12345.0f;

class Stage1 : public testing::TestWithParam<Isa> {
 protected:
  const LevelKernels& kernels_ = level_kernels(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Each, Stage1, testing::ValuesIn(available_isas()),
                         [](const auto& info) { return to_string(info.param); });

/// Every pixel of a frame, every third of them mirrored.
SampleSet all_sites(const FrameView& view) {
  SampleSet samples;
  int i = 0;
  for (int y = 0; y < view.rows; ++y)
    for (int x = 0; x < view.cols; ++x) samples.append(pixel_site(view, x, y, i++ % 3 == 0), 0);
  return samples;
}

std::vector<std::int32_t> bits(const std::vector<float>& values) {
  std::vector<std::int32_t> out;
  for (const float value : values) out.push_back(bits_of(value));
  return out;
}

struct Kind {
  std::vector<std::string> channels;
  int hole_one_in;
};
const std::vector<Kind> kKinds = {{{"lab", "depth"}, 4}, {{"lab", "depth"}, 0}, {{"lab"}, 4}, {{"depth"}, 4}};

TEST_P(Stage1, RespondsBitForBitLikeTheFormula) {
  for (const Kind& kind : kKinds) {
    const Preparation preparation{ChannelLayout(kind.channels)};
    const PreparedFrame prepared(noise_frame(29, 37, 1, kind.hole_one_in), preparation);
    const SampleSet samples = all_sites(prepared.view());
    Noise noise(2);
    std::size_t known = 0, asked = 0;
    for (int f = 0; f < 60; ++f) {
      const RegionFeature feature = noise_feature(preparation.channels, noise);
      std::vector<float> got(samples.size(), kUntouched), wanted;
      kernels_.respond(prepared.view(), feature, samples.sites(0), samples.size(), got.data());
      for (std::size_t i = 0; i < samples.size(); ++i)
        wanted.push_back(response(feature, prepared.view(), samples.site(i)));
      ASSERT_EQ(bits(got), bits(wanted)) << "feature " << f;
      known += static_cast<std::size_t>(std::ranges::count_if(wanted, [](float r) { return !is_nan(r); }));
      asked += wanted.size();
    }
    EXPECT_GT(known, asked / 10);  // the comparison means something
    EXPECT_LT(known, asked);
  }
}

TEST_P(Stage1, RespondsWithDifferencesAndMeansWorkedOutByHand) {
  // Depth in mm, all at 1 m but the last column; regions of 3 x 3 pixels.
  Frame frame{{}, Array2<std::uint16_t>(3, 8, 1000)};
  for (std::size_t y = 0; y < 3; ++y) frame.depth_mm(y, 7) = 1600;
  frame.depth_mm(1, 0) = 0;
  const PreparedFrame prepared(frame, {ChannelLayout({"depth"})});
  SampleSet samples;
  for (const int x : {1, 3, 6, 0}) samples.append(pixel_site(prepared.view(), x, 1, false), 0);
  samples.append(pixel_site(prepared.view(), 1, 1, true), 0);
  const auto ask = [&](const RegionFeature& feature) {
    std::vector<float> out(5);
    kernels_.respond(prepared.view(), feature, samples.sites(0), 5, out.data());
    for (float& r : out) r = is_nan(r) ? -999 : r;
    return out;
  };
  // Around x = 6 the mean is (6 * 1000 + 3 * 1600) / 9 = 1200; pixel 0 has no depth; all regions around x = 1 leave the
  // frame when moved left, and when mirrored the other way round.
  EXPECT_EQ(ask({{0, 0, 1, 1}, {0, 0, 1, 1}, 0, kNoChannel}), (std::vector<float>{1000, 1000, 1200, -999, 1000}));
  EXPECT_EQ(ask({{0, 0, 1, 1}, {-1, 0, 1, 1}, 0, 0}), (std::vector<float>{-999, 0, 200, -999, 0}));
  EXPECT_EQ(ask({{1, 0, 1, 1}, {0, 0, 1, 1}, 0, 0}), (std::vector<float>{0, 0, -999, -999, -999}));
}

TEST_P(Stage1, RespondsToEachSiteWithItsOwnFeature) {
  for (const Kind& kind : kKinds) {
    const Preparation preparation{ChannelLayout(kind.channels)};
    const PreparedFrame prepared(noise_frame(29, 37, 3, kind.hole_one_in), preparation);
    const SampleSet samples = all_sites(prepared.view());
    Noise noise(4);
    std::vector<RegionFeature> features;
    for (int f = 0; f < 50; ++f) features.push_back(noise_feature(preparation.channels, noise));
    std::vector<std::uint32_t> index;
    std::vector<float> got(samples.size(), kUntouched), wanted;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      index.push_back(static_cast<std::uint32_t>(noise.between(0, 49)));
      wanted.push_back(response(features[index.back()], prepared.view(), samples.site(i)));
    }
    kernels_.respond_each(prepared.view(), features.data(), index.data(), samples.sites(0), samples.size(), got.data());
    EXPECT_EQ(bits(got), bits(wanted));
  }
}

TEST_P(Stage1, WritesNoResponseMoreThanAskedFor) {
  const Preparation preparation{ChannelLayout({"lab", "depth"})};
  const PreparedFrame prepared(noise_frame(20, 20, 5), preparation);
  const SampleSet samples = all_sites(prepared.view());
  Noise noise(6);
  const RegionFeature feature = noise_feature(preparation.channels, noise);
  const std::vector<std::uint32_t> index(100, 0);
  for (const std::size_t count : {0u, 1u, 7u, 8u, 15u, 16u, 17u, 33u, 100u}) {
    std::vector<float> got(120, kUntouched), each(120, kUntouched);
    kernels_.respond(prepared.view(), feature, samples.sites(3), count, got.data());
    kernels_.respond_each(prepared.view(), &feature, index.data(), samples.sites(3), count, each.data());
    EXPECT_EQ(bits(got), bits(each));
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(bits_of(got[i]), bits_of(response(feature, prepared.view(), samples.site(3 + i)))) << i;
    EXPECT_EQ(std::count(got.begin() + static_cast<std::ptrdiff_t>(count), got.end(), kUntouched),
              static_cast<std::ptrdiff_t>(120 - count));
  }
}

std::vector<int> bins_of(const LevelKernels& kernels, const std::vector<float>& responses,
                         const std::vector<float>& thresholds) {
  std::vector<std::uint8_t> bins(responses.size() + 40, 99);
  kernels.bin(responses.data(), responses.size(), thresholds.data(), static_cast<int>(thresholds.size()), bins.data());
  EXPECT_TRUE(std::all_of(bins.end() - 40, bins.end(), [](std::uint8_t b) { return b == 99; }));
  return std::vector<int>(bins.begin(), bins.end() - 40);
}

TEST_P(Stage1, BinIsTheNumberOfThresholdsBelowTheResponse) {
  // A response equal to a threshold goes left of it; one that is not a number goes right of all.
  const std::vector<float> responses = {-2, -1, -0.5f, -0.0f, 0, 1, 2, 3, not_a_number(), 1e30f, -1e30f};
  EXPECT_EQ(bins_of(kernels_, responses, {-1, 0, 2}), (std::vector<int>{0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 0}));
  EXPECT_EQ(bins_of(kernels_, responses, {0, 0}), (std::vector<int>{0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 0}));
  EXPECT_EQ(bins_of(kernels_, responses, {0}), (std::vector<int>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0}));
}

TEST_P(Stage1, BinsAnyNumberOfResponsesAmongAnyNumberOfThresholds) {
  Noise noise(7);
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

}  // namespace
}  // namespace fernwood
