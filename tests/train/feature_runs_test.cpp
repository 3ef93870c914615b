// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/feature_runs.h"

#include <gtest/gtest.h>

namespace fernwood::train {
namespace {

forest::RegionFeature reading(std::uint8_t a, std::uint8_t b) { return {{0, 0, 1, 1}, {0, 0, 1, 1}, a, b}; }

std::vector<FeatureRun> runs_of(const std::vector<forest::RegionFeature>& features) {
  return plan_runs(view_of(features));
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
      (std::vector<FeatureRun>{{40, 1, 0, RunKind::kWhole}, {0, 32, 1, RunKind::kWhole}, {32, 8, 1, RunKind::kWhole}}));
}

TEST(PlanRuns, OfNoFeaturesAreNone) { EXPECT_TRUE(runs_of({}).empty()); }

}  // namespace
}  // namespace fernwood::train
