// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "tune/forest_problem.h"

#include <algorithm>
#include <map>

#include "core/draw.h"
#include "fernwood/core/error.h"

namespace fernwood::tune {

namespace {

constexpr std::size_t kMinFolds = 3;
constexpr std::size_t kRunsOfAFold = 2;  // few runs: frames at the ends of neighbours may show the same scene

/// Groups in the order of their first frames, [group][frame].
std::vector<std::vector<std::uint32_t>> frames_of_groups(std::size_t num_frames,
                                                         const std::vector<std::uint32_t>& groups,
                                                         std::size_t num_runs) {
  std::vector<std::vector<std::uint32_t>> frames;
  std::map<std::uint32_t, std::size_t> place;
  for (std::uint32_t frame = 0; frame < num_frames; ++frame) {
    const auto group = groups.empty() ? static_cast<std::uint32_t>(frame * num_runs / num_frames) : groups[frame];
    const auto [found, is_new] = place.emplace(group, frames.size());
    if (is_new) frames.emplace_back();
    frames[found->second].push_back(frame);
  }
  return frames;
}

}  // namespace

std::vector<std::uint32_t> ForestFolds::race_frames(int but) const {
  std::vector<std::uint32_t> frames;
  for (std::size_t b = 0; b < folds.size(); ++b)
    if (static_cast<int>(b) != but) frames.insert(frames.end(), folds[b].begin(), folds[b].end());
  std::ranges::sort(frames);
  return frames;
}

ForestFolds cut_folds(std::size_t num_frames, const std::vector<std::uint32_t>& groups, std::size_t num_folds,
                      double held_out, std::uint64_t seed, const std::string& folder) {
  const std::size_t num_runs = std::min(num_frames, (num_folds + 2) * kRunsOfAFold);
  std::vector<std::vector<std::uint32_t>> group_frames = frames_of_groups(num_frames, groups, num_runs);
  const std::size_t holding = held_out > 0 ? 1 : 0;
  FW_CHECK(
      group_frames.size() >= kMinFolds + holding, Data,
      folder << ": the " << num_frames << " frames are of " << group_frames.size() << " group"
             << (group_frames.size() == 1 ? "" : "s") << "; a search needs " << kMinFolds + holding
             << " or more, so that forests can be evaluated by rooms that they have not seen: give more frames, or "
                "finer groups in groups.txt");
  num_folds = std::min(num_folds, group_frames.size() - holding);
  std::vector<std::size_t> order(group_frames.size());
  for (std::size_t g = 0; g < order.size(); ++g) order[g] = g;
  const auto key = [&](std::size_t g) {
    return std::pair(draw(seed, RngStream::kFrames, (1u << 24) - 2, 1, static_cast<std::uint32_t>(g)).word[0], g);
  };
  std::ranges::sort(order, {}, key);
  ForestFolds cut;
  cut.folds.resize(num_folds);
  const auto wanted = static_cast<std::size_t>(held_out * static_cast<double>(num_frames));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::vector<std::uint32_t>& frames = group_frames[order[i]];
    const bool folds_need_all = order.size() - i <= num_folds;
    const bool held = (cut.held_out.empty() && holding > 0) || (cut.held_out.size() < wanted && !folds_need_all);
    std::vector<std::uint32_t>& to =
        held ? cut.held_out : *std::ranges::min_element(cut.folds, {}, &std::vector<std::uint32_t>::size);
    to.insert(to.end(), frames.begin(), frames.end());
  }
  std::ranges::sort(cut.held_out);
  for (std::vector<std::uint32_t>& fold : cut.folds) std::ranges::sort(fold);
  return cut;
}

}  // namespace fernwood::tune
