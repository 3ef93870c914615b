// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "devices.h"
#include "fernwood/core/error.h"
#include "fernwood/image/frame.h"
#include "image/values_of.h"
#include "sentences.h"

namespace fernwood::image {
namespace {

using testing::ElementsAre;

using Depth = Array2<std::uint16_t>;

Depth depth_of(std::size_t rows, std::size_t cols, const std::vector<std::uint16_t>& values) {
  Depth depth(rows, cols);
  std::copy(values.begin(), values.end(), depth.begin());
  return depth;
}

Depth filled_simply(Depth depth) {
  fill_depth_simple(depth);
  return depth;
}

bool has_eigen() { return is_built_for("filling depth by colourisation"); }

TEST(SimpleFilling, RightComesBeforeLeft) {
  EXPECT_THAT(values_of(filled_simply(depth_of(1, 5, {0, 3, 0, 7, 0}))), ElementsAre(3, 3, 7, 7, 7));
}

TEST(SimpleFilling, RowsComeBeforeColumnsAndAboveBeforeBelow) {
  EXPECT_THAT(values_of(filled_simply(depth_of(5, 2, {0, 0, 0, 4, 0, 0, 9, 0, 0, 0}))),
              ElementsAre(4, 4,    // from below, after that row has been filled
                          4, 4,    // from the right
                          4, 4,    // from above, although 9 is equally near
                          9, 9,    // from the left
                          9, 9));  // from above
}

TEST(SimpleFilling, IsTheFourPassesOneAfterAnother) {
  Depth depth(20, 30);
  for (std::size_t i = 0; i < depth.size(); ++i) {
    const bool known = i * 7919 % 13 < 2 && i / 30 % 4 != 0;  // sparse, and every fourth row is unknown
    depth.data()[i] = known ? static_cast<std::uint16_t>(i + 1) : 0;
  }
  Depth expected = depth;
  const auto take = [&](std::size_t y, std::size_t x, std::size_t from_y, std::size_t from_x) {
    if (expected(y, x) == 0) expected(y, x) = expected(from_y, from_x);
  };
  for (std::size_t y = 0; y < 20; ++y) {
    for (std::size_t x = 29; x-- > 0;) take(y, x, y, x + 1);
    for (std::size_t x = 1; x < 30; ++x) take(y, x, y, x - 1);
  }
  for (std::size_t x = 0; x < 30; ++x) {
    for (std::size_t y = 1; y < 20; ++y) take(y, x, y - 1, x);
    for (std::size_t y = 19; y-- > 0;) take(y, x, y + 1, x);
  }
  EXPECT_EQ(filled_simply(depth), expected);
}

TEST(SimpleFilling, OneKnownDepthFillsAllAndNoneFillsNothing) {
  Depth one(7, 5);
  one(3, 2) = 1234;
  EXPECT_EQ(filled_simply(one), Depth(7, 5, 1234));
  EXPECT_EQ(filled_simply(Depth(7, 5)), Depth(7, 5));
}

TEST(SimpleFilling, KnownDepthsStay) {
  const Depth full = depth_of(2, 2, {1, 2, 3, 65535});
  EXPECT_EQ(filled_simply(full), full);
}

TEST(SimpleFilling, OddSizesWork) {
  EXPECT_TRUE(filled_simply(Depth()).empty());
  EXPECT_THAT(values_of(filled_simply(depth_of(1, 1, {5}))), ElementsAre(5));
  EXPECT_THAT(values_of(filled_simply(depth_of(4, 1, {0, 6, 0, 8}))), ElementsAre(6, 6, 6, 8));
}

TEST(FilledDepth, IsThatOfTheFillingChosenWithDepthBeyondTheLimitUnknown) {
  Frame frame;
  frame.color = Array2<Rgb>(1, 4, Rgb{9, 9, 9});
  frame.depth_mm = Array2<std::uint16_t>(1, 4);
  std::copy_n(std::array<std::uint16_t, 4>{100, 0, 40000, 300}.begin(), 4, frame.depth_mm.begin());
  const auto filled = [&](DepthFilling filling) {
    const Array2<std::uint16_t> depth_mm = filled_depth(frame, filling);
    return std::vector<int>(depth_mm.begin(), depth_mm.end());
  };
  EXPECT_EQ(filled(DepthFilling::kNone), (std::vector<int>{100, 0, 0, 300}));
  EXPECT_EQ(filled(DepthFilling::kSimple), (std::vector<int>{100, 300, 300, 300}));
  if (!has_eigen()) return;
  EXPECT_EQ(filled(DepthFilling::kColorized), (std::vector<int>{100, 167, 233, 300}));
}

TEST(ColorizedFilling, IsAUsageErrorWithoutEigen) {
  if (has_eigen()) GTEST_SKIP() << "built with Eigen";
  Depth depth = depth_of(1, 2, {0, 1});
  EXPECT_THROW(fill_depth_colorized(depth, Array2<Rgb>(1, 2)), Error);
}

TEST(ColorizedFilling, UniformGreyGivesThePlainMeanOfTheNeighbours) {
  if (!has_eigen()) GTEST_SKIP() << "built without Eigen";
  // (100 + 200 + 300 + 400 + 500 + 600 + 700 + 880) / 8 = 460.
  Depth depth = depth_of(3, 3, {100, 200, 300, 400, 0, 500, 600, 700, 880});
  fill_depth_colorized(depth, Array2<Rgb>(3, 3, Rgb{90, 90, 90}));
  EXPECT_THAT(values_of(depth), ElementsAre(100, 200, 300, 400, 460, 500, 600, 700, 880));
}

TEST(ColorizedFilling, UnknownNeighboursAreSolvedTogether) {
  if (!has_eigen()) GTEST_SKIP() << "built without Eigen";
  // On a single row, each value is the mean of its two neighbours: linear from 1000 to 1600, constant beyond the end.
  Depth line = depth_of(1, 6, {1000, 0, 0, 1600, 0, 0});
  fill_depth_colorized(line, Array2<Rgb>(1, 6, Rgb{10, 200, 30}));
  EXPECT_THAT(values_of(line), ElementsAre(1000, 1200, 1400, 1600, 1600, 1600));
}

TEST(ColorizedFilling, LikeGreyDecides) {
  if (!has_eigen()) GTEST_SKIP() << "built without Eigen";
  // Grey values 1, 0, 0: the variance is 2/9, sigma^2 = 0.6 * 2/9 = 2/15, so that the left neighbour has weight
  // exp(-7.5) = 0.000553, and the right one 1: (0.000553 * 1000 + 3000) / 1.000553 = 2998.9.
  Depth depth = depth_of(1, 3, {1000, 0, 3000});
  Array2<Rgb> color(1, 3);
  color(0, 0) = {255, 255, 255};
  fill_depth_colorized(depth, color);
  // The weights of red, green and blue add up to 0.9999, which changes nothing here.
  EXPECT_THAT(values_of(depth), ElementsAre(1000, 2999, 3000));
}

TEST(ColorizedFilling, TheLikestNeighbourWeighsAHundredthAtLeast) {
  if (!has_eigen()) GTEST_SKIP() << "built without Eigen";
  // Left and right differ equally from the centre, so that each has half the weight, however large the difference.
  Depth depth = depth_of(1, 3, {1000, 0, 3000});
  Array2<Rgb> color(1, 3, Rgb{255, 255, 255});
  color(0, 1) = {0, 0, 0};
  fill_depth_colorized(depth, color);
  EXPECT_THAT(values_of(depth), ElementsAre(1000, 2000, 3000));
}

TEST(ColorizedFilling, UnlikeNeighboursDifferNoMoreThanTheBoundAllows) {
  if (!has_eigen()) GTEST_SKIP() << "built without Eigen";
  // Grey values 0.8, 0, 1: 0.6 * variance = 0.112 is below 0.8^2 / log 100 = 0.13898, which replaces it. The left
  // neighbour has weight 0.01, the right one 0.01^(1 / 0.64) = 0.00074990: 3000 - 2000 * 0.01 / 0.0107499 = 1139.5.
  Depth depth = depth_of(1, 3, {1000, 0, 3000});
  Array2<Rgb> color(1, 3);
  color(0, 0) = {204, 204, 204};
  color(0, 2) = {255, 255, 255};
  fill_depth_colorized(depth, color);
  EXPECT_THAT(values_of(depth), ElementsAre(1000, 1140, 3000));
}

TEST(ColorizedFilling, ObjectsKeepTheirDepthAcrossAnEdgeOfGrey) {
  if (!has_eigen()) GTEST_SKIP() << "built without Eigen";
  // Black at 1 m and white at 2 m; a band of unknown depth covers the edge between columns 19 and 20.
  Depth depth(30, 40);
  Array2<Rgb> color(30, 40);
  for (std::size_t y = 0; y < 30; ++y)
    for (std::size_t x = 0; x < 40; ++x) {
      const bool white = x >= 20;
      color(y, x) = white ? Rgb{255, 255, 255} : Rgb{0, 0, 0};
      depth(y, x) = x >= 12 && x < 26 ? 0 : (white ? 2000 : 1000);
    }
  fill_depth_colorized(depth, color);
  for (std::size_t y = 0; y < 30; ++y) {
    EXPECT_NEAR(depth(y, 19), 1000, 10);
    EXPECT_NEAR(depth(y, 20), 2000, 10);
  }
}

TEST(ColorizedFilling, KnownDepthsStayAndFilledOnesLieBetween) {
  if (!has_eigen()) GTEST_SKIP() << "built without Eigen";
  Depth depth(24, 32);
  Array2<Rgb> color(24, 32);
  for (std::size_t i = 0; i < depth.size(); ++i) {
    const auto grey = static_cast<std::uint8_t>(i * 37 % 256);
    color.data()[i] = {grey, grey, grey};
    depth.data()[i] = i % 5 == 0 ? static_cast<std::uint16_t>(500 + i) : 0;
  }
  const Depth before = depth;
  fill_depth_colorized(depth, color);
  for (std::size_t i = 0; i < depth.size(); ++i) {
    if (before.data()[i] > 0) {
      ASSERT_EQ(depth.data()[i], before.data()[i]);
    }
    ASSERT_GE(depth.data()[i], 500);
    ASSERT_LE(depth.data()[i], 500 + 765);  // 765 is the largest multiple of 5 below 768
  }
}

TEST(ColorizedFilling, NothingKnownFillsNothing) {
  if (!has_eigen()) GTEST_SKIP() << "built without Eigen";
  Depth depth(3, 4);
  fill_depth_colorized(depth, Array2<Rgb>(3, 4));
  EXPECT_EQ(depth, Depth(3, 4));
}

TEST(ColorizedFilling, SizesThatDifferAreToldWithBoth) {
  if (!has_eigen()) GTEST_SKIP() << "built without Eigen";
  Depth depth(3, 4);
  testdata::expect_refused(ErrorKind::kData, [&] { fill_depth_colorized(depth, Array2<Rgb>(3, 5)); });
}

}  // namespace
}  // namespace fernwood::image
