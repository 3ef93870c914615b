// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace fernwood::train {
namespace {

TrainOptions small_options() {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  options.features = 4000;
  options.max_offset = 5;
  options.max_half_extent = 3;
  options.unary_feature_fraction = 0;
  return options;
}

bool is_unary(const forest::RegionFeature& f) { return f.channel_b == forest::kNoChannel; }

std::size_t num_shared(const std::vector<forest::RegionFeature>& a, const std::vector<forest::RegionFeature>& b) {
  return static_cast<std::size_t>(std::count_if(
      a.begin(), a.end(), [&](const forest::RegionFeature& f) { return std::ranges::find(b, f) != b.end(); }));
}

TEST(DrawFeatures, TakesFeatureMapsAlikeOftenWhereThereAre) {
  TrainOptions options = small_options();
  options.features = 2000;
  const TreeChannels channels{image::ChannelLayout({"lab", "depth"}), {}, 300};
  std::vector<int> drawn(300, 0);
  int maps = 0;
  for (const forest::RegionFeature& f : draw_features(options, channels, {0, 0}))
    if (forest::reads_map(f)) ++maps, ++drawn[static_cast<std::size_t>(forest::map_of(f))];
  // Maps have three of nine shares, like colour and depth.
  EXPECT_NEAR(maps, 2000 / 3, 80);
  EXPECT_GT(std::ranges::count_if(drawn, [](int count) { return count > 0; }), 230);
  const auto features = draw_features(options, channels, {0, 0});
  EXPECT_TRUE(std::ranges::is_partitioned(features, [](const auto& f) { return !forest::reads_map(f); }))
      << "the response kernel of GPUs takes them in one piece, the last";
}

TEST(DrawFeatures, FillTheRangesOfOffsetsAndExtents) {
  std::set<int> offsets, extents;
  for (const forest::RegionFeature& f :
       draw_features(small_options(), TreeChannels{image::ChannelLayout({"lab"}), {}}, {0, 0}))
    for (const forest::Region& r : {f.a, f.b}) {
      offsets.insert({r.dx, r.dy});
      extents.insert({r.half_w, r.half_h});
    }
  EXPECT_EQ(offsets, (std::set<int>{-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(extents, (std::set<int>{1, 2, 3}));
}

TEST(DrawFeatures, ReachTheLargestRangesWithoutOverflow) {
  TrainOptions options = small_options();
  options.features = 20000;
  options.max_offset = options.max_half_extent = 127;
  int least = 0, most = 0, smallest = 127, largest = 0;
  for (const forest::RegionFeature& f :
       draw_features(options, TreeChannels{image::ChannelLayout({"depth"}), {}}, {0, 0}))
    for (const forest::Region& r : {f.a, f.b}) {
      least = std::min({least, +r.dx, +r.dy});
      most = std::max({most, +r.dx, +r.dy});
      smallest = std::min({smallest, +r.half_w, +r.half_h});
      largest = std::max({largest, +r.half_w, +r.half_h});
    }
  EXPECT_EQ(least, -127);
  EXPECT_EQ(most, 127);
  EXPECT_EQ(smallest, 1);
  EXPECT_EQ(largest, 127);
}

TEST(DrawFeatures, CompareChannelsOfOneGroupAndAskBothGroupsEquallyOften) {
  const image::ChannelLayout channels({"lab", "depth"});
  std::set<std::pair<int, int>> pairs;
  int depth = 0;
  for (const forest::RegionFeature& f : draw_features(small_options(), TreeChannels{channels, {}}, {0, 0})) {
    EXPECT_EQ(channels.group(f.channel_a), channels.group(f.channel_b));
    pairs.insert({f.channel_a, f.channel_b});
    depth += f.channel_a == channels.depth_channel();
  }
  EXPECT_EQ(pairs.size(), 9u + 1u);  // all pairs of L, a and b, and depth with itself
  EXPECT_NEAR(depth, 2000, 130);     // 4 standard deviations of 32
}

TEST(DrawFeatures, UseTheOneGroupThereIs) {
  for (const image::ChannelSet& set : image::channel_sets()) {
    const image::ChannelLayout channels({std::string(set.name)});
    const auto features = draw_features(small_options(), TreeChannels{channels, {}}, {0, 0});
    EXPECT_EQ(features.size(), 4000u) << set.name;
    for (const forest::RegionFeature& f : features)
      EXPECT_LT(std::max(f.channel_a, f.channel_b), channels.num_channels()) << set.name;
  }
}

TEST(DrawFeatures, EachGroupHasItsShareAmongThoseOfTheModel) {
  std::vector<std::string> sets;
  for (const image::ChannelSet& set : image::channel_sets()) sets.emplace_back(set.name);
  const image::ChannelLayout channels(sets, {"floor", "wall"});
  TrainOptions options = small_options();
  options.features = 14000;
  std::map<std::string_view, int> drawn;
  for (const forest::RegionFeature& f : draw_features(options, TreeChannels{channels, {}}, {0, 0}))
    ++drawn[channels.group(f.channel_a).name];
  int shares = 0;
  for (const image::ChannelGroup& group : image::channel_groups()) shares += group.share;
  for (const image::ChannelGroup& group : image::channel_groups()) {
    const double wanted = 14000.0 * group.share / shares;
    EXPECT_NEAR(drawn[group.name], wanted, 4 * std::sqrt(wanted)) << group.name;
  }
}

TEST(DrawFeatures, UnaryOnesHaveTheirShare) {
  TrainOptions options = small_options();
  const auto num_absolute = [&](float share) {
    options.unary_feature_fraction = share;
    return std::ranges::count_if(
        draw_features(options, TreeChannels{image::ChannelLayout({"lab", "depth"}), {}}, {0, 0}), is_unary);
  };
  EXPECT_EQ(num_absolute(0), 0);
  EXPECT_NEAR(static_cast<double>(num_absolute(0.25f)), 1000, 110);  // 4 standard deviations of 27
  EXPECT_EQ(num_absolute(1), 4000);
}

TEST(DrawFeatures, AreAFunctionOfSeedTreeAndLevel) {
  TrainOptions options = small_options();
  options.features = 300;
  options.max_offset = 100;
  const image::ChannelLayout channels({"lab", "depth"});
  const auto features = draw_features(options, TreeChannels{channels, {}}, {1, 2});
  EXPECT_EQ(features.size(), 300u);
  EXPECT_EQ(features, draw_features(options, TreeChannels{channels, {}}, {1, 2}));
  EXPECT_LT(num_shared(features, draw_features(options, TreeChannels{channels, {}}, {2, 2})), 3u);
  EXPECT_LT(num_shared(features, draw_features(options, TreeChannels{channels, {}}, {1, 3})), 3u);
  options.seed = 1;
  EXPECT_LT(num_shared(features, draw_features(options, TreeChannels{channels, {}}, {1, 2})), 3u);
}

TEST(DrawFeatures, MoreOfThemHoldTheFewerOnes) {
  TrainOptions options = small_options();
  options.features = 100;
  const image::ChannelLayout channels({"lab", "depth"});
  const auto few = draw_features(options, TreeChannels{channels, {}}, {0, 0});
  options.features = 200;
  EXPECT_EQ(num_shared(few, draw_features(options, TreeChannels{channels, {}}, {0, 0})), 100u);
}

std::vector<float> thresholds_of(const TrainOptions& options, std::uint32_t feature = 0, LevelId id = {0, 0}) {
  std::vector<float> thresholds(static_cast<std::size_t>(options.thresholds), -1e30f);
  draw_thresholds(options, id, feature, view_of(thresholds));
  return thresholds;
}

TEST(DrawThresholds, DifferFromCandidateToCandidate) {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  options.thresholds = 20;
  const auto first = thresholds_of(options, 5, {2, 3});
  EXPECT_EQ(first, thresholds_of(options, 5, {2, 3}));
  EXPECT_NE(first, thresholds_of(options, 6, {2, 3}));
  EXPECT_NE(first, thresholds_of(options, 5, {1, 3}));
  EXPECT_NE(first, thresholds_of(options, 5, {2, 4}));
  options.seed = 1;
  EXPECT_NE(first, thresholds_of(options, 5, {2, 3}));
}

class GridOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Numbers, GridOf, testing::Values(1, 2, 3, 20, 51, 255));

TEST_P(GridOf, HasAsManyAboveZeroAsBelowInAscendingOrder) {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  options.thresholds = GetParam();
  for (std::uint32_t feature = 0; feature < 100; ++feature) {
    const auto grid = thresholds_of(options, feature);
    EXPECT_TRUE(std::is_sorted(grid.begin(), grid.end()));
    EXPECT_EQ(std::ranges::count_if(grid, [](float t) { return t > 0; }), GetParam() / 2);
    EXPECT_EQ(std::ranges::count_if(grid, [](float t) { return t < 0; }), GetParam() / 2);
    EXPECT_EQ(std::ranges::count(grid, 0.0f), GetParam() % 2);
    for (const float t : grid) {
      EXPECT_LE(std::abs(t), 32768.0f);  // the range of a channel
      EXPECT_TRUE(t == 0 || std::abs(t) >= 1.0f);
    }
  }
}

TEST(Grid, StepsHaveNearlyTheSameRatio) {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  options.thresholds = 40;
  const auto grid = thresholds_of(options);  // thresholds [20 … 39] are above 0
  const float mean_ratio = std::pow(grid[39] / grid[20], 1.0f / 19);
  for (std::size_t i = 21; i < 40; ++i) {
    EXPECT_GT(grid[i] / grid[i - 1], 1.0f + 0.6f * (mean_ratio - 1));
    EXPECT_LT(grid[i] / grid[i - 1], 1.0f + 1.6f * (mean_ratio - 1));
  }
}

}  // namespace
}  // namespace fernwood::train
