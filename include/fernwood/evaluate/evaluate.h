// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/evaluate/confusion.h"
#include "fernwood/forest/summary.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::evaluate {

/// How well one frame was labelled.
struct FrameScore {
  std::string name;
  double pixel_accuracy = 0;  ///< Without void, [0, 1]; NaN when the frame has no labelled pixel.
  double void_share = 0;      ///< Pixels of truth void over all pixels, [0, 1].
  double seconds = 0;         ///< Of preparing and labelling it, from memory to memory.
};

/// A frame to be looked at: what went in, the truth, the prediction.
struct ShownFrame {
  std::string name;
  double pixel_accuracy = 0;  ///< As in FrameScore.
  image::Frame frame;
  image::LabelImage truth, predicted;
};

/// What an evaluation found.
struct EvaluationReport {
  std::string model, dataset;  ///< For people: where either came from.
  std::string device;          ///< For people: what labelled, and how.
  image::ClassMap classes;
  Confusion confusion{0};  ///< Of as many classes.
  Metrics metrics;
  double seconds = 0;  ///< Wall time of preparing and labelling the frames; reading them is not counted.
  std::vector<FrameScore> frames;
  std::vector<ShownFrame> worst, best;  ///< From the worst and from the best frame on; may be empty.
  forest::ForestSummary forest;         ///< Of the model: which channels its splits read.

  /// Frames prepared and labelled in a second; NaN when no time passed.
  double frames_per_second() const;
  /// Median of the frames' seconds; NaN when there is no frame.
  double median_seconds() const;
  /// Mean pixel accuracy of the frames that have labelled pixels. Unlike metrics.without_void.pixel it gives each frame
  /// the same weight, however much of it is labelled.
  double mean_frame_accuracy() const;
  /// Name of the class that metrics.without_background leaves out, or "void".
  std::string background_name() const;
};

struct EvaluateOptions {
  bool pictures = false;  ///< Keep frames to be shown: report.worst and report.best.
  int num_pictures = 6;   ///< Frames shown if so, half of them the worst, half the best.
  double turned_degrees =
      0;  ///< Frames and truth are turned clockwise by so much first, see rotated(); not with pictures.

  static OptionTable<EvaluateOptions> table();
  void check() const;  ///< @throws OptionError naming what is out of its range, Error(kUsage) for what contradicts.
};

/// Labels every frame of a data set and compares with its truth. Frames are decoded on the pool, as many at a time as
/// it has threads, and labelled one after another by `predictor`, so memory does not grow with the data set. The
/// background of the second accuracy is the model's or, if it has none, the data set's.
/// @param forest  The model of `predictor`: its classes, and the channels that frames must have.
/// @throws Error(kModel) when the data set lacks colour or depth that the model reads; Error(kData) for a frame without
///         truth, a truth colour that the model does not know, or truth of another size than the frame; what the
///         predictor and `progress` throw.
/// @param ranks  Processes that evaluate together: each labels its share of the frames, and all get the report; its
///               seconds are those of the slowest, `progress` tells of this rank's share, pictures are for the first.
///               Error(kUsage) where their options differ.
EvaluationReport evaluate(predict::Predictor& predictor, const forest::Forest& forest, const dataset::Dataset& dataset,
                          const EvaluateOptions& options, ThreadPool& pool, const ProgressCallback& progress = {},
                          Communicator* ranks = nullptr);

}  // namespace fernwood::evaluate
