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

/// What is to be learnt, and what is to be labelled by it.
struct TrainingRequest {
  std::uint64_t version = 0;  ///< Of the project.
  /// Frames that have labels, with void where there are none; none: nothing is learnt. What gave them is not looked
  /// at.
  dataset::InMemoryFrames taught;
  std::vector<std::size_t> taught_frames;  ///< [of taught] As `frame` numbers them.
  /// Frames that have strokes, by which forests are judged, where labels of `taught` are carried from frame to frame:
  /// those would tell a forest what is drawn on frames that it is not to know. Without frames: `taught`.
  dataset::InMemoryFrames drawn = {};
  std::vector<std::size_t> drawn_frames = {};  ///< [of drawn]
  /// [of taught.config.classes] What LearntLabels are to call them.
  std::vector<std::uint16_t> class_numbers = {};
  std::vector<std::size_t> frames;  ///< To be labelled, the most useful first.
  /// Called on threads of the learner. A frame of the same number is the same in all requests.
  std::function<image::Frame(std::size_t frame)> frame = {};
};

struct LearnerOptions {
  /// Grown at once after each request; of `samples_per_frame` as many are drawn as `quick_samples` leave for a frame.
  train::TrainOptions quick;
  int quick_samples = 4000;  ///< Of all frames together, so that a request takes as long with many frames as with few.
  std::optional<train::TrainOptions> thorough = {};  ///< Grown when no request has come for a while.
  std::shared_ptr<const forest::Forest> known = {};  ///< Labels frames as long as nothing is taught; may be null.
  std::chrono::milliseconds rest{1500};              ///< That while.
  train::TrainResources resources = {};
  predict::PredictOptions predict = {};
  std::size_t kept_bytes = 0;  ///< For frames that are kept decoded and prepared; 0: a quarter of the memory there is.
};

/// What a frame would teach.
struct FrameUncertainty {
  float mean = 0;                  ///< Over its pixels, from 0 to 1.
  std::vector<float> shares = {};  ///< [class] mean probability.
};

/// Labels of a frame by a forest of a request.
struct LearntLabels {
  std::uint64_t version = 0;  ///< Of the request.
  bool is_thorough = false;
  std::size_t frame = 0;
  image::LabelImage labels;               ///< Indices of classes.
  Array2<std::uint8_t> uncertainty = {};  ///< [rows][cols] 255: two classes are as likely; 0: one is certain.
  FrameUncertainty frame_uncertainty = {};
  std::vector<image::ClassInfo> classes = {};  ///< Of the forest.
  /// [of classes] As the request numbers those of the same name, kVoid where it has none.
  std::vector<std::uint16_t> class_numbers = {};
};

/// A class is judged when so many frames have strokes of it: on one, by what was learnt from the others.
inline constexpr std::size_t kFramesToJudge = 3;

/// What forests say of frames that they have not learnt: cross-validation by frames (Hastie et al. 2009, section 7.10).
struct HeldOutPredictions {
  std::uint64_t version = 0;              ///< Of the request.
  std::vector<std::size_t> frames;        ///< Those that have strokes.
  std::vector<image::LabelImage> labels;  ///< [of frames] Indices of the request's classes.
  /// [of frames][class] Whether the forest that labelled it had learnt the class from kFramesToJudge - 1 frames.
  std::vector<std::vector<bool>> learnt;
};

/// What a learner calls, on threads of its own.
struct LearnerHooks {
  std::function<void(LearntLabels labels)> labelled = {};  ///< By several at once where a GPU labels.
  /// The forest of a request, before it labels frames.
  std::function<void(std::uint64_t version, bool is_thorough, std::shared_ptr<const forest::Forest>)> learnt = {};
  /// At rest, after the thorough forest, where two classes or more have strokes on kFramesToJudge frames.
  std::function<void(HeldOutPredictions held_out)> judged = {};
  std::function<void(const std::string& sentence)> failed = {};  ///< The request is over; the next may go well.
};

/// Learns on a thread of its own, so that drawing waits for nothing. A new request ends the one before, wherever it is.
class Learner {
 public:
  Learner(const LearnerOptions& options, LearnerHooks hooks);
  /// Ends the request in hand, soon.
  ~Learner();
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  /// From any thread; returns at once.
  void teach(TrainingRequest request);
  /// Labels a frame of the request in hand before the others; from any thread. Ends nothing.
  void prioritize(std::size_t frame);
  /// Smooths labels from now on, or does not where the extent is 0, and labels the frames of the request again by its
  /// newest forest; from any thread. Ends no training. @throws Error(kUsage) as Smoothing::check().
  void set_smoothing(const predict::Smoothing& smoothing);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace fernwood::teach
