// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "tune/forest_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "dataset/test_files.h"
#include "sentences.h"

namespace fernwood::tune {
namespace {

std::vector<std::uint32_t> all_of(const ForestFolds& cut) {
  std::vector<std::uint32_t> frames = cut.race_frames();
  frames.insert(frames.end(), cut.held_out.begin(), cut.held_out.end());
  std::ranges::sort(frames);
  return frames;
}

std::vector<std::uint32_t> counting(std::size_t size) {
  std::vector<std::uint32_t> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

TEST(ForestFolds, EveryFrameIsInOnePlace) {
  for (const std::size_t frames : {5u, 60u, 430u}) {
    const ForestFolds cut = cut_folds(frames, {}, 8, 0.2, 1, "rooms");
    EXPECT_EQ(all_of(cut), counting(frames));
    for (const std::vector<std::uint32_t>& fold : cut.folds) EXPECT_FALSE(fold.empty());
    EXPECT_FALSE(cut.held_out.empty());
  }
}

TEST(ForestFolds, AreOfNearlyOneSizeAndHoldOutWhatIsAskedFor) {
  const ForestFolds cut = cut_folds(430, {}, 8, 0.2, 4711, "rooms");
  ASSERT_EQ(cut.folds.size(), 8u);
  EXPECT_NEAR(static_cast<double>(cut.held_out.size()), 86, 10);
  for (const std::vector<std::uint32_t>& fold : cut.folds) EXPECT_NEAR(static_cast<double>(fold.size()), 344.0 / 8, 10);
}

TEST(ForestFolds, NoGroupIsParted) {
  std::vector<std::uint32_t> groups;
  for (std::uint32_t frame = 0; frame < 100; ++frame) groups.push_back(frame * 7 % 13);
  const ForestFolds cut = cut_folds(100, groups, 4, 0.2, 3, "rooms");
  std::vector<std::vector<std::uint32_t>> places = cut.folds;
  places.push_back(cut.held_out);
  std::vector<std::set<std::uint32_t>> groups_of;
  for (const std::vector<std::uint32_t>& place : places) {
    groups_of.emplace_back();
    for (const std::uint32_t frame : place) groups_of.back().insert(groups[frame]);
  }
  std::size_t total = 0;
  for (const std::set<std::uint32_t>& there : groups_of) total += there.size();
  EXPECT_EQ(total, 13u);
}

TEST(ForestFolds, WithoutABlockItsFramesAreMissing) {
  const ForestFolds cut{{5}, {{0, 3}, {1}, {2, 4}}};
  EXPECT_THAT(cut.race_frames(), testing::ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(cut.race_frames(2), testing::ElementsAre(0, 1, 3));
}

TEST(ForestFolds, FewGroupsGiveFewFolds) {
  EXPECT_EQ(
      cut_folds(20, {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3}, 8, 0.2, 1, "rooms").folds.size(), 3u);
  testdata::expect_refused(ErrorKind::kData,
                           [] { cut_folds(20, std::vector<std::uint32_t>(20, 7), 8, 0.2, 1, "rooms"); });
}

TEST(ForestFolds, AnotherSeedGivesOtherFolds) {
  EXPECT_NE(cut_folds(60, {}, 4, 0.2, 1, "").held_out, cut_folds(60, {}, 4, 0.2, 2, "").held_out);
  EXPECT_EQ(cut_folds(60, {}, 4, 0.2, 1, "").held_out, cut_folds(60, {}, 4, 0.2, 1, "").held_out);
}

}  // namespace
}  // namespace fernwood::tune
