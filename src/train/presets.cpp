// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/train/options.h"

namespace fernwood::train {

namespace {

TrainOptions fast() {
  TrainOptions options;
  options.trees = 3;
  options.samples_per_frame = 500;
  options.features = 500;
  return options;
}

TrainOptions best() {
  TrainOptions options;
  options.trees = 6;
  options.features = 2000;
  options.stages = 2;
  return options;
}

TrainOptions thesis() {
  TrainOptions options;
  options.trees = 3;
  options.samples_per_frame = 2000;
  options.features = 2000;
  options.max_depth = 15;
  options.min_samples = 100;
  options.region_size = 10;
  options.absolute_share = 0.2f;  // with means in place of the predecessor's sums, differences alone lose a point
  options.sampling = Sampling::kPixels;
  options.flip = false;
  options.channels = {"lab", "depth"};
  return options;
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> rows;
    rows.push_back({"fast", "3 trees of fewer samples and features", fast()});
    rows.push_back({"balanced", "the defaults", TrainOptions()});
    rows.push_back({"best", "two stages of 6 trees", best()});
    rows.push_back({"thesis", "colour and depth alone, as CURFIL", thesis()});
    return rows;
  }();
  return all;
}

}  // namespace fernwood::train
