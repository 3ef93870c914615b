// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow/response_plan.h"

#include <gtest/gtest.h>

#include "forest/noise.h"
#include "train/grow/candidates.h"

namespace fernwood::train {
namespace {

constexpr std::int64_t kRoomy = 1 << 30;
constexpr std::int32_t kAnyArea = 1 << 30;

TEST(PlanResponses, FeaturesThatReadMapsAreLastAndInNoRun) {
  const std::vector<forest::RegionFeature> first = {{{}, {}, 0, 1}, {{}, {}, 3, 3}, forest::map_feature(7)};
  const std::vector<forest::RegionFeature> second = {{{}, {}, 2, forest::kNoChannel}, forest::map_feature(0)};
  const ResponsePlan plan = plan_responses({{first.data(), 3}, {second.data(), 2}}, 10);
  ASSERT_EQ(plan.features.size(), 5u);
  EXPECT_EQ(plan.first_map, 3u);
  EXPECT_EQ(forest::map_of(plan.features[3]), 7);
  EXPECT_EQ(forest::map_of(plan.features[4]), 0);
  EXPECT_EQ(plan.columns[4], 11u);
  for (const FeatureRun& run : plan.runs) EXPECT_LE(run.first + run.count, 3u);
  const ResponsePlan without = plan_responses({{first.data(), 2}}, 10);
  EXPECT_EQ(without.first_map, 2u);
}

TEST(Window, ReachesAsFarAsRegionsDo) {
  // At 2 m: offsets of up to 60 pixels, half extents of up to 5. Columns are extended to multiples of 4.
  const Window window = window_of({120, 10}, {300, 200, 0.5f}, 480, 640);
  EXPECT_EQ(window.left, 232);   // 300 - 65 = 235
  EXPECT_EQ(window.right, 368);  // past the end: 300 + 65 + 1 = 366
  EXPECT_EQ(window.top, 135);
  EXPECT_EQ(window.bottom, 267);
  EXPECT_EQ(window.size(), 136 * 132);
}

TEST(Window, EndsAtTheFrame) {
  const Window window = window_of({120, 10}, {3, 478, 1.0f}, 480, 641);
  EXPECT_EQ(window.left, 0);
  EXPECT_EQ(window.bottom, 481);  // rows of the integral image, one more than those of the frame
  EXPECT_EQ(window_of({120, 10}, {640, 3, 1.0f}, 480, 641).right, 644);
}

TEST(Window, HoldsTheCornersOfEveryRegionInTheFrame) {
  const TrainOptions options = defaults_of(forest::ForestKind::kForest);
  const Reach reach{options.max_offset, options.max_half_extent};
  forest::Noise noise(3);
  int inside = 0;
  for (const forest::RegionFeature& f :
       draw_features(options, TreeChannels{image::ChannelLayout({"lab"}), {}}, {0, 0})) {
    const float inv_depth = static_cast<float>(noise.between(10, 200)) / 100.0f;
    const forest::PixelSite site(noise.between(0, 99), noise.between(0, 79), noise.one_in(2) ? inv_depth : -inv_depth);
    const Window w = window_of(reach, site, 80, 100);
    const forest::RegionBox box = forest::region_box(f.a, site, 80, 100, 101);
    if (!box.inside) continue;
    ++inside;
    EXPECT_GE(box.corner % 101, w.left);
    EXPECT_LT(box.corner % 101 + box.width, w.right);
    EXPECT_GE(box.corner / 101, w.top);
    EXPECT_LT((box.corner + box.drop) / 101, w.bottom);
  }
  EXPECT_GT(inside, 100);
}

TEST(Window, AroundTwoHoldsBoth) {
  const Window both = around({0, 5, 8, 9}, {4, 1, 12, 7});
  EXPECT_EQ(both.left, 0);
  EXPECT_EQ(both.top, 1);
  EXPECT_EQ(both.right, 12);
  EXPECT_EQ(both.bottom, 9);
}

TEST(Window, IsOfAKindByItsSizeAndTheRegionsAreas) {
  const forest::PixelSite site(300, 200, 0.5f);  // the window has 136 x 132 pixels, regions have 11 x 11
  const auto kind = [](const forest::PixelSite& at, std::int64_t capacity, std::int32_t most_packed) {
    return window_kind({120, 10}, at, 480, 640, capacity, most_packed);
  };
  EXPECT_EQ(kind(site, 136 * 132, 121), WindowKind::kPacked);
  EXPECT_EQ(kind(site, 136 * 132 - 1, 121), WindowKind::kNone);
  // Regions too large to be packed, which need six bytes per pixel.
  EXPECT_EQ(kind(site, 136 * 132 * 3 / 2, 120), WindowKind::kCounted);
  EXPECT_EQ(kind(site, 136 * 132 * 3 / 2 - 1, 120), WindowKind::kNone);
  EXPECT_EQ(kind(forest::PixelSite(300, 200, 0.0f), kRoomy, kAnyArea), WindowKind::kNone);  // unknown depth
}

TEST(Window, CountsOfSixteenBitsTellTheCountOfAnyRegion) {
  // 200 x 200 known pixels of a plane in which counts exceed 2^16.
  constexpr std::int32_t kSide = 201;
  std::vector<std::uint16_t> counts(kSide * kSide);
  for (std::uint32_t y = 0; y < kSide; ++y)
    for (std::uint32_t x = 0; x < kSide; ++x)
      counts[y * kSide + x] = static_cast<std::uint16_t>((y + 1000) * (x + 1000));
  const forest::RegionBox all = {0, 200, 200 * kSide, 200 * 200, true};
  EXPECT_EQ(forest::region_sum(counts.data(), all), 200 * 200);
  const forest::RegionBox some = {3 * kSide + 50, 100, 7 * kSide, 700, true};
  EXPECT_EQ(forest::region_sum(counts.data(), some), 700);
}

TEST(Window, RegionsInAWindowHaveTheSameSums) {
  // The part of the frame's plane that the window covers.
  constexpr std::int32_t kRows = 40, kCols = 50, kStride = 51;
  std::vector<std::uint32_t> plane(41 * kStride), cut;
  forest::Noise noise(4);
  for (std::uint32_t& sum : plane) sum = static_cast<std::uint32_t>(noise.between(0, 1 << 30));
  const forest::PixelSite site(20, 15, 1.0f);
  const Window w = window_of({6, 3}, site, kRows, kCols);
  for (std::int32_t y = w.top; y < w.bottom; ++y)
    cut.insert(cut.end(), plane.begin() + y * kStride + w.left, plane.begin() + y * kStride + w.right);
  for (const forest::Region& r :
       {forest::Region{0, 0, 1, 1}, forest::Region{-6, 6, 3, 3}, forest::Region{6, -6, 3, 1}}) {
    const forest::RegionBox whole = forest::region_box(r, site, kRows, kCols, kStride);
    const forest::RegionBox part = forest::region_box(r, site, kRows, kCols, w.width(), w.top * w.width() + w.left);
    EXPECT_EQ(forest::region_sum(cut.data(), part), forest::region_sum(plane.data(), whole));
    EXPECT_EQ(part.area, whole.area);
  }
  // Outside the frame, the corner is the first element of the window.
  const forest::RegionBox none =
      forest::region_box(forest::Region{127, 0, 1, 1}, site, kRows, kCols, w.width(), w.top * w.width() + w.left);
  EXPECT_FALSE(none.inside);
  EXPECT_EQ(none.corner, 0);
}

TEST(PackedSum, CarriesSumAndCount) {
  EXPECT_EQ(pack_sum(5, 3, 0), 5u + 3u * 8388608);
  // Differences of wrapped sums: 511 pixels of 16000 mm, far along an integral image.
  const std::uint32_t before = pack_sum(4000000000u, 70000, 0), after = pack_sum(4000000000u + 511 * 16000, 70511, 0);
  EXPECT_EQ(packed_sum(after - before, 0), 511 * 16000);
  EXPECT_EQ(packed_count(after - before), 511);
}

TEST(PackedSum, CountsFromTheLeastValue) {
  const auto sum = static_cast<std::uint32_t>(-2048 * 3 + 100);  // three pixels of the least value, plus 100
  EXPECT_EQ(pack_sum(sum, 3, -2048), 100u + 3u * 8388608);
  EXPECT_EQ(packed_sum(pack_sum(sum, 3, -2048), -2048), -2048 * 3 + 100);
}

TEST(PackedSum, HasRoomForAsManyPixelsAsItSays) {
  EXPECT_EQ(most_packed_pixels(0), 511);
  EXPECT_EQ(most_packed_pixels(10000), 511);  // 511 * 10000 < 2^23
  EXPECT_EQ(most_packed_pixels(16416), 511);  // 511 * 16416 = 8388576 <= 8388607
  EXPECT_EQ(most_packed_pixels(16417), 510);
  EXPECT_EQ(most_packed_pixels(32767), 256);
}

forest::RegionFeature reading(std::uint8_t a, std::uint8_t b) { return {{0, 0, 1, 1}, {0, 0, 1, 1}, a, b}; }

std::vector<FeatureRun> runs_of(const std::vector<forest::RegionFeature>& features) {
  return plan_responses({view_of(features)}, features.size()).runs;
}

TEST(PlanRuns, OneChannelIsDoneAtOnce) {
  EXPECT_EQ(runs_of({reading(2, 2), reading(2, 2)}), (std::vector<FeatureRun>{{0, 2, 2, RunKind::kWhole}}));
  EXPECT_EQ(runs_of({reading(1, forest::kNoChannel)}), (std::vector<FeatureRun>{{0, 1, 1, RunKind::kMeanOfA}}));
}

TEST(PlanRuns, TwoChannelsAreMetTwiceTheLowerFirst) {
  EXPECT_EQ(runs_of({reading(0, 2)}),
            (std::vector<FeatureRun>{{0, 1, 0, RunKind::kMeanOfA}, {0, 1, 2, RunKind::kFinishWithB}}));
  EXPECT_EQ(runs_of({reading(2, 0)}),
            (std::vector<FeatureRun>{{0, 1, 0, RunKind::kMeanOfB}, {0, 1, 2, RunKind::kFinishWithA}}));
}

TEST(PlanRuns, AreNoLongerThanAWarpAndInOrderOfChannels) {
  std::vector<forest::RegionFeature> features(40, reading(1, 1));
  features.push_back(reading(0, 0));
  EXPECT_EQ(
      runs_of(features),
      (std::vector<FeatureRun>{{0, 1, 0, RunKind::kWhole}, {1, 32, 1, RunKind::kWhole}, {33, 8, 1, RunKind::kWhole}}));
}

TEST(PlanRuns, OfNoFeaturesAreNone) { EXPECT_TRUE(runs_of({}).empty()); }

TEST(PlanResponses, RunsGoOnFromLevelToLevel) {
  const std::vector<forest::RegionFeature> first = {reading(1, 1), reading(0, 2), reading(0, 2)},
                                           second = {reading(0, 2), reading(1, 1)};
  const ResponsePlan plan = plan_responses({view_of(first), view_of(second)}, 32);
  EXPECT_EQ(plan.columns, (std::vector<std::uint32_t>{1, 2, 32, 0, 33}));
  for (std::size_t i = 0; i < plan.columns.size(); ++i)
    EXPECT_EQ(plan.features[i], (plan.columns[i] < 32 ? first : second)[plan.columns[i] % 32]);
  EXPECT_EQ(plan.runs,
            (std::vector<FeatureRun>{
                {0, 3, 0, RunKind::kMeanOfA}, {3, 2, 1, RunKind::kWhole}, {0, 3, 2, RunKind::kFinishWithB}}));
}

}  // namespace
}  // namespace fernwood::train
