// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/train/train.h"

#include <gtest/gtest.h>

#include "train/small_reports.h"

namespace fernwood::train {
namespace {

using testdata::cpu_report, testdata::gpu_report;

TEST(AddTrees, AddsUpTheSameLevelOfAllTrees) {
  const std::vector<LevelReport> levels = add_trees(cpu_report().levels);
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(levels[0].nodes, 2u);
  EXPECT_EQ(levels[0].seconds, 4.0);
  EXPECT_EQ(levels[0].stages.respond, 2.0);
  EXPECT_EQ(levels[1].level, 1);
  EXPECT_EQ(levels[1].seconds, 4.0);
}

TEST(WallSeconds, DividesTheTimeOfThreadsNotThatOfKernels) {
  EXPECT_EQ(wall_seconds(6, cpu_report()), 3.0);
  EXPECT_EQ(wall_seconds(6, gpu_report()), 6.0);
  EXPECT_EQ(wall_seconds(6, {}), 6.0) << "no thread is known";
}

// One in four candidates has a single region, so that a response reads 4 * 1.75 = 7 words on average: 7e12 words/s
// allow 1e12 responses/s.
TEST(GpuRoofline, LimitsFollowFromWordsAndCopies) {
  const GpuRoofline roofline = gpu_roofline(gpu_report(), 0.25, {7e12, 96e9});
  EXPECT_DOUBLE_EQ(roofline.responses_per_second, 1.5e9);  // 6e9 in 4 s
  EXPECT_DOUBLE_EQ(roofline.response_limit, 1e12);
  EXPECT_NEAR(roofline.random_limit, 1e12 / 3.5329, 1e7);
  EXPECT_DOUBLE_EQ(roofline.respond_bytes_per_second, 6e9);     // half of 48e9 bytes in 4 s
  EXPECT_DOUBLE_EQ(roofline.aggregate_bytes_per_second, 24e9);  // the other half in 1 s
  EXPECT_DOUBLE_EQ(roofline.copy_bytes_per_second, 96e9);
}

TEST(GpuRoofline, OfNothingIsZero) {
  const GpuRoofline roofline = gpu_roofline({}, 0.2, {1e12, 1e12});
  EXPECT_EQ(roofline.responses_per_second, 0);
  EXPECT_EQ(roofline.aggregate_bytes_per_second, 0);
}

}  // namespace
}  // namespace fernwood::train
