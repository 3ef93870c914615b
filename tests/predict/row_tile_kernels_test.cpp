// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/row_tile_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "fernwood/image/labels.h"

namespace fernwood::predict {
namespace {

class RowTileKernelSet : public testing::TestWithParam<Isa> {
 protected:
  const RowTileKernels& kernels_ = row_tile_kernels(GetParam());
  std::mt19937 random_{1};
};
INSTANTIATE_TEST_SUITE_P(Each, RowTileKernelSet, testing::ValuesIn(available_isas()),
                         [](const auto& info) { return to_string(info.param); });

std::vector<std::int32_t> columns(const std::vector<forest::PixelSite>& sites) {
  std::vector<std::int32_t> xs;
  for (const forest::PixelSite& site : sites) xs.push_back(site.x());
  return xs;
}

TEST_P(RowTileKernelSet, PartsSitesIntoThoseThatGoLeftAndTheOthersBackwards) {
  const std::vector<float> values = {-1.0f, 0.5f, 0.50001f, 2.0f, not_a_number()};
  for (std::size_t count = 0; count < 70; ++count)
    for (int round = 0; round < 4; ++round) {
      std::vector<forest::PixelSite> sites;
      std::vector<float> responses;
      std::vector<std::int32_t> left, right;
      for (std::size_t i = 0; i < count; ++i) {
        sites.emplace_back(static_cast<std::int32_t>(i), 7, 0.25f);
        // In rounds 0 and 1 all sites go to the same side, otherwise to either.
        responses.push_back(round == 0 ? -1.0f : round == 1 ? not_a_number() : values[random_() % values.size()]);
        (responses[i] <= 0.5f ? left : right).push_back(static_cast<std::int32_t>(i));
      }
      std::vector<forest::PixelSite> parted(count);
      EXPECT_EQ(kernels_.part(sites.data(), responses.data(), count, 0.5f, parted.data()), left.size());
      left.insert(left.end(), right.rbegin(), right.rend());
      ASSERT_EQ(columns(parted), left) << count;
      for (const forest::PixelSite& site : parted) {
        EXPECT_EQ(site.y(), 7);
        EXPECT_EQ(site.inv_depth_x(), 0.25f);
      }
    }
}

TEST_P(RowTileKernelSet, WritesNothingBesideWhatIsParted) {
  for (const std::size_t count : {1u, 3u, 8u, 17u, 33u}) {
    std::vector<forest::PixelSite> sites(count, {1, 2, 3.0f}), parted(count + 32, {9, 9, 9.0f});
    std::vector<float> responses;
    for (std::size_t i = 0; i < count; ++i) responses.push_back(static_cast<float>(i % 3));
    kernels_.part(sites.data(), responses.data(), count, 1.0f, parted.data() + 16);
    for (std::size_t i = 0; i < parted.size(); ++i)
      EXPECT_EQ(parted[i].x(), i >= 16 && i < count + 16 ? 1 : 9) << i << " of " << count;
  }
}

TEST_P(RowTileKernelSet, SumsWhatTheLeavesOfEachTreeSay) {
  for (const std::size_t num_classes : {3u, 8u, 13u, 20u}) {
    const std::size_t stride = padded_classes(num_classes), count = 37;
    std::vector<float> tables[2];
    for (std::vector<float>& table : tables)
      for (std::size_t i = 0; i < 5 * stride; ++i)
        table.push_back(i % stride < num_classes ? static_cast<float>(random_() % 1000) / 7 : 0.0f);
    std::vector<std::uint32_t> leaves;
    for (std::size_t i = 0; i < 2 * 50; ++i) leaves.push_back(static_cast<std::uint32_t>(random_() % 5));
    const float* rows[] = {tables[0].data(), tables[1].data()};
    std::vector<float> sums(count * stride + 1, -7.0f);
    kernels_.sum({leaves.data(), 50, rows, 2, num_classes}, 6, count, sums.data());
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t c = 0; c < stride; ++c)
        ASSERT_EQ(sums[i * stride + c], tables[0][leaves[6 + i] * stride + c] + tables[1][leaves[56 + i] * stride + c]);
    EXPECT_EQ(sums.back(), -7.0f);
    // Added one after another, to chosen pixels.
    const std::uint32_t pixels[] = {3, 11, 40};
    std::vector<float> chosen(50 * stride, 0.0f);
    kernels_.add({leaves.data(), 50, rows, 1, num_classes}, pixels, 3, chosen.data());
    kernels_.add({leaves.data() + 50, 50, rows + 1, 1, num_classes}, pixels, 3, chosen.data());
    for (std::size_t p = 0; p < 50; ++p)
      for (std::size_t c = 0; c < stride; ++c)
        ASSERT_EQ(chosen[p * stride + c],
                  std::ranges::count(pixels, p) == 0
                      ? 0.0f
                      : tables[0][leaves[p] * stride + c] + tables[1][leaves[50 + p] * stride + c]);
  }
}

TEST_P(RowTileKernelSet, ChoosesTheFirstOfTheHighestOrVoid) {
  for (const std::size_t num_classes : {1u, 5u, 8u, 13u}) {
    const std::size_t stride = padded_classes(num_classes), count = 75;
    std::vector<float> sums(count * stride, 0.0f);
    std::vector<std::uint16_t> expected(count, image::kVoid), labels(count + 1, 77);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t c = 0; c < num_classes; ++c) sums[i * stride + c] = static_cast<float>(random_() % 3);
    std::vector<forest::ClassPriorCorrection> correction(num_classes);
    for (const bool weighed : {false, true}) {
      if (weighed) correction.back() = {0.5f, 0.75f};
      for (std::size_t i = 0; i < count; ++i) {
        std::vector<float> row(sums.data() + i * stride, sums.data() + i * stride + num_classes);
        if (weighed) row.back() = 0.5f * row.back() + 0.75f;
        const auto highest = std::ranges::max_element(row);
        expected[i] = *highest > 0 ? static_cast<std::uint16_t>(highest - row.begin()) : image::kVoid;
      }
      kernels_.choose(sums.data(), correction.data(), num_classes, count, labels.data());
      EXPECT_EQ(std::vector(labels.begin(), labels.end() - 1), expected) << num_classes;
      EXPECT_EQ(labels.back(), 77);
    }
  }
}

}  // namespace
}  // namespace fernwood::predict
