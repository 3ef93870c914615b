// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/teach/project.h"
#include "fernwood/teach/teaching.h"

namespace fernwood::teach {

/// Uncertainty of a forest's labels: 1 minus the margin between its two most probable classes (Scheffer et al. 2001,
/// section 3; Settles 2009, section 3.1), 255 where both are equally probable, 0 where one is certain.
/// @param probabilities  [class][rows][cols]
Array2<std::uint8_t> uncertainty_of(const std::vector<Array2<float>>& probabilities);

/// Summary of a frame for choosing the next one.
FrameUncertainty frame_uncertainty(const Array2<std::uint8_t>& uncertainty,
                                   const std::vector<Array2<float>>& probabilities);

/// A frame that may be chosen next.
struct FrameToTeach {
  std::size_t frame = 0;
  bool is_taught = false;
  FrameUncertainty uncertainty;
};

/// Most useful frames first: those with high uncertainty that differ from all taught frames (uncertainty times distance
/// to the nearest of them, after Settles 2009, section 5.1, and Sener and Savarese 2018). Frames are compared by the
/// shares of their classes. Ties keep their order; for taught frames, the usefulness is their uncertainty.
std::vector<std::size_t> rank_frames(const std::vector<FrameToTeach>& frames);

/// A stroke that held-out predictions mostly contradict.
struct SuspectStroke {
  std::uint64_t stroke = 0;
  std::size_t frame = 0;
  double right = 0;  ///< Share of its pixels that are predicted as its class.
};

/// Accuracy of held-out predictions.
struct CrossValidationReport {
  std::uint64_t version = 0;
  double pixel_accuracy = 0;                    ///< Over all pixels labelled by strokes.
  double class_accuracy = 0;                    ///< Mean over the classes with labelled pixels.
  std::vector<std::optional<double>> by_class;  ///< [of live_classes()] Empty: too few frames have the class.
  std::vector<SuspectStroke> suspects;          ///< The worst first.
};

/// Evaluates classes, their pixels and their strokes where the forest has learnt them from other frames; one frame at a
/// time, because each of its strokes is painted again.
class CrossValidation {
 public:
  /// @param project  Must outlive this object; all functions except the steps run on its thread.
  CrossValidation(HeldOutPredictions held_out, const Project& project);

  /// Work of a frame, for any thread, to be finished before any other call. Empty when none is left: everything is
  /// evaluated, or labels of the project have changed since.
  std::function<void()> next_step();
  /// @return  Empty when labels of the project have changed since, or fewer than two classes can be evaluated.
  std::optional<CrossValidationReport> report() const;

 private:
  struct RightPixels {
    std::uint64_t right = 0, all = 0;
    double share() const { return static_cast<double>(right) / static_cast<double>(all); }
  };
  static RightPixels right_of(const Stroke& stroke, const image::LabelImage& truth, const image::LabelImage& judged,
                              const std::vector<bool>& learnt);
  void judge(std::size_t i, const image::LabelImage& truth, const Strokes& strokes);
  bool is_outdated() const { return held_out_.version < project_.labels_version(); }

  const HeldOutPredictions held_out_;
  const Project& project_;
  std::size_t next_ = 0;  // of the held-out frames
  std::vector<RightPixels> of_class_;
  RightPixels all_;
  std::vector<SuspectStroke> suspects_;
};

}  // namespace fernwood::teach
