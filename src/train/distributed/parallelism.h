// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "fernwood/train/options.h"
#include "train/distributed/ranks.h"

namespace fernwood::train {

/// What a rank can do.
struct RankAbilities {
  bool holds_all_frames;   ///< Of the data set.
  bool gpus_link = false;  ///< Ranks are GPUs, between which counts may go; the same on all.
};

/// What ranks divide: as told, or by "auto" what costs least. Trees, which need no exchange, where there are enough of
/// them and they do not depend on one another; else candidates; frames where one rank cannot hold them all, and for
/// boosted trees on GPUs that are linked: these have few nodes to count for, while to bring the windows of all samples
/// takes longer than to look at candidates there.
/// @param wanted  As TrainResources::parallel. @return  The same on all ranks.
/// @throws Error(kUsage) for another name, and for trees that are boosted.
Parallelism choose_parallelism(const std::string& wanted, const TrainOptions& options, const RankAbilities& here,
                               Ranks& ranks);

}  // namespace fernwood::train
