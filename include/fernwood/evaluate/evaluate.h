// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/confusion.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/evaluate/panoptic.h"
#include "fernwood/forest/forest.h"
#include "fernwood/objects/objects.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::evaluate {

/// Evaluation of one frame.
struct FrameScore {
  std::string name;
  double pixel_accuracy = 0;  ///< Without void, [0, 1]; NaN when the frame has no labelled pixel.
  double void_share = 0;      ///< Pixels of void ground truth over all pixels, [0, 1].
  double seconds = 0;         ///< Time for preparing and labelling, from memory to memory.
};

/// A frame for display, with its ground truth and prediction.
struct ShownFrame {
  std::string name;
  double pixel_accuracy = 0;  ///< As in FrameScore.
  image::Frame frame;
  image::LabelImage truth, predicted;
};

/// Some pixels of a frame, at equal distances, for small pictures of what is wrong.
struct SmallFrame {
  std::size_t frame = 0;       ///< Its index in EvaluationReport::frames.
  Array2<image::Rgb> picture;  ///< Colour; without, colorize_depth().
  image::LabelImage truth, predicted;
};

/// Result of an evaluation.
struct EvaluationReport {
  std::string model, dataset;  ///< Origins, for display.
  std::string device;          ///< Device and layout, for display.
  image::ClassMap classes;
  Confusion confusion{0};  ///< Over `classes`.
  Metrics metrics;
  double seconds = 0;  ///< Wall time of preparing and labelling the frames; reading them is not counted.
  std::vector<FrameScore> frames;
  std::vector<ShownFrame> worst, best;     ///< Beginning with the worst and the best frame; may be empty.
  std::vector<SmallFrame> small;           ///< With those: every frame, or every k-th of very many.
  std::vector<std::string> warnings;       ///< Classes of the data that the model lacks: Dataset::class_warnings().
  std::optional<PanopticReport> panoptic;  ///< If objects were found.

  /// Frames prepared and labelled per second; NaN if no time was measured.
  double frames_per_second() const;
  /// Median time of the frames in seconds; NaN without frames.
  double median_seconds() const;
  /// Mean pixel accuracy of the frames that have labelled pixels. Unlike metrics.without_void.pixel, it gives each
  /// frame the same weight, regardless of its number of labelled pixels.
  double mean_frame_accuracy() const;
  /// Name of the class that metrics.without_background leaves out, or "void".
  std::string background_name() const;
};

struct EvaluateOptions {
  bool pictures = false;  ///< Keep frames for display: report.worst, report.best and report.small.
  int num_pictures = 6;   ///< If so, number of frames: half of them the worst, half the best.
  /// Frames and ground truth are first rotated clockwise by this angle, see rotated(); not with pictures.
  double turned_degrees = 0;
  /// For steady labels: pass the poses in poses.txt to the predictor, and begin each recording without history.
  bool uses_poses = false;
  /// Find objects in the labels, and compare them with the instances of the frames that have some; the time of these
  /// frames includes finding. Unset: where the data set has instances and depth.
  std::optional<bool> finds_objects = std::nullopt;
  objects::ObjectOptions objects = {};

  static OptionTable<EvaluateOptions> table();
  void check() const;  ///< @throws OptionError for an option out of its range, Error(kUsage) for a contradiction.
};

/// Labels every frame of a data set and compares the labels with the ground truth. Frames are decoded on the pool, as
/// many at a time as it has threads, and labelled one after another by `predictor`, so memory does not grow with the
/// data set. Classes are matched by name, see Dataset::read_labels(). The background of the second accuracy is that of
/// the model or, if it has none, that of the data set.
/// @param forest  The model of `predictor`, for its classes and the channels that frames must have.
/// @param ranks  Processes that evaluate together: each labels its share of the frames, and all return the report. Its
///               seconds are those of the slowest rank, `progress` counts this rank's share, and only the first rank
///               gets pictures.
/// @throws Error(kModel) when the data set lacks colour or depth that the model reads; Error(kData) for a frame without
///         ground truth, a ground-truth colour that is unknown to the model, or ground truth of another size than the
///         frame; Error(kUsage) when the options of ranks differ; OptionError for objects where frames have no
///         instances or no depth; any exception of the predictor and `progress`.
EvaluationReport evaluate(predict::Predictor& predictor, const forest::Forest& forest, const dataset::Dataset& dataset,
                          const EvaluateOptions& options, ThreadPool& pool, const ProgressCallback& progress = {},
                          Communicator* ranks = nullptr);

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
