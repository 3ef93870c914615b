// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::evaluate {

/// A way to label frames: a device and one of its layouts.
struct LabellingWay {
  Device device;
  std::string layout;
  std::unique_ptr<predict::Predictor> predictor;
};

struct LabellingWays {
  std::vector<LabellingWay> ways;    ///< The CPU's first.
  std::vector<std::string> missing;  ///< What is not among them and why, as sentences.
};

/// Every layout of every device that is here and that the forest fits, all ready at once.
/// @param options  But for device, layout and gather. @throws what make_predictor throws for a device that is here.
LabellingWays every_labelling_way(const forest::Forest& forest, predict::PredictOptions options);

/// Devices and instruction sets that cannot be used here, and why, as sentences.
std::vector<std::string> missing_devices(const GpuStatus& gpus);

/// Where two predictions first differ.
struct PixelDifference {
  std::string frame;         ///< Its name.
  std::size_t x = 0, y = 0;  ///< The first in reading order.
  std::string values;        ///< "label wall, not floor", "probability of wall 0.25, not 0.5"
};

/// What one way said, compared with the first.
struct WayResult {
  std::string device, layout;
  std::size_t num_different = 0;  ///< Pixels whose label or a probability of theirs differs, over all frames.
  std::optional<PixelDifference> first;
};

struct VerifyReport {
  std::string model, dataset;  ///< For people: where either came from.
  std::size_t num_frames = 0, num_pixels = 0;
  std::vector<WayResult> ways;       ///< [way]; the first is what the others are compared with.
  std::vector<std::string> missing;  ///< As in LabellingWays.

  bool identical() const;
};

/// Labels every frame in every way, once for labels alone and once with probabilities, and compares all bytes with
/// those of the first way. A frame of another size than the first way's counts as different in every pixel.
/// A layout may turn out too small when it sees a frame: it is not compared then, and among what is missing.
/// @param found    At least one way.
/// @param classes  Name the labels in the report.
/// @throws Error(kData) for frames that cannot be read; what the predictors and `progress` throw.
VerifyReport verify(const LabellingWays& found, const dataset::Dataset& dataset, const image::ClassMap& classes,
                    const ProgressCallback& progress = {});

}  // namespace fernwood::evaluate
