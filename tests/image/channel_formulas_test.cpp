// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/channel_formulas.h"

#include <gtest/gtest.h>

#include "image/prepare_steps.h"

namespace fernwood::image {
namespace {

TEST(ChannelFormulas, IntegerSqrtIsTheWholePart) {
  for (const std::int32_t root : {1, 2, 99, 46339, 46340}) {
    EXPECT_EQ(integer_sqrt(root * root), root);
    EXPECT_EQ(integer_sqrt(root * root - 1), root - 1);
  }
}

TEST(ChannelFormulas, GradientIsTheSobelMagnitudeInSixteenths) {
  const std::int16_t above[3] = {0, 0, 0}, here[3] = {0, 0, 3}, below[3] = {0, 4, 1};
  // gx = 2 * 3 + 1 = 7, gy = 2 * 4 + 1 = 9: 16 sqrt(130) = 182.4
  EXPECT_EQ(gradient_value(above, here, below, 0, 1, 2), 182);
}

TEST(ChannelFormulas, DepthBeyondTheLimitIsUnknownAndAddsNothing) {
  EXPECT_EQ(depth_value(0), kUnknown);
  EXPECT_EQ(depth_value(32768), kUnknown);
  EXPECT_EQ(depth_value(32767), 32767);
  EXPECT_EQ(known_value(kUnknown), 0u);
  EXPECT_EQ(known_value(-1), 0xffffffffu);
  EXPECT_EQ(known_value(-32767), 0xffff8001u);
}

TEST(PrepareSteps, DepthIsCompleteWhenEveryPixelOrOneToFillFromIsKnown) {
  const auto complete = [](std::vector<std::uint16_t> depths, bool filled) {
    Array2<std::uint16_t> image(1, depths.size());
    std::copy(depths.begin(), depths.end(), image.begin());
    return is_depth_complete(image, filled);
  };
  EXPECT_TRUE(complete({1, 32767}, false));
  EXPECT_FALSE(complete({1, 0}, false));
  EXPECT_FALSE(complete({1, 32768}, false));
  EXPECT_TRUE(complete({0, 32767, 40000}, true));
  EXPECT_FALSE(complete({0, 32768, 65535}, true));
}

TEST(PrepareSteps, ChannelsThatFollowDepthShareThePlaneOfCountsBehindAll) {
  const ChannelLayout channels({"lab", "depth", "height"}, {"floor"});
  const PlaneLayout layout = layout_planes(2, 3, channels, false);
  EXPECT_EQ(layout.view.count_plane[0], -1);
  EXPECT_EQ(layout.view.count_plane[3], 6);
  EXPECT_EQ(layout.view.count_plane[4], 6);
  EXPECT_EQ(layout.view.count_plane[5], -1);
  EXPECT_EQ(layout.num_sums, 7u * 3 * 4);
  EXPECT_EQ(layout_planes(2, 3, channels, true).num_sums, 6u * 3 * 4);
}

}  // namespace
}  // namespace fernwood::image
