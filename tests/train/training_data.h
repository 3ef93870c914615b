// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Small data sets to train on.

#include <optional>

#include "dataset/test_files.h"
#include "fernwood/dataset/generate.h"
#include "fernwood/train/train.h"
#include "forest/model_parts.h"

namespace fernwood {

/// A folder with frames that the data set is opened from when first asked for.
class TrainingData {
 public:
  const TestFolder& folder() const { return folder_; }
  const Dataset& dataset() {
    if (!dataset_) dataset_.emplace(Dataset::open(folder_.path()));
    return *dataset_;
  }
  /// Adds a frame; leaves out colour or depth when empty.
  void add(const std::string& name, const Frame& frame, const Array2<Rgb>& truth) const {
    if (!frame.color.empty()) write_png(folder_ / (name + "_colors.png"), frame.color);
    if (!frame.depth_mm.empty()) write_png16(folder_ / (name + "_depth.png"), frame.depth_mm);
    write_png(folder_ / (name + "_ground_truth.png"), truth);
  }

 private:
  TestFolder folder_;
  std::optional<Dataset> dataset_;
};

/// Adds so many synthetic scenes of 64 x 48 pixels.
inline void add_scenes(const TrainingData& data, int frames) {
  GenerateOptions options;
  options.width = 64;
  options.height = 48;
  for (int i = 0; i < frames; ++i) {
    const SyntheticFrame scene = generate_frame(options, static_cast<std::uint32_t>(i));
    data.add("scene" + std::to_string(i), scene.frame, colorize_labels(scene.labels, synthetic_classes()));
  }
}

/// Grows fast and as deep as the scenes allow.
inline TrainOptions small_training() {
  TrainOptions options;
  options.sampling = Sampling::kPixels;
  options.absolute_share = 0.2f;
  options.flip = false;
  options.trees = 2;
  options.samples_per_frame = 300;
  options.features = 40;
  options.thresholds = 10;
  options.max_depth = 6;
  options.min_samples = 10;
  options.box_radius = 30;
  options.region_size = 6;
  return options;
}

/// The model file's bytes.
inline Bytes train_bytes(const Dataset& dataset, const TrainOptions& options, const TrainResources& resources = {},
                         const TrainHooks& hooks = {}, TrainReport* report = nullptr) {
  return model_bytes(train_forest(dataset, options, resources, hooks, report));
}

}  // namespace fernwood
