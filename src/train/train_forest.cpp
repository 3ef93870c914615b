// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <utility>

#include "fernwood/core/default_floats.h"
#include "fernwood/train/train.h"
#include "train/data/sampler.h"
#include "train/distributed/parallelism.h"
#include "train/grow_forest.h"

namespace fernwood::train {

StageSeconds& StageSeconds::operator+=(const StageSeconds& other) {
  respond += other.respond;
  bin += other.bin;
  aggregate += other.aggregate;
  score += other.score;
  split += other.split;
  return *this;
}

std::string to_string(TrainProgress::Phase phase) {
  switch (phase) {
    case TrainProgress::Phase::kScanning:
      return "reading ground truth";
    case TrainProgress::Phase::kLoading:
      return "preparing frames";
    case TrainProgress::Phase::kGrowing:
      return "growing";
    case TrainProgress::Phase::kGrowingAgain:
      return "growing again without some frames";
    case TrainProgress::Phase::kChoosing:
      break;
  }
  return "choosing weights by these frames";
}

std::uint64_t TrainReport::responses() const {
  std::uint64_t sum = 0;
  for (const LevelReport& level : levels) sum += level.responses;
  return sum;
}

StageSeconds TrainReport::stages() const {
  StageSeconds sum;
  for (const LevelReport& level : levels) sum += level.stages;
  return sum;
}

forest::Forest train_forest(const dataset::Dataset& dataset, const TrainOptions& options,
                            const TrainResources& resources, const TrainHooks& hooks, TrainReport* report,
                            Communicator* ranks) {
  const DefaultFloats floats;
  if (const int size = ranks_to_start(resources, ranks); size > 1)
    return train_by_ranks(size, hooks, report, [&](const TrainHooks& own, TrainReport* written, Communicator& all) {
      return train_forest(dataset, options, resources, own, written, &all);
    });
  check_training(options, dataset.size(), hooks, ranks);
  TrainReport unwanted;
  TrainReport& written = report ? *report : unwanted;
  written = {};
  Trainer trainer(dataset, options, resources, hooks, ranks);
  trainer.describe(written);  // for a report of a training that fails
  GrowingForest grown = grow_forest(trainer, options, all_frames(dataset.size()), hooks, written);
  trainer.describe(written);
  trainer.describe_ranks(written);
  return trainer.finished(std::move(grown));
}

}  // namespace fernwood::train
