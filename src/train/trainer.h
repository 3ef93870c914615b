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

/// The frames of a data set on a device, and the ranks that share them, for one training or for several that differ in
/// their options or use subsets of the frames: see grow_forest().
class Trainer {
 public:
  /// Inspects device and data, reads every frame once, and keeps what memory permits.
  /// @param options  The options common to all trainings: every channel that any of them reads, how depth is filled,
  ///                 and more than one stage if any of them has several.
  /// @param ranks    Processes that train together; null: only this process. Must outlive the trainer.
  /// @throws Error  kUsage for invalid options or options that differ between ranks, kData for the data set, kDevice.
  Trainer(const dataset::Dataset& dataset, const TrainOptions& options, const TrainResources& resources,
          const TrainHooks& hooks, Communicator* ranks = nullptr);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Prepares the frames, before any function below uses the device; does nothing when called again.
  /// @param report  Gets the time since the trainer was created. @throws Error(kData, kResource, kInterrupted).
  void load_frames(TrainReport& report);

  const dataset::Dataset& dataset() const { return dataset_; }
  ThreadPool& pool() { return pool_; }
  ProgressMeter& meter() { return meter_; }
  TrainDevice& device() { return *device_; }
  Ranks& ranks() { return ranks_; }
  /// The forest before growing, without trees: preparation, with all channels of the frames, and classes.
  const forest::Forest& model() const { return model_; }
  const std::vector<std::uint32_t>& groups() const { return groups_; }  ///< See Dataset::groups().
  /// Reports device, threads, loaded frames and warnings.
  void describe(TrainReport& report) const;
  /// Reports the times of all ranks, on each of them; all ranks must call it, at the end.
  void describe_ranks(TrainReport& report);

  /// As model(), for a training with other options, which may omit channels and frames.
  /// @param frames  Training frames, ascending.
  /// @throws Error(kUsage) for channels that the frames lack, or if only one of the two has a depth channel.
  forest::Forest model_of(const TrainOptions& options, const std::vector<std::uint32_t>& frames) const;
  /// Maps the channels of a model to those of the frames. @param context  Whether it reads channels of an earlier
  /// stage.
  TreeChannels channels_of(const forest::Forest& model, bool context) const;
  /// The forest for prediction. @param grown  Its splits refer to the channels of the frames.
  forest::Forest finished(GrowingForest grown) const;

 private:
  void read_frames(const TrainOptions& options, Communicator* ranks);
  std::vector<std::uint64_t> pixels_of(const std::vector<std::uint32_t>& frames) const;
  bool gpus_link(forest::ForestKind kind);
  void warn(const std::vector<Warning>& warnings);
  const dataset::Dataset& dataset_;
  const TrainResources resources_;
  const TrainHooks& hooks_;
  const double start_;
  std::unique_ptr<Communicator> alone_;  // null with several ranks
  Ranks ranks_;
  ThreadPool pool_;
  ProgressMeter meter_;
  DeviceChoice choice_;
  std::optional<MemoryPlan> memory_;
  forest::Forest model_;
  Array2<std::uint64_t> class_pixels_;  // [frame][class]
  std::vector<std::uint32_t> groups_;
  std::vector<Warning> warnings_;
  std::unique_ptr<TrainDevice> device_;
  bool is_loaded_ = false;
};

}  // namespace fernwood::train
