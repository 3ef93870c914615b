// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "fernwood/train/options.h"
#include "train/distributed/ranks.h"

namespace fernwood::train {

/// Properties of a rank that affect the choice of parallelism.
struct RankAbilities {
  bool holds_all_frames;   ///< Whether it can hold all frames of the data set.
  bool gpus_link = false;  ///< Ranks are GPUs that can exchange counts directly; the same on all ranks.
};

/// Chooses what ranks divide: `wanted`, or for "auto" the kind with the lowest cost. Trees, which need no exchange, if
/// there are enough of them and they do not depend on one another; otherwise candidates; frames if one rank cannot hold
/// all of them, and for boosted trees on linked GPUs: their counts have few nodes, and loading the windows of all
/// samples takes longer than evaluating candidates in them.
/// @param wanted  As TrainResources::parallel. @return  The same on all ranks.
/// @throws Error(kUsage) for an unknown name, and for "trees" with boosted trees on several ranks.
Parallelism choose_parallelism(const std::string& wanted, const TrainOptions& options, const RankAbilities& here,
                               Ranks& ranks);

}  // namespace fernwood::train
