// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "fernwood/teach/project.h"
#include "fernwood/teach/teaching.h"

namespace fernwood::teach {

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
  struct JudgedStroke {
    std::uint64_t number = 0;
    std::shared_ptr<const DrawnStroke> stroke;
  };

  static RightPixels right_of(const Stroke& stroke, const image::LabelImage& truth, const image::LabelImage& judged,
                              const std::vector<bool>& learnt);
  void judge(std::size_t i, const image::LabelImage& truth, const std::vector<JudgedStroke>& strokes);
  bool is_outdated() const { return held_out_.version < project_.labels_version(); }

  const HeldOutPredictions held_out_;
  const Project& project_;
  std::size_t next_ = 0;  // of the held-out frames
  std::vector<RightPixels> of_class_;
  RightPixels all_;
  std::vector<SuspectStroke> suspects_;
};

/// Executes all steps.
std::optional<CrossValidationReport> validation_of(const HeldOutPredictions& held_out, const Project& project);

}  // namespace fernwood::teach
