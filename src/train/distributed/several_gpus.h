// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>

#include "fernwood/train/train.h"

namespace fernwood::train {

/// Trains as one of the ranks of this process.
using TrainOneRank = std::function<forest::Forest(const TrainHooks& hooks, TrainReport* report, Communicator& ranks)>;

/// Number of ranks to start in this process: one for each GPU that the device option lists; 1 if none are to be
/// started. @throws Error as choose_device() for a list.
int ranks_to_start(const TrainResources& resources, const Communicator* ranks);

/// Trains with ranks that are threads of this process. Rank 0 reports progress, and its forest is returned.
forest::Forest train_by_ranks(int size, const TrainHooks& hooks, TrainReport* report, const TrainOneRank& train);

}  // namespace fernwood::train
