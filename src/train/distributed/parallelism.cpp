// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/distributed/parallelism.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fernwood/core/device.h"
#include "fernwood/core/option_error.h"

namespace fernwood::train {

namespace {

/// Maximum share of the ranks' time that may be idle because the number of trees is not a multiple of the number of
/// ranks. Dividing candidates loses more: by the work that each rank repeats, and by waiting at every level.
constexpr double kMaxIdle = 0.25;

/// Share of the time for which ranks are busy when trees are divided, for the stage with the fewest trees.
double busy_share(const TrainOptions& options, std::size_t num_ranks) {
  const auto trees = static_cast<std::size_t>(options.trees);
  const std::size_t rounds = (trees + num_ranks - 1) / num_ranks;
  return static_cast<double>(trees) / static_cast<double>(rounds * num_ranks);
}

/// Whether every rank can hold all frames.
bool all_can_hold(const RankAbilities& here, Ranks& ranks) {
  const std::vector<Bytes> all = ranks.gather({static_cast<std::uint8_t>(here.holds_all_frames)});
  check_shares(std::ranges::all_of(all, [](const Bytes& theirs) { return theirs.size() == 1; }));
  return std::ranges::all_of(all, [](const Bytes& theirs) { return theirs.front() != 0; });
}

}  // namespace

Parallelism choose_parallelism(const std::string& wanted, const TrainOptions& options, const RankAbilities& here,
                               Ranks& ranks) {
  const bool boosted = options.algorithm == forest::ForestKind::kBoosted;
  if (wanted == "auto") {
    if (!all_can_hold(here, ranks) || (boosted && here.gpus_link)) return Parallelism::kData;
    return boosted || busy_share(options, ranks.num_ranks()) < 1 - kMaxIdle ? Parallelism::kFeatures
                                                                            : Parallelism::kTrees;
  }
  const auto named =
      std::ranges::find_if(kParallelisms, [&](Parallelism parallelism) { return to_string(parallelism) == wanted; });
  require_option(named != kParallelisms.end(), "parallel", wanted, "use auto, trees, features or data");
  require_together(*named != Parallelism::kTrees || !boosted || ranks.num_ranks() == 1,
                   "{} gives each rank trees of its own, but boosted trees depend on those before them; use {} or "
                   "data, or leave {} out",
                   {{"parallel", "trees"}, {"parallel", "features"}, {"parallel"}});
  return *named;
}

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
