// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/distributed/several_gpus.h"

#include <optional>
#include <utility>

#include "fernwood/core/device.h"

namespace fernwood::train {

int ranks_to_start(const TrainResources& resources, const Communicator* ranks) {
  return ranks ? 1 : num_listed_devices(resources.device);
}

forest::Forest train_by_ranks(int size, const TrainHooks& hooks, TrainReport* report, const TrainOneRank& train) {
  TrainHooks of_others = hooks;
  of_others.progress = {};
  of_others.level_done = {};
  std::optional<forest::Forest> forest;
  run_as_ranks(size, [&](Communicator& ranks) {
    if (ranks.rank() == 0)
      forest = train(hooks, report, ranks);
    else
      train(of_others, nullptr, ranks);
  });
  return std::move(*forest);
}

}  // namespace fernwood::train
