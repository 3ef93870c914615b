// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/default_floats.h"
#include "fernwood/core/progress.h"
#include "fernwood/train/train.h"
#include "train/data/sampler.h"
#include "train/distributed/several_gpus.h"
#include "train/forest_grower.h"

namespace fernwood::train {

StageSeconds& StageSeconds::operator+=(const StageSeconds& other) {
  probe += other.probe;
  respond += other.respond;
  bin += other.bin;
  aggregate += other.aggregate;
  score += other.score;
  split += other.split;
  return *this;
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
  options.check();
  check_stop_when_flat(options, dataset.size());
  TrainReport unwanted;
  TrainReport& written = report ? *report : unwanted;
  written = {};
  const double start = seconds_now();
  Trainer trainer(dataset, options, resources, hooks, ranks);
  trainer.describe(written);
  ForestGrower grower(trainer, options, all_frames(dataset.size()), hooks, written);
  grower.read_checkpoint();  // before the time that loading frames takes
  trainer.load_frames();
  written.seconds_loading = seconds_now() - start;
  grower.grow();
  trainer.describe(written);
  trainer.describe_ranks(seconds_now() - start, written);
  return grower.finished();
}

}  // namespace fernwood::train
