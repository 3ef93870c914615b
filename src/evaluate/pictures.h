// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/dataset/dataset.h"
#include "fernwood/evaluate/report.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::evaluate {

/// Frames by their place in a report: worst holds the worst first, best the best first; no frame is in both, and none
/// without a labelled pixel in either.
struct FrameChoice {
  std::vector<std::size_t> worst, best;
};
FrameChoice choose_frames(const std::vector<FrameScore>& scores, std::size_t num_frames);

/// Reads and labels a frame once more and encodes what people compare: colour, depth, truth, prediction.
FramePictures frame_pictures(predict::Predictor& predictor, const image::ClassMap& classes,
                             const dataset::Dataset& dataset, std::size_t index, const FrameScore& score);

}  // namespace fernwood::evaluate
