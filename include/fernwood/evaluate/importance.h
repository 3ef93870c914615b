// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/core/confusion.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/forest.h"

namespace fernwood::evaluate {

/// Permutation importance: accuracy when one input of each frame is replaced by that of another frame. Inputs that the
/// forest does not need can be exchanged without loss. Context channels, in forests with stages, are exchanged like
/// others; when other channels are exchanged, context channels remain those of the intact frame, so that each exchange
/// measures only the last stage. Importance is shared: of two channels with the same information, either may seem
/// unimportant.
struct PermutationImportance {
  struct Exchange {
    std::string name;                   ///< Name of a channel or a channel set, "context" or "scale".
    std::vector<std::string> channels;  ///< Channels whose planes come from another frame.
    bool scale = false;                 ///< Only the depth that divides offsets comes from another frame.
    Accuracy accuracy;                  ///< Without void.
    bool maps = false;                  ///< The feature maps come from another frame.
  };
  std::size_t num_frames = 0;
  Accuracy intact;                  ///< Without exchange, and without void.
  std::vector<Exchange> exchanged;  ///< The sets of several channels, the context, each channel, the scale.
};

/// Default seed of the commands that compute permutation importance.
inline constexpr std::uint64_t kExchangeSeed = 4711;

/// Labels every frame on the CPU, once intact and once for each exchange. The frames are arranged in a circle in an
/// order drawn from `seed`, and each frame receives the inputs of the next.
/// @throws Error(kModel) when frames lack images that the model reads, or for a forest without trees; Error(kData) for
///         fewer than two frames, frames of different sizes, or unreadable ones; any exception of `progress`.
PermutationImportance permutation_importance(const forest::Forest& forest, const dataset::Dataset& dataset,
                                             std::uint64_t seed, ThreadPool& pool,
                                             const ProgressCallback& progress = {});

struct ImportanceReport {
  std::string model, dataset;  ///< Origins, for display.
  PermutationImportance permutation;
};

}  // namespace fernwood::evaluate
