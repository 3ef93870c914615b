// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/default_floats.h"
#include "fernwood/core/progress.h"
#include "fernwood/train/train.h"
#include "train/data/sampler.h"
#include "train/distributed/parallelism.h"
#include "train/forest_grower.h"

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

namespace {

TrainReport& begin_report(const TrainOptions& options, std::size_t num_frames, const TrainHooks& hooks,
                          Communicator* ranks, TrainReport& report) {
  options.check();
  check_early_stopping(options, num_frames);
  if (!ranks || ranks->rank() == 0) check_checkpoint_path(hooks.checkpoint, hooks.resume);
  report = {};
  return report;
}

}  // namespace

Training::Training(const dataset::Dataset& dataset, const TrainOptions& options, const TrainResources& resources,
                   const TrainHooks& hooks, TrainReport* report, Communicator* ranks)
    : report_(begin_report(options, dataset.size(), hooks, ranks, report ? *report : unwanted_)),
      start_(seconds_now()),
      trainer_(dataset, options, resources, hooks, ranks),
      grower_(trainer_, options, all_frames(dataset.size()), hooks, report_) {
  trainer_.describe(report_);
}

void Training::grow() {
  grower_.read_checkpoint();  // before the time spent on loading frames
  trainer_.load_frames();
  report_.seconds_loading = seconds_now() - start_;
  grower_.grow();
}

void Training::describe() {
  trainer_.describe(report_);
  trainer_.describe_ranks(seconds_now() - start_, report_);
}

forest::Forest train_forest(const dataset::Dataset& dataset, const TrainOptions& options,
                            const TrainResources& resources, const TrainHooks& hooks, TrainReport* report,
                            Communicator* ranks) {
  const DefaultFloats floats;
  if (const int size = ranks_to_start(resources, ranks); size > 1)
    return train_by_ranks(size, hooks, report, [&](const TrainHooks& own, TrainReport* written, Communicator& all) {
      return train_forest(dataset, options, resources, own, written, &all);
    });
  Training training(dataset, options, resources, hooks, report, ranks);
  training.grow();
  training.describe();
  return training.finished();
}

}  // namespace fernwood::train
