// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "fernwood/core/progress.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/recordings/frame_source.h"

namespace fernwood::predict {

struct LiveOptions {
  bool every_frame = false;     ///< Drop no frame: the source waits for the labels. Otherwise the newest frame wins.
  std::size_t max_frames = 0;   ///< End after this number of labelled frames; 0: at the end of the source.
  double rate_hz = 0;           ///< Playback rate of a recording, in frames per second; 0: as fast as it can be read.
  bool recorded_times = false;  ///< Play a recording back by the times of its frames; rate_hz is ignored.
  double stall_timeout_s = 5;   ///< Time without a frame after which the source has stalled.
  double reconnect_s = 10;      ///< Time for which a camera that fails or stalls is reopened; 0: it ends the run.
  /// Reopens the camera; must not return null. Called on the capturing thread, after the old source has been closed.
  /// Empty: as reconnect_s = 0.
  std::function<std::shared_ptr<recordings::FrameSource>()> reopen = nullptr;
  SecondsClock clock = seconds_now;  ///< Clock for stall_timeout_s and reconnect_s.
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

/// Consumer of labelled frames: a window, a file, a benchmark.
class LiveSink {
 public:
  virtual ~LiveSink() = default;
  /// Receives each frame that the source delivers, including those dropped later. Called on the capturing thread, which
  /// is blocked meanwhile.
  virtual void captured(const recordings::CapturedFrame& frame) { static_cast<void>(frame); }
  /// Receives a warning on implausible depth in the first frames or, with steady labels, on implausible poses; each
  /// once. Called on the capturing or the calling thread. @param sentence  One sentence.
  virtual void warn(const OptionSentence& sentence) { static_cast<void>(sentence); }
  /// The outputs to compute for the next prediction; called on the predicting thread.
  virtual PredictRequest request() { return {}; }
  /// Returns false while the user pauses: nothing is shown, and a recording does not advance. This function and all
  /// below are called on the calling thread.
  virtual bool wants_frame() { return true; }
  /// Shows a labelled frame. @return  False ends the run.
  virtual bool show(const LiveFrame& frame, const LiveReport& so_far) = 0;
  /// Called between frames, at least every 20 ms, for example to poll the keyboard. @return  False ends the run.
  virtual bool idle() { return true; }
  /// The camera has failed or stalled, and attempts to reopen it begin. @param why  One sentence.
  virtual void camera_lost(const std::string& why) { static_cast<void>(why); }
  /// Receives a message for the user on a change during the run. @param sentence  One sentence.
  virtual void note(const std::string& sentence) { static_cast<void>(sentence); }
  /// The camera delivers frames again.
  virtual void camera_back() {}
};

/// Forwards all calls to another sink: a base class for sinks that add something.
class ForwardingSink : public LiveSink {
 public:
  /// @param inner  Must outlive this.
  explicit ForwardingSink(LiveSink& inner) : inner_(inner) {}
  void captured(const recordings::CapturedFrame& frame) override { inner_.captured(frame); }
  void warn(const OptionSentence& sentence) override { inner_.warn(sentence); }
  PredictRequest request() override { return inner_.request(); }
  bool wants_frame() override { return inner_.wants_frame(); }
  bool show(const LiveFrame& frame, const LiveReport& so_far) override { return inner_.show(frame, so_far); }
  bool idle() override { return inner_.idle(); }
  void camera_lost(const std::string& why) override { inner_.camera_lost(why); }
  void note(const std::string& sentence) override { inner_.note(sentence); }
  void camera_back() override { inner_.camera_back(); }

 protected:
  LiveSink& inner_;
};

/// Labels the frames of a source. Frames are captured and labelled on two threads and shown on the calling thread,
/// concurrently. At most two frames wait between two stages, so memory is bounded.
/// @param source  When it stalls, a thread holds it until it returns. The caller must not keep a reference to a camera:
///                it must be closed before it can be reopened.
/// @param stop    Ends the run like the end of the source: frames captured before are still labelled and shown.
/// @throws Error(kDevice) when a camera fails or stalls and does not come back, Error(kRuntime) when a recording fails
///         or stalls, Error(kData) when the size of a frame differs from the first, and any exception of the source,
///         the predictor and the sink. All threads have ended by then, except one that a stalled source blocks.
LiveReport run_live(std::shared_ptr<recordings::FrameSource> source, Predictor& predictor, LiveSink& sink,
                    const LiveOptions& options = {}, std::stop_token stop = {});

}  // namespace fernwood::predict
