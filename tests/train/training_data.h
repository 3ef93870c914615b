// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Small data sets for training.

#include <optional>

#include "dataset/test_files.h"
#include "fernwood/generate/generate.h"
#include "fernwood/train/train.h"
#include "forest/model_parts.h"

namespace fernwood::train {

/// A folder of frames, opened as a data set at the first request.
class TrainingData {
 public:
  const dataset::TestFolder& folder() const { return folder_; }
  const dataset::Dataset& dataset() {
    if (!dataset_) dataset_.emplace(dataset::Dataset::open(folder_.path()));
    return *dataset_;
  }
  /// Adds a frame; an empty colour or depth image is left out.
  void add(const std::string& name, const image::Frame& frame, const Array2<image::Rgb>& truth) const {
    if (!frame.color.empty()) dataset::write_png(folder_ / (name + "_colors.png"), frame.color);
    if (!frame.depth_mm.empty()) dataset::write_png16(folder_ / (name + "_depth.png"), frame.depth_mm);
    if (!frame.maps.empty()) dataset::write_maps(folder_ / (name + "_maps.npy"), frame.maps);
    dataset::write_png(folder_ / (name + "_ground_truth.png"), truth);
  }

 private:
  dataset::TestFolder folder_;
  std::optional<dataset::Dataset> dataset_;
};

/// Adds `frames` synthetic scenes of 64 x 48 pixels.
inline void add_scenes(const TrainingData& data, int frames) {
  generate::GenerateOptions options;
  options.width = 64;
  options.height = 48;
  for (int i = 0; i < frames; ++i) {
    const generate::SyntheticFrame scene = generate::generate_frame(options, static_cast<std::uint32_t>(i));
    data.add("scene" + std::to_string(i), scene.frame,
             dataset::colorize_labels(scene.labels, generate::synthetic_classes()));
  }
}

/// Options that train quickly, with trees as deep as the scenes allow.
inline TrainOptions small_training() {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  options.sampling = Sampling::kPixels;
  options.unary_feature_fraction = 0.2f;
  options.mirror_augmentation = false;
  options.trees = 2;
  options.samples_per_frame = 300;
  options.features = 40;
  options.thresholds = 10;
  options.max_depth = 6;
  options.min_samples = 10;
  options.max_offset = 30;
  options.max_half_extent = 6;
  return options;
}

/// Bytes of the trained model file.
inline dataset::Bytes train_bytes(const dataset::Dataset& dataset, const TrainOptions& options,
                                  const TrainResources& resources = {}, const TrainHooks& hooks = {},
                                  TrainReport* report = nullptr) {
  return forest::model_bytes(train_forest(dataset, options, resources, hooks, report));
}

/// Frames in which one class, the ground, has 95 % of the pixels.
inline void add_screws_on_ground(TrainingData& data, int num_frames) {
  data.folder().write("dataset.toml", std::string("[[classes]]\nname = \"ground\"\ncolor = [1, 0, 0]\n"
                                                  "[[classes]]\nname = \"screw\"\ncolor = [2, 0, 0]\n"));
  Array2<image::Rgb> color(20, 20), truth(20, 20);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    truth.data()[i] = {static_cast<std::uint8_t>(i < 380 ? 1 : 2), 0, 0};
    color.data()[i] = i < 380 ? image::Rgb{0, 0, 0} : image::Rgb{255, 255, 255};
  }
  for (int i = 0; i < num_frames; ++i) data.add("bench" + std::to_string(i), {color, {}}, truth);
}

}  // namespace fernwood::train
