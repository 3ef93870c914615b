// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "forest/respond_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backbone/small_network.h"
#include "forest/noise.h"
#include "kernel_variants.h"

namespace fernwood::forest {
namespace {

constexpr float kUntouched = 12345.0f;

class Respond : public testing::TestWithParam<KernelVariant> {
 protected:
  const RespondKernels& responders_ = respond_kernels(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Each, Respond, testing::ValuesIn(kernel_variants()),
                         [](const auto& info) { return to_string(info.param); });

/// Every pixel of a frame, every third one mirrored.
std::vector<PixelSite> all_sites(const image::FrameView& view) {
  std::vector<PixelSite> sites;
  int i = 0;
  for (int y = 0; y < view.rows; ++y)
    for (int x = 0; x < view.cols; ++x) sites.push_back(pixel_site(view, x, y, i++ % 3 == 0));
  return sites;
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

TEST_P(Respond, ReadsFeatureMapsBitForBitLikeTheFormula) {
  const image::Preparation preparation{image::ChannelLayout({"lab", "depth"}), image::DepthFilling::kNone, std::nullopt,
                                       backbone::noise_backbone(1)};
  const image::PreparedFrame prepared(noise_frame(61, 83, 1, 4), preparation);
  const std::vector<PixelSite> sites = all_sites(prepared.view());
  for (std::int32_t map = 0; map < preparation.num_maps(); ++map) {
    const RegionFeature feature = map_feature(map);
    ASSERT_EQ(map_of(feature), map);
    std::vector<float> got(sites.size(), kUntouched), each(sites.size(), kUntouched), wanted;
    const std::vector<std::uint32_t> first(sites.size(), 0);
    responders_.respond(prepared.view(), feature, sites.data(), sites.size(), got.data());
    responders_.respond_each(prepared.view(), &feature, first.data(), sites.data(), sites.size(), each.data());
    for (const PixelSite& site : sites)
      wanted.push_back(image::map_value(prepared.view().maps, map, site.x(), site.y()));
    ASSERT_EQ(bits(got), bits(wanted)) << "map " << map;
    ASSERT_EQ(bits(each), bits(wanted)) << "map " << map;
    EXPECT_TRUE(std::ranges::none_of(wanted, is_nan)) << "a map is known where depth is not";
  }
}

TEST_P(Respond, RespondsBitForBitLikeTheFormula) {
  for (const Kind& kind : kKinds) {
    const image::Preparation preparation{image::ChannelLayout(kind.channels)};
    const image::PreparedFrame prepared(noise_frame(29, 37, 1, kind.hole_one_in), preparation);
    const std::vector<PixelSite> sites = all_sites(prepared.view());
    Noise noise(2);
    std::size_t known = 0, asked = 0;
    for (int f = 0; f < 60; ++f) {
      const RegionFeature feature = noise_feature(preparation.channels, noise);
      std::vector<float> got(sites.size(), kUntouched), wanted;
      responders_.respond(prepared.view(), feature, sites.data(), sites.size(), got.data());
      for (std::size_t i = 0; i < sites.size(); ++i) wanted.push_back(response(feature, prepared.view(), sites[i]));
      ASSERT_EQ(bits(got), bits(wanted)) << "feature " << f;
      known += static_cast<std::size_t>(std::ranges::count_if(wanted, [](float r) { return !is_nan(r); }));
      asked += wanted.size();
    }
    EXPECT_GT(known, asked / 10);  // enough responses are known
    EXPECT_LT(known, asked);
  }
}

TEST_P(Respond, RespondsWithDifferencesAndMeansWorkedOutByHand) {
  // Depth in mm: 1 m except in the last column and at one unknown pixel; regions of 3 x 3 pixels.
  image::Frame frame{{}, Array2<std::uint16_t>(3, 8, 1000)};
  for (std::size_t y = 0; y < 3; ++y) frame.depth_mm(y, 7) = 1600;
  frame.depth_mm(1, 0) = 0;
  const image::PreparedFrame prepared(frame, {image::ChannelLayout({"depth"})});
  std::vector<PixelSite> sites;
  for (const int x : {1, 3, 6, 0}) sites.push_back(pixel_site(prepared.view(), x, 1, false));
  sites.push_back(pixel_site(prepared.view(), 1, 1, true));
  const auto ask = [&](const RegionFeature& feature) {
    std::vector<float> out(5);
    responders_.respond(prepared.view(), feature, sites.data(), 5, out.data());
    for (float& r : out) r = is_nan(r) ? -999 : r;
    return out;
  };
  // Around x = 6 the mean is (6 * 1000 + 3 * 1600) / 9 = 1200. Pixel 0 has no depth. Regions around x = 1 leave the
  // frame when offset to the left; when mirrored, those offset to the right do.
  EXPECT_EQ(ask({{0, 0, 1, 1}, {0, 0, 1, 1}, 0, kNoChannel}), (std::vector<float>{1000, 1000, 1200, -999, 1000}));
  EXPECT_EQ(ask({{0, 0, 1, 1}, {-1, 0, 1, 1}, 0, 0}), (std::vector<float>{-999, 0, 200, -999, 0}));
  EXPECT_EQ(ask({{1, 0, 1, 1}, {0, 0, 1, 1}, 0, 0}), (std::vector<float>{0, 0, -999, -999, -999}));
}

TEST_P(Respond, RespondsToEachSiteWithItsOwnFeature) {
  for (const Kind& kind : kKinds) {
    const image::Preparation preparation{image::ChannelLayout(kind.channels)};
    const image::PreparedFrame prepared(noise_frame(29, 37, 3, kind.hole_one_in), preparation);
    const std::vector<PixelSite> sites = all_sites(prepared.view());
    Noise noise(4);
    std::vector<RegionFeature> features;
    for (int f = 0; f < 50; ++f) features.push_back(noise_feature(preparation.channels, noise));
    std::vector<std::uint32_t> index;
    std::vector<float> got(sites.size(), kUntouched), wanted;
    for (std::size_t i = 0; i < sites.size(); ++i) {
      index.push_back(static_cast<std::uint32_t>(noise.between(0, 49)));
      wanted.push_back(response(features[index.back()], prepared.view(), sites[i]));
    }
    responders_.respond_each(prepared.view(), features.data(), index.data(), sites.data(), sites.size(), got.data());
    EXPECT_EQ(bits(got), bits(wanted));
  }
}

TEST_P(Respond, WritesNoResponseMoreThanAskedFor) {
  const image::Preparation preparation{image::ChannelLayout({"lab", "depth"})};
  const image::PreparedFrame prepared(noise_frame(20, 20, 5), preparation);
  const std::vector<PixelSite> sites = all_sites(prepared.view());
  Noise noise(6);
  const RegionFeature feature = noise_feature(preparation.channels, noise);
  const std::vector<std::uint32_t> index(100, 0);
  for (const std::size_t count : {0u, 1u, 7u, 8u, 15u, 16u, 17u, 33u, 100u}) {
    std::vector<float> got(120, kUntouched), each(120, kUntouched);
    responders_.respond(prepared.view(), feature, sites.data() + 3, count, got.data());
    responders_.respond_each(prepared.view(), &feature, index.data(), sites.data() + 3, count, each.data());
    EXPECT_EQ(bits(got), bits(each));
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(bits_of(got[i]), bits_of(response(feature, prepared.view(), sites[3 + i]))) << i;
    EXPECT_EQ(std::count(got.begin() + static_cast<std::ptrdiff_t>(count), got.end(), kUntouched),
              static_cast<std::ptrdiff_t>(120 - count));
  }
}

}  // namespace
}  // namespace fernwood::forest
