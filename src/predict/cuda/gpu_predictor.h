// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fernwood/predict/predictor.h"

namespace fernwood::predict {

/// @param options  The layout must be "auto" or one of predict_layouts(); options of the CPU and the device are
/// ignored.
std::unique_ptr<Predictor> make_gpu_predictor(const forest::Forest& forest, int gpu, const PredictOptions& options);
std::unique_ptr<LabelStream> make_gpu_label_stream(const forest::Forest& forest, int gpu, const PredictOptions& options,
                                                   int frames_in_flight);

}  // namespace fernwood::predict
