// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// How steady and how quick labels of a recording are, by the poses and depths of its frames.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/option_table.h"
#include "fernwood/core/progress.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/frame_source.h"
#include "fernwood/evaluate/confusion.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::evaluate {

/// A way to label a recording. Frames come one after another, with their poses where they have some, so that it may
/// remember those before; none is left out.
struct SequenceLabeller {
  std::string name;  ///< "single", "steady" …
  std::function<image::LabelImage(const dataset::CapturedFrame& frame)> label;
};
/// @param predictor  Must outlive the labeller. @param tells_poses  Else it has to find motions itself, as of a camera.
SequenceLabeller labeller_by(std::string name, predict::Predictor& predictor, bool tells_poses = true);

/// The true classes of the frame of a name; nothing where they are not known.
using FindTruth = std::function<std::optional<image::LabelImage>(const std::string& name)>;
/// That of the frames of a data set that have truth. @param dataset  Must outlive the function.
FindTruth truth_by_name(const dataset::Dataset& dataset, const image::ClassMap& classes);

struct SequenceOptions {
  int every = 1;  ///< Of every so many frames one is taken, [1, 1000].
  static OptionTable<SequenceOptions> table();
  void check() const;  ///< @throws OptionError naming the option out of its range.
};

/// Some of all pixels, or places, that were looked at.
struct PixelCount {
  std::uint64_t some = 0, all = 0;

  void add(bool counts) {
    some += counts ? 1 : 0;
    ++all;
  }
  double share() const;  ///< NaN where none was looked at.
  PixelCount& operator+=(const PixelCount& more);
};

/// After how many frames places whose class had changed were labelled right again; 0: at once.
struct LagCounts {
  std::vector<std::uint64_t> places;  ///< [frames]
  std::uint64_t lost = 0;             ///< Places that went out of sight, or changed again, before they were right.

  void add(std::size_t frames);
  std::uint64_t num_right() const;
  double mean() const;    ///< NaN where no place has changed.
  double median() const;  ///< The lower one of two; NaN as mean().
  double worst() const;   ///< NaN as mean().
  LagCounts& operator+=(const LagCounts& more);
};

inline constexpr std::size_t kShadowFrames = 10;

/// What one way of labelling is worth.
struct SequenceScore {
  std::string name;
  /// Pixels that a frame and the one before both see and that have other labels in the two; without void ones.
  PixelCount flicker;
  Confusion confusion{0};  ///< Of the frames with truth, and empty without.
  Metrics metrics;
  LagCounts lag;
  /// [k - 1] Pixels of places that a thing has left, k frames after: those that still have its class.
  std::array<PixelCount, kShadowFrames> shadow;
  std::vector<double> frame_flicker;   ///< [frame] Share; NaN where nothing is seen twice.
  std::vector<double> frame_accuracy;  ///< [frame] Pixel accuracy without void; NaN without truth.
  double seconds = 0;                  ///< Of labelling.
};

/// What the evaluation of a recording, or of some, found.
struct SequenceReport {
  std::string model, recording, device;  ///< For people.
  image::ClassMap classes;
  std::vector<std::string> frames;  ///< [frame] Names.
  std::size_t num_recordings = 1;
  std::size_t num_with_truth = 0;    ///< Frames.
  std::size_t num_pairs = 0;         ///< Frames that were compared with the one before.
  PixelCount seen_twice;             ///< Of the pixels of those that were looked at.
  PixelCount fit;                    ///< Places whose depth is that of the frame before, of those with depth in both.
  std::uint64_t changed_places = 0;  ///< Places whose true class has changed.
  std::vector<SequenceScore> scores;
  std::vector<std::string> warnings;  ///< A sentence each: poses that do not fit.
};

/// Labels a recording in all ways and compares each frame with the one before. One pixel of each four by four is looked
/// at. A pixel is seen twice where its place, by both poses, has its depth in the frame before (image::DepthView).
/// Where less than half of the places fit, poses or depths are wrong: the two frames are not compared, and warnings
/// tell.
///
/// Where both frames have truth, a place has changed if its class is another than that which the frame before saw
/// there, on the same surface, through where the place is now, or on a thing in front that is gone by now; what only
/// comes into sight has not. Changed places are followed by poses until they are labelled right.
/// @param find_truth  May be empty.
/// @throws Error(kData) for a recording with less than two frames, without depth or poses, or whose poses fit nowhere;
///         what source, labellers and truth throw.
SequenceReport evaluate_sequence(dataset::FrameSource& source, const image::ClassMap& classes,
                                 const FindTruth& find_truth, const std::vector<SequenceLabeller>& labellers,
                                 const SequenceOptions& options = {}, const ProgressCallback& progress = {});

/// Adds what was found of another recording by the same ways of labelling.
void append(SequenceReport& all, SequenceReport more);

}  // namespace fernwood::evaluate
