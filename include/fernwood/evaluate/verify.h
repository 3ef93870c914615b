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

/// A way to label frames: a device and one of its layouts, on the CPU with a gather implementation ("avx2-scalar").
struct LabellingWay {
  Device device;
  std::string layout;
  std::unique_ptr<predict::Predictor> predictor;
};

struct LabellingWays {
  std::vector<LabellingWay> ways;    ///< The CPU's first.
  std::vector<std::string> missing;  ///< Ways that are not included, and why: one sentence each.
};

/// Predictors for every layout of every available device that can hold the forest; all exist at the same time.
/// @param options  All except device and layout. @throws any error of make_predictor() for an available device.
LabellingWays every_labelling_way(const forest::Forest& forest, predict::PredictOptions options);

/// Devices and instruction sets that are not available here, and why: one sentence each.
std::vector<std::string> missing_devices(const GpuStatus& gpus);

/// The first difference of two predictions.
struct PixelDifference {
  std::string frame;         ///< Name of the frame.
  std::size_t x = 0, y = 0;  ///< The first in reading order.
  std::string values;        ///< "label wall, not floor", "probability of wall 0.25, not 0.5"
};

/// Result of one way, compared with the first.
struct WayResult {
  std::string device, layout;
  std::size_t num_different = 0;  ///< Pixels whose label or probabilities differ, over all frames.
  std::optional<PixelDifference> first;
};

struct VerifyReport {
  std::string model, dataset;  ///< Origins, for display.
  std::size_t num_frames = 0, num_pixels = 0;
  std::vector<WayResult> ways;       ///< [way] The others are compared with the first.
  std::vector<std::string> missing;  ///< See LabellingWays.

  bool identical() const;
};

/// Labels every frame in every way, once for labels only and once with probabilities, and compares all bytes with those
/// of the first way. If the result of a way has another size than that of the first, all pixels of the frame count as
/// different. A way whose layout cannot hold a frame is not compared, and is added to `missing`.
/// @param found    At least one way.
/// @param classes  Names of the labels in the report.
/// @throws Error(kData) for frames that cannot be read; any exception of the predictors and `progress`.
VerifyReport verify(const LabellingWays& found, const dataset::Dataset& dataset, const image::ClassMap& classes,
                    const ProgressCallback& progress = {});

}  // namespace fernwood::evaluate
