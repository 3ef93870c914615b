// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>

#include "fernwood/train/train.h"

namespace fernwood::train {

/// A training by one of the ranks of this process.
using TrainOneRank = std::function<forest::Forest(const TrainHooks& hooks, TrainReport* report, Communicator& ranks)>;

/// Ranks of this process that its caller has not started: one for each GPU that the device lists; 1 where there is none
/// to start. @throws Error as choose_device() for a list.
int ranks_to_start(const TrainResources& resources, const Communicator* ranks);

/// A training by ranks that are threads of this process. The first one tells its progress and is the one that answers.
forest::Forest train_by_ranks(int size, const TrainHooks& hooks, TrainReport* report, const TrainOneRank& train);

}  // namespace fernwood::train
