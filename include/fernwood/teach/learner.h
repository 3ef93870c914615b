// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/dataset/dataset.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/train/train.h"

namespace fernwood::teach {

/// Labelled frames from which the model is to be updated, and the frames that it then labels.
struct TrainingRequest {
  std::uint64_t version = 0;  ///< Version of the project.
  /// Labelled frames, with void at unlabelled pixels, whether labels were drawn or carried. Empty: no training.
  dataset::InMemoryFrames taught;
  std::vector<std::size_t> taught_frames;  ///< [of taught] Numbers for `frame`.
  /// Frames with strokes, for cross-validation, if `taught` has carried labels: these would give a forest the strokes
  /// of frames that are held out. Empty: `taught` is used.
  dataset::InMemoryFrames drawn = {};
  std::vector<std::size_t> drawn_frames = {};  ///< [of drawn] Numbers for `frame`.
  /// [of taught.config.classes] Class numbers for LearntLabels.
  std::vector<std::uint16_t> class_numbers = {};
  std::vector<std::size_t> frames;  ///< Frames to label, the most useful first.
  /// Reads a frame; called on threads of the learner. A number means the same frame in all requests.
  std::function<image::Frame(std::size_t frame)> frame = {};
};

struct LearnerOptions {
  /// Training immediately after each request; `samples_per_frame` is reduced so that `quick_samples` are not exceeded.
  train::TrainOptions quick;
  int quick_samples = 4000;  ///< Samples of all frames together, so that the time does not depend on their number.
  std::optional<train::TrainOptions> thorough = {};  ///< Training when no request has come for `rest`.
  std::shared_ptr<const forest::Forest> known = {};  ///< Labels frames until something is taught; may be null.
  std::chrono::milliseconds rest{1500};              ///< Idle time before the thorough training.
  train::TrainResources resources = {};
  predict::PredictOptions predict = {};
  std::size_t kept_bytes = 0;  ///< Cache size for decoded and prepared frames; 0: a quarter of the memory.
};

/// The benefit of labelling a frame.
struct FrameUncertainty {
  float mean = 0;                  ///< Mean uncertainty of its pixels, from 0 to 1.
  std::vector<float> shares = {};  ///< [class] Mean probability.
};

/// Labels of a frame by a forest of a request.
struct LearntLabels {
  std::uint64_t version = 0;  ///< Version of the request.
  bool is_thorough = false;
  std::size_t frame = 0;
  image::LabelImage labels;               ///< Indices of classes.
  Array2<std::uint8_t> uncertainty = {};  ///< [rows][cols] 255: two classes are equally likely; 0: one is certain.
  FrameUncertainty frame_uncertainty = {};
  std::vector<image::ClassInfo> classes = {};  ///< Classes of the forest.
  /// [of classes] Number of the request's class with this name; kVoid if there is none.
  std::vector<std::uint16_t> class_numbers = {};
};

/// Number of frames with strokes of a class from which it is cross-validated: one is held out, the others train.
inline constexpr std::size_t kFramesToJudge = 3;

/// Labels of frames by forests that have not seen them: cross-validation by frames (Hastie et al. 2009, section 7.10).
struct HeldOutPredictions {
  std::uint64_t version = 0;              ///< Version of the request.
  std::vector<std::size_t> frames;        ///< Frames with strokes.
  std::vector<image::LabelImage> labels;  ///< [of frames] Indices of the request's classes.
  /// [of frames][class] Whether the forest that labelled it was trained on kFramesToJudge - 1 frames with the class.
  std::vector<std::vector<bool>> learnt;
};

/// Callbacks of a learner, on its own threads.
struct LearnerHooks {
  std::function<void(LearntLabels labels)> labelled = {};  ///< From several threads at once if a GPU labels.
  /// Called with the forest of a request, before it labels frames.
  std::function<void(std::uint64_t version, bool is_thorough, std::shared_ptr<const forest::Forest>)> learnt = {};
  /// Called when idle, after the thorough forest, if two or more classes have strokes on kFramesToJudge frames.
  std::function<void(HeldOutPredictions held_out)> judged = {};
  std::function<void(const std::string& sentence)> failed = {};  ///< The request has failed; the next one may succeed.
};

/// Trains on its own thread, so that drawing never waits. A new request cancels the previous one.
class Learner {
 public:
  Learner(const LearnerOptions& options, LearnerHooks hooks);
  /// Cancels the current request, soon.
  ~Learner();
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  /// Submits a request; from any thread. Returns at once.
  void teach(TrainingRequest request);
  /// Labels a frame of the current request before the others; from any thread. Cancels nothing.
  void prioritize(std::size_t frame);
  /// Sets the smoothing of labels, extent 0 for none, and labels the frames of the request again with its newest
  /// forest; from any thread. Does not cancel training. @throws Error(kUsage) as Smoothing::check().
  void set_smoothing(const predict::Smoothing& smoothing);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace fernwood::teach
