// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/train/options.h"

namespace fernwood::train {

std::string to_string(Sampling value) { return value == Sampling::kPixels ? "pixels" : "classes"; }
std::string to_string(ScoreKind value) {
  if (value == ScoreKind::kLossReduction) return "loss-reduction";
  return value == ScoreKind::kInformationGain ? "information-gain" : "normalized-information-gain";
}

TrainOptions defaults_of(forest::ForestKind kind) {
  TrainOptions options;
  options.algorithm = kind;
  if (kind == forest::ForestKind::kBoosted) return options;
  options.trees = 5;
  options.samples_per_frame = 1500;
  options.features = 1000;
  options.thresholds = 50;
  options.max_depth = 18;
  options.min_samples = 200;
  options.class_weights = "data";
  return options;
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = [] {
    // Members are set one by one: g++ 12 reports uninitialised values, wrongly, for brace initialisation here.
    const TrainOptions forest = defaults_of(forest::ForestKind::kForest);
    TrainOptions fast, best, thesis = forest;
    fast.trees = 30;
    fast.learning_rate = 0.3f;
    fast.samples_per_frame = 300;
    fast.features = 300;
    fast.max_depth = 6;
    best.trees = 240;
    best.learning_rate = 0.1f;
    best.samples_per_frame = 1500;
    best.features = 1000;
    best.max_depth = 8;
    best.backbone_reduction = 1;
    thesis.trees = 3;
    thesis.samples_per_frame = 2000;
    thesis.features = 2000;
    thesis.max_depth = 15;
    thesis.min_samples = 100;
    thesis.max_half_extent = 10;
    thesis.unary_feature_fraction =
        0.2f;  // with means instead of the predecessor's sums, difference features lose a point when used alone
    thesis.sampling = Sampling::kPixels;
    thesis.mirror_augmentation = false;
    thesis.channels = {"lab", "depth"};
    // Hundreds of maps need deeper trees than few channels; fewer candidates offset the time to grow them.
    TrainOptions balanced_maps, best_maps = best;
    balanced_maps.trees = 80;
    balanced_maps.learning_rate = 0.15f;
    balanced_maps.samples_per_frame = 1000;
    balanced_maps.features = 300;
    balanced_maps.max_depth = 8;
    best_maps.cascade = 2;
    best_maps.max_depth = 9;
    std::vector<Preset> rows;
    rows.push_back({"fast", fast, fast});
    rows.push_back({kDefaultPreset, TrainOptions(), balanced_maps});
    rows.push_back({"best", best, best_maps, "lite2"});
    rows.push_back({"forest", forest, forest});
    rows.push_back({"thesis", thesis, thesis, kNoBackbone});
    return rows;
  }();
  return all;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  return names;
}

}  // namespace fernwood::train
