// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow/response_plan.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fernwood::train {

namespace {

constexpr std::size_t kRunLength = 32;

void add_runs(std::size_t begin, std::size_t end, std::uint8_t channel, RunKind kind, std::vector<FeatureRun>& runs) {
  for (; begin < end; begin += kRunLength)
    runs.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint16_t>(std::min(kRunLength, end - begin)),
                    channel, kind});
}

/// Features of one level, [begin, end), that read the same channels.
struct Piece {
  std::size_t level, begin, end;
};

/// Groups the features by channels.
std::map<std::pair<std::uint8_t, std::uint8_t>, std::vector<Piece>> find_pieces(
    const std::vector<View1<const forest::RegionFeature>>& levels) {
  std::map<std::pair<std::uint8_t, std::uint8_t>, std::vector<Piece>> pieces;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const View1<const forest::RegionFeature> features = levels[level];
    for (std::size_t begin = 0, end = 0; begin < features.size; begin = end) {
      const std::pair channels(features[begin].channel_a, features[begin].channel_b);
      while (end < features.size && std::pair(features[end].channel_a, features[end].channel_b) == channels) ++end;
      pieces[channels].push_back({level, begin, end});
    }
  }
  return pieces;
}

}  // namespace

ResponsePlan plan_responses(const std::vector<View1<const forest::RegionFeature>>& levels, std::size_t stride) {
  ResponsePlan plan;
  for (const auto& [channels, pieces] : find_pieces(levels)) {
    const std::size_t begin = plan.features.size();
    for (const auto& [level, first, last] : pieces)
      for (std::size_t f = first; f < last; ++f) {
        plan.features.push_back(levels[level][f]);
        plan.columns.push_back(static_cast<std::uint32_t>(level * stride + f));
      }
    const std::size_t end = plan.features.size();
    const auto [a, b] = channels;
    if (a == image::kMapChannel) {
      plan.first_map = begin;  // map features come last: no channel has a higher number
      continue;
    }
    plan.first_map = end;
    if (b == forest::kNoChannel || a == b) {
      add_runs(begin, end, a, a == b ? RunKind::kWhole : RunKind::kMeanOfA, plan.runs);
    } else {
      add_runs(begin, end, std::min(a, b), a < b ? RunKind::kMeanOfA : RunKind::kMeanOfB, plan.runs);
      add_runs(begin, end, std::max(a, b), a < b ? RunKind::kFinishWithB : RunKind::kFinishWithA, plan.runs);
    }
  }
  std::ranges::stable_sort(plan.runs, {}, &FeatureRun::channel);
  return plan;
}

}  // namespace fernwood::train
