// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow/level_bins.h"

#include <gtest/gtest.h>

namespace fernwood::train {
namespace {

TEST(LevelBins, KeepTheSamplesThatGoOn) {
  ThreadPool pool(2);
  LevelBins bins;
  bins.reset(5, 2, 4);  // candidates 5 and 6
  for (std::uint8_t s = 0; s < 4; ++s) bins.row(5)[s] = s, bins.row(6)[s] = static_cast<std::uint8_t>(10 + s);
  bins.keep({0, 2, 3}, pool);
  bins.keep({1, 2}, pool);
  EXPECT_EQ(bins.row(5)[0], 2);
  EXPECT_EQ(bins.row(5)[1], 3);
  EXPECT_EQ(bins.row(6)[0], 12);
  EXPECT_EQ(bins.row(6)[1], 13);
}

TEST(LevelMemory, LevelsAreFoundTogetherAsFarAsBinsGo) {
  const LevelMemory needs{.frame_bytes = 1000, .level_bytes = 10, .num_levels = 8, .ahead = true};
  EXPECT_EQ(levels_that_fit(needs, 9), 0u);
  EXPECT_EQ(levels_that_fit(needs, 39), 3u);
  EXPECT_EQ(levels_that_fit(needs, 500), 8u);
}

TEST(LevelMemory, BinsOfAllLevelsComeBeforeAFewFrames) {
  // 80 bytes of bins spare seven visits of nearly all frames.
  EXPECT_EQ(share_for_bins({.frame_bytes = 10000, .level_bytes = 10, .num_levels = 8, .ahead = true}, 120), 80u);
}

TEST(LevelMemory, FramesThatNearlyFitComeBeforeBins) {
  // All frames fit beside the bins of a level.
  EXPECT_EQ(share_for_bins({.frame_bytes = 110, .level_bytes = 10, .num_levels = 8, .ahead = true}, 120), 10u);
}

TEST(LevelMemory, ChunksShouldBeFewWhereALevelDoesNotFit) {
  EXPECT_EQ(share_for_bins({.frame_bytes = 1000000, .level_bytes = 10000, .num_levels = 8, .ahead = true}, 1200),
            1100u);
}

}  // namespace
}  // namespace fernwood::train
