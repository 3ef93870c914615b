// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "train/grow_tree.h"
#include "train/progress_meter.h"
#include "train/stage_plan.h"
#include "train/train_device.h"

namespace fernwood::train {

/// The frames of a data set, decoded, prepared and held on a device once, for one training or for many that differ in
/// their options or learn from some of the frames.
class Trainer {
 public:
  /// Looks at data and device; decodes no picture yet.
  /// @param options  What the trainings have in common: the channels that any of them reads, how depth is filled, and
  ///                 several stages if any has them.
  /// @throws Error  kUsage for options, kData for the data set, kDevice.
  Trainer(const dataset::Dataset& dataset, const TrainOptions& options, const TrainResources& resources,
          const TrainHooks& hooks);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// To be called once, before anything below that asks the device. @throws Error(kData, kResource, kInterrupted).
  void load_frames();

  const dataset::Dataset& dataset() const { return dataset_; }
  ThreadPool& pool() { return pool_; }
  ProgressMeter& meter() { return meter_; }
  TrainDevice& device() { return *device_; }
  /// What is known of a forest before it grows, with all channels of the frames; without trees.
  const forest::Forest& model() const { return model_; }
  const std::vector<std::uint32_t>& groups() const { return groups_; }  ///< See Dataset::groups().
  /// Device, threads, what was loaded, warnings.
  void describe(TrainReport& report) const;

  /// The same as model(), for a training with other options that may leave out channels and frames.
  /// @param frames  That it learns from, ascending; when not all, frames are loaded.
  /// @throws Error(kUsage) for channels that the frames do not have, or that know depth where those do not.
  forest::Forest model_of(const TrainOptions& options, const std::vector<std::uint32_t>& frames);
  /// Where the frames have the channels of a model. @param context  Whether it reads those of an earlier stage.
  TreeChannels channels_of(const forest::Forest& model, bool context) const;

 private:
  const dataset::Dataset& dataset_;
  const TrainResources resources_;
  const TrainHooks& hooks_;
  ThreadPool pool_;
  ProgressMeter meter_;
  DeviceChoice choice_;
  forest::Forest model_;
  std::vector<std::uint32_t> groups_;
  std::vector<std::string> warnings_;
  std::unique_ptr<TrainDevice> device_;
  Array2<std::uint64_t> pixels_;  // [frame][class], once asked for
};

}  // namespace fernwood::train
