// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "fernwood/core/progress.h"
#include "fernwood/objects/objects.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/recordings/frame_source.h"

namespace fernwood::predict {

struct LiveOptions {
  std::size_t max_frames = 0;  ///< End after this number of labelled frames; 0: at the end of the source.
  recordings::CaptureOptions capture = {};
  objects::ObjectFinder* finder = nullptr;  ///< Finds the objects of each frame, for all outputs; null: none.

  static OptionTable<LiveOptions> table();
  void check() const;  ///< @throws OptionError for the first option out of its range.
};

/// A frame, its labels, and its processing times.
struct LiveFrame {
  recordings::CapturedFrame captured;
  Prediction prediction;
  double capture_s = 0;                    ///< Time in the source: waiting for a camera, or decoding.
  double predict_s = 0;                    ///< Time for preparing and labelling.
  double captured_at = 0;                  ///< seconds_now() when the source delivered the frame.
  std::optional<SteadyFrame> steady = {};  ///< See Predictor::last_steady().
};

/// Statistics of steady labels over the frames of a run.
struct SteadyReport {
  std::size_t num_frames = 0, num_alone = 0;  ///< Alone: frames with unknown motion, including the first.
  std::string why_alone;                      ///< Reason for the last of these other than the first frame.
  double followed = 0, evaluated = 0;         ///< Sums of the shares in SteadyFrame.

  void add(const SteadyFrame& frame);
};

/// Statistics of a run. Latency is the time from the delivery of a frame by the source until it has been shown.
struct LiveReport {
  std::size_t num_shown = 0;       ///< Frames labelled and shown.
  std::size_t num_captured = 0;    ///< Frames delivered by the source.
  std::size_t num_dropped = 0;     ///< Captured frames that were replaced by newer ones.
  std::size_t num_reconnects = 0;  ///< Number of times that the camera was lost and came back.
  double seconds = 0;              ///< From the request for the first frame until the last has been shown.
  Durations latency, capture, predict, show;
  SteadyReport steady;

  double frames_per_second() const { return seconds > 0 ? static_cast<double>(num_shown) / seconds : 0; }
};

/// Frame rate for display: an exponential moving average of the period, in which the newest one has a weight of 0.1.
class ShownRate {
 public:
  /// Counts a frame that is shown. @param now  seconds_now().
  void note(double now);
  /// Frames per second; 0 before the second frame.
  double per_second() const { return period_s_ > 0 ? 1 / period_s_ : 0; }

 private:
  double shown_at_ = 0, period_s_ = 0;
};

/// A consumer of labelled frames: a page, a window, a map, topics, a file, a measurement.
class LiveOutput {
 public:
  virtual ~LiveOutput() = default;
  /// Receives each frame that the source delivers, including those dropped later. Called on the capturing thread, which
  /// is blocked meanwhile.
  virtual void captured(const recordings::CapturedFrame& frame) { static_cast<void>(frame); }
  /// Whether the next prediction needs class probabilities; called on the predicting thread.
  virtual bool wants_probabilities() const { return false; }
  /// Returns false while the user pauses: nothing is shown, and a recording does not advance. This function and the
  /// next three are called on the calling thread.
  virtual bool wants_frame() { return true; }
  /// Shows a labelled frame. @return  False ends the run, after the other outputs have shown the frame.
  virtual bool show(const LiveFrame& frame, const LiveReport& so_far) = 0;
  /// Called between frames, at least every 20 ms, for example to poll the keyboard. @return  False ends the run.
  virtual bool idle() { return true; }
  /// Receives why the camera has failed or stalled, when attempts to reopen it begin, in one sentence; "": it delivers
  /// frames again.
  virtual void trouble(const std::string& why) { static_cast<void>(why); }
  /// Receives a warning on implausible depth in the first frames or, with steady labels, on implausible poses; each
  /// once. Called on the capturing or the calling thread. @param sentence  One sentence.
  virtual void warn(const OptionSentence& sentence) { static_cast<void>(sentence); }
  /// Receives a message for the user on a change during the run, from another output. @param sentence  One sentence.
  virtual void note(const std::string& sentence) { static_cast<void>(sentence); }
};

/// Called one after another, in this order.
using LiveOutputs = std::vector<std::reference_wrapper<LiveOutput>>;

/// Labels the frames of a source: camera -> queue -> predictor -> queue -> outputs. Frames are captured and labelled on
/// two threads and shown on the calling thread, concurrently. At most two frames wait between two stages, so memory is
/// bounded.
/// @param source  When it stalls, a thread holds it until it returns. The caller must not keep a reference to a camera:
///                it must be closed before it can be reopened.
/// @param stop    Ends the run like the end of the source: frames captured before are still labelled and shown.
/// @throws Error(kDevice) when a camera fails or stalls and does not come back, Error(kRuntime) when a recording fails
///         or stalls, Error(kData) when the size of a frame differs from the first, and any exception of the source,
///         the predictor and the outputs. All threads have ended by then, except one that a stalled source blocks.
LiveReport run_live(std::shared_ptr<recordings::FrameSource> source, Predictor& predictor, const LiveOutputs& outputs,
                    const LiveOptions& options = {}, std::stop_token stop = {});

}  // namespace fernwood::predict
