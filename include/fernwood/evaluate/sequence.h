// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Temporal consistency and lag of the labels of a recording, measured by the poses and depths of its frames.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/confusion.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/recordings/frame_source.h"

namespace fernwood::evaluate {

/// A way to label a recording. It may keep a state, because it receives all frames in order, with their poses where
/// available.
struct SequenceLabeller {
  std::string name;  ///< "single", "steady" …
  std::function<image::LabelImage(const recordings::CapturedFrame& frame)> label;
};
/// A labeller that uses a predictor.
/// @param predictor    Must outlive the labeller.
/// @param tells_poses  Pass on the poses of frames; otherwise the predictor estimates motion itself, as for a camera.
SequenceLabeller labeller_by(std::string name, predict::Predictor& predictor, bool tells_poses = true);

/// Returns the ground truth of the frame with a name; empty if it has none.
using FindTruth = std::function<std::optional<image::LabelImage>(const std::string& name)>;
/// Finds the ground truth of frames in a data set. @param dataset  Must outlive the function.
FindTruth truth_by_name(const dataset::Dataset& dataset, const image::ClassMap& classes);

struct SequenceOptions {
  int every = 1;  ///< Use one frame in `every`, [1, 1000].
  static OptionTable<SequenceOptions> table();
  void check() const;  ///< @throws OptionError naming the option out of its range.
};

/// A share of pixels or places: `some` of `all` that were tested.
struct PixelCount {
  std::uint64_t some = 0, all = 0;

  void add(bool counts) {
    some += counts ? 1 : 0;
    ++all;
  }
  double share() const;  ///< NaN if none was tested.
  PixelCount& operator+=(const PixelCount& more);
};

/// Lags: the number of frames until a place whose class has changed is labelled correctly; 0: at once.
struct LagCounts {
  std::vector<std::uint64_t> places;  ///< [lag in frames] Number of places.
  std::uint64_t lost =
      0;  ///< Places that left the view, changed again, or aged over 300 frames before they were correct.

  void add(std::size_t frames);
  std::uint64_t num_right() const;
  double mean() const;    ///< In frames; NaN if no place became correct.
  double median() const;  ///< The lower of the two middle values; NaN like mean().
  double worst() const;   ///< NaN like mean().
  LagCounts& operator+=(const LagCounts& more);
};

inline constexpr std::size_t kShadowFrames = 10;

/// Evaluation of one way of labelling.
struct SequenceScore {
  std::string name;
  /// Of the pixels visible in a frame and the previous one, those whose labels differ; void pixels are not counted.
  PixelCount flicker;
  Confusion confusion{0};  ///< Of the frames with ground truth; empty without.
  Metrics metrics;
  LagCounts lag;
  /// [k - 1] Of the pixels at places that an object has left, those that still have its class k frames later.
  std::array<PixelCount, kShadowFrames> shadow;
  std::vector<double> frame_flicker;   ///< [frame] Share; NaN if no pixel is visible twice.
  std::vector<double> frame_accuracy;  ///< [frame] Pixel accuracy without void; NaN without ground truth.
  double seconds = 0;                  ///< Time for labelling.
};

/// Result of the evaluation of one or several recordings.
struct SequenceReport {
  std::string model, recording, device;  ///< For display.
  image::ClassMap classes;
  std::vector<std::string> frames;  ///< [frame] Names.
  std::size_t num_recordings = 1;
  std::size_t num_with_truth = 0;    ///< Frames with ground truth.
  std::size_t num_pairs = 0;         ///< Frames that were compared with the previous one.
  PixelCount seen_twice;             ///< Of the tested pixels of these frames, those visible in the previous one.
  PixelCount fit;                    ///< Of the places with depth in both frames, those whose depths agree.
  std::uint64_t changed_places = 0;  ///< Places whose true class has changed.
  std::vector<SequenceScore> scores;
  std::vector<std::string> warnings;  ///< On poses that do not fit: one sentence each.
};

/// Labels a recording in all ways and compares each frame with the previous one. One pixel per 4 x 4 cell is tested. A
/// pixel is visible twice if its place, by both poses, has the same depth in the previous frame (image::DepthView). If
/// less than half of the places fit, poses or depths are wrong: the two frames are not compared, and a warning is
/// added.
///
/// If both frames have ground truth, a place has changed if its class differs from the class that the previous frame
/// saw there: on the same surface, on a surface behind it (an object has arrived), or on an object in front of it that
/// is gone now. Places that only come into view have not changed. Changed places are followed by poses until they are
/// labelled correctly.
/// @param find_truth  May be empty.
/// @throws Error(kData) for a recording with less than two frames, without depth or poses, or whose poses never fit;
///         any exception of source, labellers and find_truth.
SequenceReport evaluate_sequence(recordings::FrameSource& source, const image::ClassMap& classes,
                                 const FindTruth& find_truth, const std::vector<SequenceLabeller>& labellers,
                                 const SequenceOptions& options = {}, const ProgressCallback& progress = {});

/// Adds the report of another recording, labelled in the same ways.
void append(SequenceReport& all, SequenceReport more);

}  // namespace fernwood::evaluate
