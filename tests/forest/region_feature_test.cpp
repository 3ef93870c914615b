// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/forest/region_feature.h"
#include "image/prepare_steps.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

namespace fernwood::forest {
namespace {

static_assert(std::is_trivially_copyable_v<image::FrameView> && sizeof(RegionFeature) == 10);

constexpr std::uint8_t kColorPlane = 0, kDepthPlane = 1;

/// A frame with two channels, colour and depth in mm, whose values are set by the test.
class TestFrame {
 public:
  TestFrame(const image::ChannelImage& color, const image::ChannelImage& depth_mm) {
    view_.rows = static_cast<std::int32_t>(color.rows());
    view_.cols = static_cast<std::int32_t>(color.cols());
    view_.stride = view_.cols + 1;
    view_.plane_size = (view_.rows + 1) * view_.stride;
    view_.depth_channel = kDepthPlane;
    view_.pair_plane[kColorPlane] = view_.sum_plane[kDepthPlane] = -1;
    sums_.resize(static_cast<std::size_t>(view_.plane_size));
    pairs_.resize(static_cast<std::size_t>(view_.plane_size));
    image::integrate(color, sums_.data());
    image::integrate(depth_mm, pairs_.data());
    view_.sums = sums_.data();
    view_.pairs = pairs_.data();
  }
  const image::FrameView& view() const { return view_; }

