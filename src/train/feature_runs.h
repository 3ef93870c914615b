// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// In which order the GPU's response kernel works on features: channel after channel. Host only.

#include <cstdint>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/forest/region_feature.h"

namespace fernwood::train {

/// What is done for a run of features while the window of one channel is at hand. A feature that reads two channels is
/// met twice: the first time leaves a mean in the place of the response, the second turns it into the response.
enum class RunKind : std::uint8_t {
  kWhole,        ///< Both regions.
  kMeanOfA,      ///< Region a, to be kept; all of an absolute feature.
  kMeanOfB,      ///< Region b, to be kept.
  kFinishWithA,  ///< Region a; the mean of b was kept.
  kFinishWithB   ///< Region b; the mean of a was kept.
};

/// Up to 32 neighbouring features: one for each lane of a warp.
struct FeatureRun {
  std::uint32_t first;
  std::uint16_t count;
  std::uint8_t channel;  ///< At hand.
  RunKind kind;
  bool operator==(const FeatureRun&) const = default;
};

/// Runs in ascending order of their channels; every feature is in one kWhole, or in a mean and, unless it is absolute,
/// a later finish.
/// @param features  Those of equal channels in one piece.
std::vector<FeatureRun> plan_runs(View1<const forest::RegionFeature> features);

}  // namespace fernwood::train
