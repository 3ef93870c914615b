// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/response_plan.h"

#include <algorithm>

namespace fernwood::train {

namespace {

constexpr std::size_t kRunLength = 32;

void add_runs(std::size_t begin, std::size_t end, std::uint8_t channel, RunKind kind, std::vector<FeatureRun>& runs) {
  for (; begin < end; begin += kRunLength)
    runs.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint16_t>(std::min(kRunLength, end - begin)),
                    channel, kind});
}

}  // namespace

std::vector<FeatureRun> plan_runs(View1<const forest::RegionFeature> features) {
  std::vector<FeatureRun> runs;
  for (std::size_t begin = 0, end = 0; begin < features.size; begin = end) {
    const std::uint8_t a = features[begin].channel_a, b = features[begin].channel_b;
    while (end < features.size && features[end].channel_a == a && features[end].channel_b == b) ++end;
    if (b == forest::kNoChannel || a == b) {
      add_runs(begin, end, a, a == b ? RunKind::kWhole : RunKind::kMeanOfA, runs);
    } else {
      add_runs(begin, end, std::min(a, b), a < b ? RunKind::kMeanOfA : RunKind::kMeanOfB, runs);
      add_runs(begin, end, std::max(a, b), a < b ? RunKind::kFinishWithB : RunKind::kFinishWithA, runs);
    }
  }
  std::ranges::stable_sort(runs, {}, &FeatureRun::channel);
  return runs;
}

std::vector<FeatureRun> plan_runs(const std::vector<View1<const forest::RegionFeature>>& levels, std::size_t stride) {
  std::vector<FeatureRun> runs;
  for (std::size_t level = 0; level < levels.size(); ++level)
    for (FeatureRun run : plan_runs(levels[level])) {
      run.first += static_cast<std::uint32_t>(level * stride);
      runs.push_back(run);
    }
  std::ranges::stable_sort(runs, {}, &FeatureRun::channel);
  return runs;
}

}  // namespace fernwood::train
