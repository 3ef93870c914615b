// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/evaluate/confusion.h"
#include "fernwood/forest/forest.h"

namespace fernwood::evaluate {

/// What splits of the stage that labels gained in training, from the model alone. A split's gain is its information
/// gain (thesis eq. 3.2) times the share of the tree's samples that came to its node; shares are of the sum over all
/// splits of all trees.
struct GainImportance {
  struct Channel {
    std::string name;
    double share = 0;  ///< Half of each split for either of its channels, the whole where there is one.
  };
  struct Pair {
    std::string channel_a, channel_b;  ///< channel_b is empty for absolute features.
    std::uint64_t splits = 0;
    double share = 0;
  };
  std::vector<Channel> channels;  ///< In the order of the model's channels.
  std::vector<Pair> pairs;        ///< Those that gained most first.
};

GainImportance gain_importance(const forest::Forest& forest);

/// How well frames are labelled when one thing in each is that of another frame. What the forest does not need can be
/// exchanged without loss. Context channels, of forests with stages, are exchanged like others; where other channels
/// are, they stay those of the frame as it was, so that each exchange tells about the stage that labels. Importance is
/// shared: of two channels that tell the same, either may seem to matter little.
struct PermutationImportance {
  struct Exchange {
    std::string name;                   ///< Of a channel or a channel set, "context" or "scale".
    std::vector<std::string> channels;  ///< Whose planes come from another frame.
    bool scale = false;                 ///< The depth that offsets are divided by does, and no plane.
    forest::Accuracy accuracy;          ///< Without void.
    bool maps = false;                  ///< The feature maps come from another frame.
  };
  std::size_t num_frames = 0;
  forest::Accuracy intact;          ///< Nothing exchanged, without void.
  std::vector<Exchange> exchanged;  ///< The sets of several channels, the context, each channel, the scale.
};

/// Where commands begin to draw, unless told.
inline constexpr std::uint64_t kExchangeSeed = 4711;

/// Labels every frame on the CPU, once intact and once for each exchange. The frames stand in a circle in an order
/// drawn from `seed`, and each takes from the next.
/// @throws Error(kModel) when frames lack what the model reads, or for a forest without trees; Error(kData) for fewer
///         than two frames, frames of different sizes, or unreadable ones; what `progress` throws.
PermutationImportance permutation_importance(const forest::Forest& forest, const dataset::Dataset& dataset,
                                             std::uint64_t seed, ThreadPool& pool,
                                             const ProgressCallback& progress = {});

struct ImportanceReport {
  std::string model, dataset;  ///< For people: where either came from.
  PermutationImportance permutation;
  GainImportance gain;
};

}  // namespace fernwood::evaluate
