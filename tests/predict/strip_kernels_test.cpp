// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/strip_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "fernwood/image/labels.h"

namespace fernwood::predict {
namespace {

class StripLoops : public testing::TestWithParam<Isa> {
 protected:
  const StripKernels& kernels_ = strip_kernels(GetParam());
  std::mt19937 random_{1};
};
INSTANTIATE_TEST_SUITE_P(Each, StripLoops, testing::ValuesIn(available_isas()),
                         [](const auto& info) { return to_string(info.param); });

std::vector<std::int32_t> columns(const std::vector<forest::PixelSite>& sites) {
  std::vector<std::int32_t> xs;
  for (const forest::PixelSite& site : sites) xs.push_back(site.x());
  return xs;
}

TEST_P(StripLoops, PartsSitesIntoThoseThatGoLeftAndTheOthersBackwards) {
  const std::vector<float> values = {-1.0f, 0.5f, 0.50001f, 2.0f, not_a_number()};
  for (std::size_t count = 0; count < 70; ++count)
    for (int round = 0; round < 4; ++round) {
      std::vector<forest::PixelSite> sites;
      std::vector<float> responses;
      std::vector<std::int32_t> left, right;
      for (std::size_t i = 0; i < count; ++i) {
        sites.emplace_back(static_cast<std::int32_t>(i), 7, 0.25f);
        // Rounds in which all go one way, or any.
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

TEST_P(StripLoops, WritesNothingBesideWhatIsParted) {
  for (const std::size_t count : {1u, 3u, 8u, 17u, 33u}) {
    std::vector<forest::PixelSite> sites(count, {1, 2, 3.0f}), parted(count + 32, {9, 9, 9.0f});
    std::vector<float> responses;
    for (std::size_t i = 0; i < count; ++i) responses.push_back(static_cast<float>(i % 3));
    kernels_.part(sites.data(), responses.data(), count, 1.0f, parted.data() + 16);
    for (std::size_t i = 0; i < parted.size(); ++i)
      EXPECT_EQ(parted[i].x(), i >= 16 && i < count + 16 ? 1 : 9) << i << " of " << count;
  }
}

TEST_P(StripLoops, AddsALeafsRowToTheCellsOfItsSites) {
  for (const std::size_t stride : {8u, 16u, 24u})
    for (const std::int32_t step : {1, image::kContextStep}) {
      std::vector<float> row(stride, 0.0f), sums(6 * stride, 1.0f);
      for (std::size_t c = 0; c + 3 < stride; ++c) row[c] = static_cast<float>(c + 1);
      // Cells (1, 2) and (0, 4) of a strip of 3 columns that begins at row 3.
      const std::vector<forest::PixelSite> sites = {{1 * step, 3 * step, 1.0f}, {2 * step + step / 2, 4 * step, 0.0f}};
      kernels_.add(sites.data(), sites.size(), step, 3, 3, row.data(), stride, sums.data());
      for (std::size_t cell = 0; cell < 6; ++cell)
        for (std::size_t c = 0; c < stride; ++c)
          ASSERT_EQ(sums[cell * stride + c], 1.0f + (cell == 1 || cell == 5 ? row[c] : 0.0f)) << cell << " " << c;
    }
}

TEST_P(StripLoops, ChoosesTheFirstOfTheHighestOrVoid) {
  for (const std::size_t num_classes : {1u, 5u, 8u, 13u}) {
    const std::size_t stride = padded_classes(num_classes), count = 75;
    std::vector<float> sums(count * stride, 0.0f);
    std::vector<std::uint16_t> expected(count, image::kVoid), labels(count + 1, 77);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t c = 0; c < num_classes; ++c) sums[i * stride + c] = static_cast<float>(random_() % 3);
    for (std::size_t i = 0; i < count; ++i) {
      const float* row = sums.data() + i * stride;
      const float* highest = std::max_element(row, row + num_classes);
      if (*highest > 0) expected[i] = static_cast<std::uint16_t>(highest - row);
    }
    expected.push_back(77);
    kernels_.choose(sums.data(), num_classes, stride, count, labels.data());
    EXPECT_EQ(labels, expected) << num_classes;
  }
}

}  // namespace
}  // namespace fernwood::predict
