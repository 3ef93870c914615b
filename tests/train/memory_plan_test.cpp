// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/data/memory_plan.h"

#include <gtest/gtest.h>

namespace fernwood::train {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20, kGiB = std::size_t{1} << 30;
constexpr std::size_t kNumber = sizeof(std::uint32_t);

TEST(MemoryPlan, PartsOfTheProcessorsMemoryAreWithinIt) {
  for (const std::size_t budget : {std::size_t{1}, kMiB, 7 * kGiB}) {
    const MemoryPlan plan{budget, Device{}};
    EXPECT_LE(plan.frames_bytes() + plan.waiting_frames_bytes(), budget);
    const LevelBudget none_fit = plan.levels(0, false, 100 * kGiB, 1);
    EXPECT_FALSE(none_fit.all_frames_held);
    EXPECT_LE(none_fit.bytes + plan.waiting_frames_bytes(), budget);
    EXPECT_EQ(none_fit.counts_bytes, 0u);
    EXPECT_LE(plan.levels(0, false, 0, 2).counts_bytes, budget / 8);
  }
}

TEST(MemoryPlan, BinsBesideFramesThatFitStaySmall) {
  const MemoryPlan plan{8 * kGiB, Device{}};
  EXPECT_TRUE(plan.levels(kGiB, true, kGiB, 1).all_frames_held);
  EXPECT_EQ(plan.levels(kMiB, true, kMiB, 1).bytes, 16 * kMiB);
  EXPECT_EQ(plan.levels(kGiB, true, kGiB, 1).bytes, 64 * kMiB);
  EXPECT_EQ(plan.levels(100 * kGiB, true, 100 * kGiB, 1).bytes, 256 * kMiB);
}

TEST(MemoryPlan, AllOfTheMachinesMemoryIsForTheFramesOfAGpu) {
  EXPECT_EQ((MemoryPlan{kGiB, Device{0}}.frames_bytes()), kGiB);
  EXPECT_EQ(MemoryPlan::gpu_levels(10 * kGiB, true).bytes, 8 * kGiB);
  EXPECT_EQ(MemoryPlan::gpu_levels(100 * kGiB, true).bytes, 32 * kGiB);
  EXPECT_EQ(MemoryPlan::gpu_levels(100 * kGiB, false).bytes, 80 * kGiB);
}

TEST(MemoryPlan, TakesWhatResourcesSayOrAShareOfWhatIsFree) {
  TrainResources resources;
  const auto frames_bytes = [&](int count) {
    return MemoryPlan::of_machine(resources, {.rank = 0, .count = count, .count_on_cores = 1}, Device{0})
        .frames_bytes();
  };
  const std::size_t alone = frames_bytes(1);
  EXPECT_GT(alone, 0u);
  EXPECT_LT(frames_bytes(4), alone / 2);
  resources.memory_budget_bytes = 12345;
  EXPECT_EQ(frames_bytes(4), 12345u);
}

// A tree of up to eight levels, each of which needs 10 bytes for bins.
constexpr LevelNeeds kTenBytes{.samples = 10, .candidates = 1, .levels = 8};

std::size_t bins_bytes(const LevelNeeds& needs, std::size_t all_frames_bytes, std::size_t bytes) {
  return divide_with_frames(needs, {.bytes = bytes, .all_frames_held = false, .all_frames_bytes = all_frames_bytes});
}

TEST(LevelMemory, LevelsAreFoundTogetherAsFarAsBinsGo) {
  EXPECT_EQ(fit_levels(kTenBytes, 9), 0u);
  EXPECT_EQ(fit_levels(kTenBytes, 39), 3u);
  EXPECT_EQ(fit_levels(kTenBytes, 500), 8u);
  EXPECT_EQ(fit_levels({.levels = 8}, 500), 8u);  // a rank without samples
}

TEST(LevelMemory, BinsOfAllLevelsComeBeforeAFewFrames) {
  // 80 bytes of bins save seven visits to nearly all frames.
  EXPECT_EQ(bins_bytes(kTenBytes, 10000, 120), 80u);
}

TEST(LevelMemory, FramesThatNearlyFitComeBeforeBins) {
  // All frames fit beside the bins of one level.
  EXPECT_EQ(bins_bytes(kTenBytes, 110, 120), 10u);
}

TEST(LevelMemory, ChunksShouldBeFewWhereALevelDoesNotFit) {
  LevelNeeds needs = kTenBytes;
  needs.candidates = 1000;
  EXPECT_EQ(bins_bytes(needs, 1000000, 1200), 1100u);
}

constexpr LevelNeeds kOnGpu{.samples = 1000, .candidates = 512, .levels = 8, .counts = 200, .padding = 64};
constexpr std::size_t kLeast = 200 * 512 + 64;

LevelMemory divide(const LevelNeeds& needs, std::size_t numbers, bool all_frames_held = true) {
  return divide_gpu_memory(needs, {.bytes = numbers * kNumber, .all_frames_held = all_frames_held});
}

TEST(GpuLevelMemory, HoldsAllLevelsAheadWhereThereIsPlenty) {
  const LevelMemory memory = divide(kOnGpu, 10'000'000);
  EXPECT_EQ(memory.bytes, kLeast * kNumber);
  EXPECT_EQ(memory.levels_ahead, 8u);
}

TEST(GpuLevelMemory, HoldsAsManyLevelsAsFit) {
  EXPECT_EQ(divide(kOnGpu, kLeast + 3 * 512'000).levels_ahead, 3u);
  EXPECT_EQ(divide(kOnGpu, kLeast + 3 * 512'000 - 1).levels_ahead, 2u);
}

TEST(GpuLevelMemory, LevelsComeOneByOneWhereTwoDoNotFit) {
  const LevelMemory memory = divide(kOnGpu, kLeast + 2 * 512'000 - 1);
  EXPECT_EQ(memory.levels_ahead, 0u);
  EXPECT_EQ(memory.bytes, (1200u * 512 + 64) * kNumber);
  EXPECT_EQ(divide(kOnGpu, 100'000).bytes, 100'000u * kNumber);  // too little for all candidates, which come in chunks
}

TEST(GpuLevelMemory, ManyCandidatesNeedNoOthersBesideThem) {
  LevelNeeds needs = kOnGpu;
  needs.candidates = 3000;
  EXPECT_EQ(divide(needs, 1'000'000'000).levels_ahead, 2u);
  needs.candidates = 8192;
  EXPECT_EQ(divide(needs, 1'000'000'000).levels_ahead, 0u);
  EXPECT_EQ(divide(needs, 1'000'000'000, false).levels_ahead, 8u);  // unless this saves reading frames again
}

TEST(GpuLevelMemory, CountsTakeAQuarterAtMost) {
  LevelNeeds needs = kOnGpu;
  needs.counts = 1'000'000;
  const LevelMemory memory = divide(needs, 8'000'000);
  EXPECT_EQ(memory.bytes, 2'000'000u * kNumber);
  EXPECT_EQ(memory.levels_ahead, 8u);
}

TEST(GpuLevelMemory, ARankWithoutSamplesNeedsNone) { EXPECT_EQ(divide({}, 1000).bytes, 0u); }

}  // namespace
}  // namespace fernwood::train
