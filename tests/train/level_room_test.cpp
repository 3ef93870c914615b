// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/level_room.h"

#include <gtest/gtest.h>

namespace fernwood::train {
namespace {

constexpr LevelNeeds kNeeds{.samples = 1000,
                            .columns = 512,
                            .counts = 200,
                            .padding = 64,
                            .levels = 8,
                            .can_start_levels = true,
                            .all_frames_there = true};
constexpr std::size_t kLeast = 200 * 512 + 64;

TEST(LevelRoom, HoldsAllLevelsAheadWhereThereIsPlenty) {
  const LevelRoom room = divide_room(kNeeds, 10'000'000);
  EXPECT_EQ(room.work, kLeast);
  EXPECT_EQ(room.ahead, 8u);
}

TEST(LevelRoom, HoldsAsManyLevelsAsFit) {
  EXPECT_EQ(divide_room(kNeeds, kLeast + 3 * 512'000).ahead, 3u);
  EXPECT_EQ(divide_room(kNeeds, kLeast + 3 * 512'000 - 1).ahead, 2u);
}

TEST(LevelRoom, LooksAtLevelsOneByOneWhereTwoDoNotFit) {
  const LevelRoom room = divide_room(kNeeds, kLeast + 2 * 512'000 - 1);
  EXPECT_EQ(room.ahead, 0u);
  EXPECT_EQ(room.work, 1200u * 512 + 64);
  EXPECT_EQ(divide_room(kNeeds, 100'000).work, 100'000u);  // chunk after chunk
}

TEST(LevelRoom, ManyCandidatesNeedNoOthersBesideThem) {
  LevelNeeds needs = kNeeds;
  needs.columns = 3000 / 32 * 32;
  EXPECT_EQ(divide_room(needs, 1'000'000'000).ahead, 2u);
  needs.columns = 8192;
  EXPECT_EQ(divide_room(needs, 1'000'000'000).ahead, 0u);
  needs.all_frames_there = false;  // unless frames are brought for them
  EXPECT_EQ(divide_room(needs, 1'000'000'000).ahead, 8u);
}

TEST(LevelRoom, CountsTakeAQuarterAtMost) {
  LevelNeeds needs = kNeeds;
  needs.counts = 1'000'000;
  const LevelRoom room = divide_room(needs, 8'000'000);
  EXPECT_EQ(room.work, 2'000'000u);
  EXPECT_EQ(room.ahead, 8u);
}

TEST(LevelRoom, NothingIsFoundAheadOfWhatNobodyKnowsYet) {
  LevelNeeds needs = kNeeds;
  needs.can_start_levels = false;
  EXPECT_EQ(divide_room(needs, 10'000'000).ahead, 0u);
  EXPECT_EQ(divide_room({}, 1000).work, 0u);  // a rank without samples
}

}  // namespace
}  // namespace fernwood::train
