// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/evaluate/confusion.h"
#include "fernwood/forest/summary.h"
#include "fernwood/train/train.h"

namespace fernwood::evaluate {

/// How well one frame was labelled.
struct FrameScore {
  std::string name;
  double pixel_accuracy = 0;  ///< Without void, [0, 1]; NaN when the frame has no labelled pixel.
  double void_share = 0;      ///< Pixels of truth void over all pixels, [0, 1].
  double seconds = 0;         ///< Of preparing and labelling it, from memory to memory.
};

/// A picture as the bytes of an image file.
struct EncodedPicture {
  std::string caption;
  std::string mime;  ///< For example "image/png".
  std::vector<std::uint8_t> bytes;
};

/// The pictures of one frame: what went in, the truth, the prediction.
struct FramePictures {
  std::string name;
  double pixel_accuracy = 0;  ///< As in FrameScore.
  std::vector<EncodedPicture> pictures;
};

/// What an evaluation found, ready to be shown.
struct EvaluationReport {
  std::string model, dataset;  ///< For people: where either came from.
  std::string device;          ///< For people: what labelled, and how.
  image::ClassMap classes;
  Confusion confusion{0};  ///< Of as many classes.
  Metrics metrics;
  double seconds = 0;  ///< Wall time of preparing and labelling the frames; reading them is not counted.
  std::vector<FrameScore> frames;
  std::vector<FramePictures> worst, best;      ///< From the worst and from the best frame on; may be empty.
  forest::ForestSummary forest;                ///< Of the model: which channels its splits read.
  std::optional<train::TrainReport> training;  ///< What growing the model took, if its report is at hand.
  std::string no_training;                     ///< Else why not, a sentence for people; empty: nobody looked.

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

/// A table for a terminal, at most 100 columns wide, in UTF-8; all shares in percent, "-" where nothing was counted.
/// The confusion matrix is part of it up to 12 classes.
/// @param color  With ANSI colours, and the class colours in 24 bits.
std::string report_table(const EvaluationReport& report, bool color);

/// One JSON object, indented by two spaces, with a final newline; shares are in [0, 1], null where nothing was counted.
/// Keys: docs/evaluation.md.
std::string report_json(const EvaluationReport& report);

/// One page that opens offline, with per-class bars, the confusion matrix, the pictures, the channels that splits read
/// (thesis figures 5.9 and A.1) and the time of training by level and stage (figure 5.5).
std::string report_html(const EvaluationReport& report);

}  // namespace fernwood::evaluate
