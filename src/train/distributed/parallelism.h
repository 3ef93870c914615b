// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <string>

#include "fernwood/train/options.h"
#include "fernwood/train/train.h"
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

/// Trains as one of the ranks of this process.
using TrainOneRank = std::function<forest::Forest(const TrainHooks& hooks, TrainReport* report, Communicator& ranks)>;

/// Number of ranks to start in this process: one for each GPU that the device option lists; 1 if none are to be
/// started. @throws Error as choose_device() for a list.
int ranks_to_start(const TrainResources& resources, const Communicator* ranks);

/// Trains with ranks that are threads of this process. Rank 0 reports progress, and its forest is returned.
forest::Forest train_by_ranks(int size, const TrainHooks& hooks, TrainReport* report, const TrainOneRank& train);

}  // namespace fernwood::train
