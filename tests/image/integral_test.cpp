// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/prepare_steps.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace fernwood::image {
namespace {

using Sums = std::vector<std::uint32_t>;
using Pairs = std::vector<std::uint64_t>;

ChannelImage image_of(std::size_t rows, std::size_t cols, const std::vector<std::int16_t>& values) {
  ChannelImage image(rows, cols);
  std::copy(values.begin(), values.end(), image.begin());
  return image;
}

Sums garbage_for(const ChannelImage& image) { return Sums((image.rows() + 1) * (image.cols() + 1), 0xdeadbeef); }

template <typename Number>
Number difference(const std::vector<Number>& sums, std::size_t stride, std::size_t x0, std::size_t y0, std::size_t x1,
                  std::size_t y1) {
  return sums[y1 * stride + x1] - sums[y0 * stride + x1] - sums[y1 * stride + x0] + sums[y0 * stride + x0];
}

TEST(Integral, HoldsTheSumAboveAndLeft) {
  const ChannelImage image = image_of(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  Sums sums = garbage_for(image);
  integrate(image, sums.data());
  EXPECT_EQ(sums, (Sums{0, 0, 0, 0,    //
                        0, 1, 3, 6,    //
                        0, 5, 12, 21,  //
                        0, 12, 27, 45}));
}

TEST(Integral, LeavesUnknownValuesOutAndCountsTheOthers) {
  const ChannelImage image = image_of(2, 3, {kUnknown, 10, -3, 5, kUnknown, kUnknown});
  Pairs pairs(12, 0xdeadbeef);
  integrate(image, pairs.data());
  Sums sums, counts;
  for (const std::uint64_t pair : pairs) {
    sums.push_back(static_cast<std::uint32_t>(sum_and_count(pair).sum));
    counts.push_back(static_cast<std::uint32_t>(sum_and_count(pair).count));
  }
  EXPECT_EQ(sums, (Sums{0, 0, 0, 0,   //
                        0, 0, 10, 7,  //
                        0, 5, 15, 12}));
  EXPECT_EQ(counts, (Sums{0, 0, 0, 0,  //
                          0, 0, 1, 2,  //
                          0, 1, 2, 3}));
  Sums alone = garbage_for(image);
  integrate(image, alone.data());
  EXPECT_EQ(alone, sums);
}

TEST(Integral, NegativeSumsWrapAndComeBackAsSigned) {
  const ChannelImage image = image_of(1, 2, {-5, 3});
  Sums sums = garbage_for(image);
  integrate(image, sums.data());
  EXPECT_EQ(sums, (Sums{0, 0, 0, 0, 0xfffffffb, 0xfffffffe}));  // -5 and -2, modulo 2^32
  EXPECT_EQ(static_cast<std::int32_t>(difference(sums, 3, 0, 0, 1, 1)), -5);
}

TEST(Integral, WrapsAndDifferencesStayExact) {
  // 400 * 400 * 32767 = 5242720000 = 2^32 + 947752704.
  const ChannelImage image(400, 400, 32767);
  Sums sums = garbage_for(image);
  integrate(image, sums.data());
  EXPECT_EQ(sums.back(), 947752704u);
  EXPECT_EQ(difference(sums, 401, 145, 145, 400, 400), 255u * 255u * 32767u);  // the largest region
  EXPECT_EQ(difference(sums, 401, 399, 399, 400, 400), 32767u);
}

TEST(Integral, PairsStayExactWhateverTheSignsAndHowOftenSumsWrap) {
  for (const int extreme : {32767, -32767}) {
    ChannelImage image(400, 400, static_cast<std::int16_t>(extreme));
    image(399, 399) = kUnknown;
    Pairs pairs(401 * 401);
    integrate(image, pairs.data());
    const SumAndCount largest = sum_and_count(difference(pairs, 401, 145, 145, 400, 400));
    EXPECT_EQ(largest.count, 255 * 255 - 1);
    EXPECT_EQ(largest.sum, (255 * 255 - 1) * extreme);
    const SumAndCount unknown = sum_and_count(difference(pairs, 401, 399, 399, 400, 400));
    EXPECT_EQ(unknown.count, 0);
    EXPECT_EQ(unknown.sum, 0);
  }
}

TEST(Integral, OddSizesWork) {
  Sums sums(4, 7);
  integrate(image_of(1, 1, {42}), sums.data());
  EXPECT_EQ(sums, (Sums{0, 0, 0, 42}));
  sums.assign(8, 7);
  integrate(image_of(3, 1, {1, 2, 3}), sums.data());
  EXPECT_EQ(sums, (Sums{0, 0, 0, 1, 0, 3, 0, 6}));
  sums.assign(8, 7);
  integrate(image_of(1, 3, {1, 2, 3}), sums.data());
  EXPECT_EQ(sums, (Sums{0, 0, 0, 0, 0, 1, 3, 6}));
}

TEST(Integral, EveryPixelComesBackAtRealSize) {
  std::mt19937 random(7);
  ChannelImage image(480, 640);
  for (std::int16_t& value : image) value = static_cast<std::int16_t>(random());
  Sums sums = garbage_for(image);
  Pairs pairs(sums.size(), 0xdeadbeef);
  integrate(image, sums.data());
  integrate(image, pairs.data());
  for (std::size_t y = 0; y < 480; ++y)
    for (std::size_t x = 0; x < 640; ++x) {
      const bool known = image(y, x) != kUnknown;
      const SumAndCount pair = sum_and_count(difference(pairs, 641, x, y, x + 1, y + 1));
      ASSERT_EQ(pair.count, known ? 1 : 0);
      ASSERT_EQ(pair.sum, known ? image(y, x) : 0);
      ASSERT_EQ(static_cast<std::int32_t>(difference(sums, 641, x, y, x + 1, y + 1)), known ? image(y, x) : 0);
    }
}

}  // namespace
}  // namespace fernwood::image
