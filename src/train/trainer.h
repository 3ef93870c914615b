// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "train/distributed/ranks.h"
#include "train/grow/candidates.h"
#include "train/progress_meter.h"
#include "train/stage_plan.h"
#include "train/train_device.h"

namespace fernwood::train {

/// The frames of a data set, decoded, prepared and held on a device once, for one training or for many that differ in
/// their options or learn from some of the frames.
class Trainer {
 public:
  /// Looks at device and data, of which it keeps what it has read as far as memory goes.
  /// @param options  What the trainings have in common: the channels that any of them reads, how depth is filled, and
  ///                 several stages if any has them.
  /// @param ranks    Processes that do this together; null: this one alone. Stays the caller's.
  /// @throws Error  kUsage for options, also where ranks have others, kData for the data set, kDevice.
  Trainer(const dataset::Dataset& dataset, const TrainOptions& options, const TrainResources& resources,
          const TrainHooks& hooks, Communicator* ranks = nullptr);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// To be called once, before anything below that asks the device. @throws Error(kData, kResource, kInterrupted).
  void load_frames();

  const dataset::Dataset& dataset() const { return dataset_; }
  ThreadPool& pool() { return pool_; }
  ProgressMeter& meter() { return meter_; }
  TrainDevice& device() { return *device_; }
  Ranks& ranks() { return ranks_; }
  /// Where the levels of trees are grown: on the device, or on those of all ranks.
  LevelBackend& backend() { return shared_levels_ ? *shared_levels_ : device_->backend(); }
  /// What is known of a forest before it grows, with all channels of the frames; without trees.
  const forest::Forest& model() const { return model_; }
  const std::vector<std::uint32_t>& groups() const { return groups_; }  ///< See Dataset::groups().
  /// Device, threads, what was loaded, warnings.
  void describe(TrainReport& report) const;
  /// What each rank took, known to all of them; to be called at the end. @param seconds  Of this one.
  void describe_ranks(double seconds, TrainReport& report);

  /// The same as model(), for a training with other options that may leave out channels and frames.
  /// @param frames  That it learns from, ascending; when not all, frames are loaded.
  /// @throws Error(kUsage) for channels that the frames do not have, or that know depth where those do not.
  forest::Forest model_of(const TrainOptions& options, const std::vector<std::uint32_t>& frames);
  /// Where the frames have the channels of a model. @param context  Whether it reads those of an earlier stage.
  TreeChannels channels_of(const forest::Forest& model, bool context) const;

 private:
  bool gpus_link(forest::ForestKind kind);
  void warn(const std::vector<Warning>& warnings);
  const dataset::Dataset& dataset_;
  const TrainResources resources_;
  const TrainHooks& hooks_;
  std::unique_ptr<Communicator> alone_;  // null: there are ranks
  Ranks ranks_;
  ThreadPool pool_;
  ProgressMeter meter_;
  DeviceChoice choice_;
  std::optional<MemoryPlan> memory_;
  std::optional<FramePrefetcher> read_frames_;  // until frames are loaded
  forest::Forest model_;
  std::vector<std::uint32_t> groups_;
  std::vector<Warning> warnings_;
  std::unique_ptr<TrainDevice> device_;
  std::unique_ptr<LevelBackend> shared_levels_;
  Array2<std::uint64_t> pixels_;  // [frame][class], once asked for
};

}  // namespace fernwood::train