 private:
  image::FrameView view_;
  std::vector<std::uint32_t> sums_;
  std::vector<std::uint64_t> pairs_;
};

/// An image with value(x, y) at every pixel.
template <typename Value>
image::ChannelImage image_of(std::size_t rows, std::size_t cols, const Value& value) {
  image::ChannelImage image(rows, cols);
  for (std::size_t y = 0; y < rows; ++y)
    for (std::size_t x = 0; x < cols; ++x)
      image(y, x) = static_cast<std::int16_t>(value(static_cast<int>(x), static_cast<int>(y)));
  return image;
}

/// 9 x 9 pixels; colour is 10 x + y, depth is 2 m in row 0 and 1 m elsewhere, but unknown to the right of column 6.
TestFrame ramp_frame() {
  return {image_of(9, 9, [](int x, int y) { return 10 * x + y; }), image_of(9, 9, [](int x, int y) {
            return x > 6 ? image::kUnknown : y == 0 ? 2000 : 1000;
          })};
}

RegionFeature color_feature(Region a, Region b) { return {a, b, kColorPlane, kColorPlane}; }
RegionFeature depth_feature(Region a, Region b) { return {a, b, kDepthPlane, kDepthPlane}; }

RegionBox box_of(const Region& region, const PixelSite& site) { return region_box(region, site, 9, 9, 10); }

TEST(RegionBox, LiesAroundItsCentreAndCountsItsPixels) {
  // At 1 m: columns 4 + 1 - 2 … 4 + 1 + 2, rows 4 - 2 - 1 … 4 - 2 + 1.
  const RegionBox box = box_of({1, -2, 2, 1}, {4, 4, 1.0f});
  EXPECT_TRUE(box.inside);
  EXPECT_EQ(box.corner, 1 * 10 + 3);
  EXPECT_EQ(box.width, 5);
  EXPECT_EQ(box.drop, 3 * 10);
  EXPECT_EQ(box.area, 15);
}

TEST(RegionSpan, SaysWhereARegionLiesInTheFrameOrOutOfIt) {
  // At 500 mm: centre (4 - 2 * 3, 4 + 2 * 1), half extents 2 and 4.
  const RegionSpan span = region_span(Region{-3, 1, 1, 2}, PixelSite{4, 4, 2.0f});
  EXPECT_EQ(span.x0, -4);
  EXPECT_EQ(span.y0, 2);
  EXPECT_EQ(span.width, 5);
  EXPECT_EQ(span.height, 9);
  EXPECT_EQ(region_span(Region{-3, 1, 1, 2}, PixelSite{4, 4, -2.0f}).x0, 8);  // mirrored: 4 + 6 - 2
}

TEST(RegionBox, ShrinksWithDepth) {
  // At 4 m: offset (8, -4) / 4 = (2, -1), extents (4, 8) / 4 = (1, 2): columns 5 … 7, rows 1 … 5.
  const RegionBox box = box_of({8, -4, 4, 8}, {4, 4, 0.25f});
  EXPECT_TRUE(box.inside);
  EXPECT_EQ(box.corner, 1 * 10 + 5);
  EXPECT_EQ(box.width, 3);
  EXPECT_EQ(box.drop, 5 * 10);
}

TEST(RegionBox, RoundsHalvesToEven) {
  // At 2 m: 1 / 2 -> 0, 3 / 2 -> 2, 5 / 2 -> 2, -3 / 2 -> -2; extents 1 / 2 -> 0 and 3 / 2 -> 2.
  EXPECT_EQ(box_of({1, 3, 1, 1}, {4, 4, 0.5f}).corner, 6 * 10 + 4);
  EXPECT_EQ(box_of({5, -3, 1, 1}, {4, 4, 0.5f}).corner, 2 * 10 + 6);
  EXPECT_EQ(box_of({0, 0, 1, 3}, {4, 4, 0.5f}).area, 1 * 5);
}

TEST(RegionBox, LeavingTheFrameOnAnySideIsOutside) {
  const PixelSite site = {4, 4, 1.0f};
  EXPECT_TRUE(box_of({-3, 0, 1, 1}, site).inside);  // columns 0 … 2
  EXPECT_FALSE(box_of({-4, 0, 1, 1}, site).inside);
  EXPECT_TRUE(box_of({3, 0, 1, 1}, site).inside);  // columns 6 … 8
  EXPECT_FALSE(box_of({4, 0, 1, 1}, site).inside);
  EXPECT_TRUE(box_of({0, -3, 1, 1}, site).inside);
  EXPECT_FALSE(box_of({0, -4, 1, 1}, site).inside);
  EXPECT_TRUE(box_of({0, 3, 1, 1}, site).inside);
  EXPECT_FALSE(box_of({0, 4, 1, 1}, site).inside);
}

TEST(RegionBox, OutsideCollapsesSoThatReadingIsSafe) {
  const RegionBox box = box_of({127, 127, 127, 127}, {4, 4, 1.0f});
  EXPECT_FALSE(box.inside);
  EXPECT_EQ(box.corner, 0);
  EXPECT_EQ(box.width, 0);
  EXPECT_EQ(box.drop, 0);
  EXPECT_GE(box.area, 1);
}

TEST(RegionBox, ExtentsAreCappedSoThatSumsFit) {
  // At 0.5 m, half extents of 100 become 200, limited to 127: 255 x 255 pixels around (300, 300).
  const RegionBox box = region_box(Region{0, 0, 100, 100}, PixelSite{300, 300, 2.0f}, 601, 601, 602);
  EXPECT_TRUE(box.inside);
  EXPECT_EQ(box.width, 255);
  EXPECT_EQ(box.area, 255 * 255);
  EXPECT_EQ(box.corner, 173 * 602 + 173);
}

TEST(RegionBox, VeryNearPixelsStayWithinTheNumbers) {
  // At 1 mm, offsets of 127 become 127000 pixels.
  EXPECT_FALSE(region_box(Region{127, -127, 127, 127}, PixelSite{319, 239, 1000.0f}, 480, 640, 641).inside);
}

TEST(RegionMean, LargestSumOfAChannelIsExact) {
  const image::ChannelImage highest(255, 255, 32767), lowest(255, 255, -32767);
  const TestFrame frame(highest, lowest);
  const RegionBox box = region_box(Region{0, 0, 127, 127}, PixelSite{127, 127, 1.0f}, 255, 255, 256);
  bool known = false;
  EXPECT_EQ(region_sum(frame.view().sums, box), 255u * 255u * 32767u);
  EXPECT_EQ(region_mean(frame.view(), kColorPlane, -1, box, &known), 32767.0f);
  EXPECT_EQ(region_mean(frame.view(), kDepthPlane, 0, box, &known), -32767.0f);
  EXPECT_TRUE(known);
}

TEST(RegionMean, LeavesUnknownPixelsOut) {
  const TestFrame frame = ramp_frame();
  bool known = false;
  // Columns 5 … 7 and rows 0 … 2; column 7 is unknown: (2 * 2000 + 4 * 1000) / 6 = 1333.33.
  const RegionBox box = box_of({0, 0, 1, 1}, {6, 1, 1.0f});
  EXPECT_FLOAT_EQ(region_mean(frame.view(), kDepthPlane, 0, box, &known), 8000.0f / 6);
  EXPECT_TRUE(known);
}

TEST(RegionMean, NothingKnownIsToldAndNotDividedBy) {
  const TestFrame frame = ramp_frame();
  bool known = true;
  const RegionBox box = box_of({0, 0, 0, 1}, {8, 4, 1.0f});
  EXPECT_EQ(region_mean(frame.view(), kDepthPlane, 0, box, &known), 0.0f);
  EXPECT_FALSE(known);
}

TEST(Response, IsTheDifferenceOfTheMeans) {
  const TestFrame frame = ramp_frame();
  const PixelSite site = pixel_site(frame.view(), 4, 4, false);
  // The mean of a ramp is its value at the centre: 10 * 5 + 3 = 53 and 10 * 2 + 6 = 26.
  EXPECT_EQ(response(color_feature({1, -1, 1, 2}, {-2, 2, 2, 1}), frame.view(), site), 27.0f);
  EXPECT_EQ(response(color_feature({-2, 2, 2, 1}, {1, -1, 1, 2}), frame.view(), site), -27.0f);
}

TEST(Response, IsTheMeanItselfWhenUnary) {
  // The second region leaves the frame, which a unary feature ignores. The ramp at (5, 3) is 53.
  const TestFrame frame = ramp_frame();
  const PixelSite site = pixel_site(frame.view(), 4, 4, false);
  RegionFeature feature = color_feature({1, -1, 1, 2}, {127, 127, 1, 1});
  EXPECT_TRUE(is_nan(response(feature, frame.view(), site)));
  feature.channel_b = kNoChannel;
  EXPECT_EQ(response(feature, frame.view(), site), 53.0f);
  feature.a.dx = 127;
  EXPECT_TRUE(is_nan(response(feature, frame.view(), site)));
}

TEST(Response, ReadsDepthWithItsCounts) {
  const TestFrame frame = ramp_frame();
  // From pixel (5, 1) at 1 m: region a is 3 x 3 around (6, 1), with mean 8000 / 6; region b is 3 x 3 around (1, 4),
  // with mean 1000.
  const PixelSite site = pixel_site(frame.view(), 5, 1, false);
  EXPECT_FLOAT_EQ(response(depth_feature({1, 0, 1, 1}, {-4, 3, 1, 1}), frame.view(), site), 8000.0f / 6 - 1000.0f);
}

TEST(Response, IsNanWhenEitherRegionIsNotSeen) {
  const TestFrame frame = ramp_frame();
  const Region here = {0, 0, 1, 1}, left = {-4, 0, 1, 1};
  const PixelSite site = pixel_site(frame.view(), 4, 4, false);
  EXPECT_FALSE(is_nan(response(color_feature(here, here), frame.view(), site)));
  EXPECT_TRUE(is_nan(response(color_feature(left, here), frame.view(), site)));
  EXPECT_TRUE(is_nan(response(color_feature(here, left), frame.view(), site)));
  // Columns 7 and 8 have colour, but no depth.
  const Region right = {4, 0, 0, 1};
  EXPECT_TRUE(is_nan(response(depth_feature(right, here), frame.view(), site)));
  EXPECT_TRUE(is_nan(response(depth_feature(here, right), frame.view(), site)));
  EXPECT_EQ(response(color_feature(right, here), frame.view(), site), 40.0f);
}

TEST(Response, IsNanWhereDepthIsUnknown) {
  const TestFrame frame = ramp_frame();
  const PixelSite site = pixel_site(frame.view(), 7, 4, false);
  EXPECT_EQ(site.inv_depth_y(), 0.0f);
  EXPECT_TRUE(is_nan(response(color_feature({0, 0, 1, 1}, {-1, 0, 1, 1}), frame.view(), site)));
}

TEST(PixelSite, LooksUpTheDepth) {
  const TestFrame frame = ramp_frame();
  const PixelSite near = pixel_site(frame.view(), 3, 5, false), far = pixel_site(frame.view(), 6, 0, true);
  EXPECT_EQ(near.x(), 3);
  EXPECT_EQ(near.y(), 5);
  EXPECT_EQ(near.inv_depth_x(), 1.0f);
  EXPECT_EQ(near.inv_depth_y(), 1.0f);
  EXPECT_EQ(far.inv_depth_x(), -0.5f);  // mirrored, 2 m
  EXPECT_EQ(far.inv_depth_y(), 0.5f);
}

TEST(PixelSite, WithoutADepthChannelOffsetsArePixels) {
  const TestFrame frame = ramp_frame();
  image::FrameView view = frame.view();
  view.depth_channel = -1;
  EXPECT_EQ(pixel_site(view, 8, 4, false).inv_depth_y(), 1.0f);
  EXPECT_EQ(pixel_site(view, 8, 4, true).inv_depth_x(), -1.0f);
}

TEST(PixelSite, MirroredSeesWhatTheMirroredFrameShows) {
  std::mt19937 random(42);
  const auto between = [&](int low, int high) { return low + static_cast<int>(random() % (high - low + 1)); };
  constexpr int kRows = 40, kCols = 51;
  const image::ChannelImage color = image_of(kRows, kCols, [&](int, int) { return between(-30000, 30000); });
  const image::ChannelImage depth =
      image_of(kRows, kCols, [&](int, int) { return between(0, 4) == 0 ? image::kUnknown : between(700, 6000); });
  const TestFrame frame(color, depth);
  const TestFrame mirrored(image_of(kRows, kCols, [&](int x, int y) { return color(y, kCols - 1 - x); }),
                           image_of(kRows, kCols, [&](int x, int y) { return depth(y, kCols - 1 - x); }));
  int num_seen = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto region = [&] {
      const auto byte = [](int v) { return static_cast<std::int8_t>(v); };
      return Region{byte(between(-40, 40)), byte(between(-40, 40)), byte(between(1, 20)), byte(between(1, 20))};
    };
    const std::uint8_t channel = static_cast<std::uint8_t>(between(0, 1));
    const RegionFeature feature = {region(), region(), channel, channel};
    const int x = between(0, kCols - 1), y = between(0, kRows - 1);
    const float here = response(feature, frame.view(), pixel_site(frame.view(), x, y, true));
    const float there = response(feature, mirrored.view(), pixel_site(mirrored.view(), kCols - 1 - x, y, false));
    ASSERT_EQ(bits_of(here), bits_of(there));
    num_seen += !is_nan(here);
  }
  EXPECT_GT(num_seen, 500);  // enough responses were not NaN
}

TEST(Side, UpToTheThresholdIsLeftAndNanIsRight) {
  EXPECT_EQ(side(1.0f, 1.5f), 0);
  EXPECT_EQ(side(1.5f, 1.5f), 0);
  EXPECT_EQ(side(1.6f, 1.5f), 1);
  EXPECT_EQ(side(-1.6f, -1.5f), 0);
  EXPECT_EQ(side(not_a_number(), 1e30f), 1);
}

}  // namespace
}  // namespace fernwood::forest
