// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <memory>

#include "fernwood/core/parallel.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/forest.h"
#include "train/level_backend.h"
#include "train/progress_meter.h"
#include "train/sampler.h"

namespace fernwood::train {

/// What all devices are told before they train.
struct TrainSetting {
  const dataset::Dataset& dataset;
  const forest::Forest& forest;  ///< Preparation and classes are known, trees may be missing.
  const TrainOptions& options;
  const TrainResources& resources;
  std::size_t budget_bytes;  ///< Of the processor's memory.
  ThreadPool& pool;
  const TrainHooks& hooks;
  ProgressMeter& meter;
};

/// Where a training's frames are held and its trees are grown: one kind per device.
class TrainDevice {
 public:
  explicit TrainDevice(const TrainSetting& setting) : setting_(setting) {}
  virtual ~TrainDevice() = default;
  /// Loads all frames, as far as memory goes. @param loaded  Called after each, on any thread.
  virtual void load_frames(const std::function<void()>& loaded) = 0;
  /// The samples of a tree. @param options  Of the training, or others for what is to be drawn.
  /// @param frames  That the tree sees, ascending.
  SampleSet draw_samples(const TrainOptions& options, const std::vector<std::uint32_t>& frames, std::uint32_t tree);
  /// The pixels that speak for the cells of frames (see context.h), row after row; all of class 0.
  SampleSet context_samples(const std::vector<std::uint32_t>& frames);
  /// From now on the context channels of the frames are these. @param maps  [frame]
  virtual void set_context(std::vector<image::ContextMaps> maps) = 0;
  /// Sends samples down a tree, whether or not it was grown here. @return  [S] leaf that each ends in.
  virtual std::vector<std::uint32_t> find_leaves(const SampleSet& samples, const std::vector<forest::Node>& nodes) = 0;
  virtual LevelBackend& backend() = 0;
  virtual void describe(TrainReport& report) const = 0;

 protected:
  /// The pixels of a frame that become samples.
  using Choose = std::function<std::vector<DrawnPixel>(const image::LabelImage& labels, std::uint32_t frame)>;
  virtual SampleSet choose(const Choose& choose, const std::vector<std::uint32_t>& frames) = 0;

  const TrainSetting setting_;
};

std::unique_ptr<TrainDevice> make_cpu_device(const TrainSetting& setting);
/// @throws Error(kDevice) in a build without CUDA.
std::unique_ptr<TrainDevice> make_cuda_device(const TrainSetting& setting, int gpu);

}  // namespace fernwood::train
