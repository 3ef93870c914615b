// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/evaluate/report.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::evaluate {

struct EvaluateOptions {
  bool pictures = false;  ///< Fill report.worst and report.best.
  int num_pictures = 6;   ///< Frames shown if so, half of them the worst, half the best; >= 0.
  double turned_degrees =
      0;               ///< Frames and truth are turned clockwise by so much first, see rotated(); not with pictures.
  void check() const;  ///< @throws Error(kUsage) naming what is out of its range or contradicts.
};

/// Labels every frame of a data set and compares with its truth. Frames are decoded on the pool, as many at a time as
/// it has threads, and labelled one after another by `predictor`, so memory does not grow with the data set. The
/// background of the second accuracy is the model's or, if it has none, the data set's.
/// @param forest  The model of `predictor`: its classes, and the channels that frames must have.
/// @throws Error(kModel) when the data set lacks colour or depth that the model reads; Error(kData) for a frame without
///         truth, a truth colour that the model does not know, or truth of another size than the frame; what the
///         predictor and `progress` throw.
EvaluationReport evaluate(predict::Predictor& predictor, const forest::Forest& forest, const dataset::Dataset& dataset,
                          const EvaluateOptions& options, ThreadPool& pool, const ProgressCallback& progress = {});

}  // namespace fernwood::evaluate
