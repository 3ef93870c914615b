// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "fernwood/core/progress.h"
#include "fernwood/dataset/frame_source.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::predict {

struct LiveOptions {
  bool every_frame = false;     ///< Drop no frame: the source waits for the labels. Else the newest frame wins.
  std::size_t max_frames = 0;   ///< End after so many labelled frames; 0: at the end of the source.
  double rate_hz = 0;           ///< Frames a second that are taken from a recording; 0: as fast as it can be read.
  bool recorded_times = false;  ///< Take them when they are due by the times they carry; rate_hz is not looked at.
  double stall_timeout_s = 5;   ///< A source that gives no frame for this long has stalled.
  double reconnect_s = 10;      ///< A camera that fails or stalls is opened again for so long; 0: it ends the run.
  /// Opens the camera again, never null; called on the capturing thread when the old one is closed. Empty: as 0 above.
  std::function<std::shared_ptr<dataset::FrameSource>()> reopen = nullptr;
  SecondsClock clock = seconds_now;  ///< Tells when a source has stalled and a camera is opened again.
  static OptionTable<LiveOptions> table();
  void check() const;  ///< @throws OptionError for the first option out of its range.
};

/// A frame, its labels, and how long it took.
struct LiveFrame {
  dataset::CapturedFrame captured;
  Prediction prediction;
  double capture_s = 0;                    ///< In the source: waiting for a camera, or decoding.
  double predict_s = 0;                    ///< Preparing and labelling.
  double captured_at = 0;                  ///< seconds_now() when the source had delivered it.
  std::optional<SteadyFrame> steady = {};  ///< As Predictor::last_steady().
};

/// How the frames of a run followed one another, where labels are steady.
struct SteadyReport {
  std::size_t num_frames = 0, num_alone = 0;  ///< Alone: of which the motion is not known, the first one included.
  std::string why_alone;                      ///< Of the last of these but the first frame.
  double followed = 0, evaluated = 0;         ///< Sums of SteadyFrame's shares.

  void add(const SteadyFrame& frame);
};

/// What a run did. Latency is the time from when the source had delivered a frame until it was shown.
struct LiveReport {
  std::size_t num_shown = 0;       ///< Labelled and shown.
  std::size_t num_captured = 0;    ///< Delivered by the source.
  std::size_t num_dropped = 0;     ///< Of these, those that made room for newer ones.
  std::size_t num_reconnects = 0;  ///< Times that the camera was lost and came back.
  double seconds = 0;              ///< From asking for the first frame to having shown the last.
  Durations latency, capture, predict, show;
  SteadyReport steady;

  double frames_per_second() const { return seconds > 0 ? static_cast<double>(num_shown) / seconds : 0; }
};

/// Frames a second as people can read it: the newest counts for a tenth.
class ShownRate {
 public:
  /// A frame is shown. @param now  seconds_now().
  void note(double now);
  /// 0 before the second frame.
  double per_second() const { return period_s_ > 0 ? 1 / period_s_ : 0; }

 private:
  double shown_at_ = 0, period_s_ = 0;
};

/// Where labelled frames go: a window, a file, a measurement.
class LiveSink {
 public:
  virtual ~LiveSink() = default;
  /// Each frame as the source delivers it, dropped later or not; on the capturing thread, which waits.
  virtual void captured(const dataset::CapturedFrame& frame) { static_cast<void>(frame); }
  /// What is implausible about the depth of the first frames, or, where labels are steady, about poses; each once. On
  /// the capturing or the calling thread. @param sentence  One.
  virtual void warn(const OptionSentence& sentence) { static_cast<void>(sentence); }
  /// What is asked of the next prediction; on the predicting thread.
  virtual PredictRequest request() { return {}; }
  /// False while the user pauses: nothing is shown, and a recording stands still. On the calling thread, as all below.
  virtual bool wants_frame() { return true; }
  /// A labelled frame. False ends the run.
  virtual bool show(const LiveFrame& frame, const LiveReport& so_far) = 0;
  /// Called between frames, at least every 20 ms: the place to look at keys. False ends the run.
  virtual bool idle() { return true; }
  /// The camera fails or stalls, and is opened again from now on. @param why  One sentence.
  virtual void camera_lost(const std::string& why) { static_cast<void>(why); }
  /// What has changed while it runs, for people. On the calling thread. @param sentence  One.
  virtual void note(const std::string& sentence) { static_cast<void>(sentence); }
  /// It gives frames again.
  virtual void camera_back() {}
};

/// Hands all to another sink: a base of those that do something more.
class ForwardingSink : public LiveSink {
 public:
  /// @param inner  Must outlive this.
  explicit ForwardingSink(LiveSink& inner) : inner_(inner) {}
  void captured(const dataset::CapturedFrame& frame) override { inner_.captured(frame); }
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

/// Labels what a source delivers: capturing and predicting on threads of their own, showing on the calling thread, all
/// at the same time. At most two frames wait between two stages, so memory stays flat.
/// @param source  Kept by a thread for as long as it does not return, when it stalls. A camera is to be given away, or
///                it cannot be closed before it is opened again.
/// @param stop    Ends the run as the end of the source does.
/// @throws Error(kDevice) when a camera fails or stalls and does not come back, Error(kRuntime) when a recording does,
///         Error(kData) when a frame has another size than the first, and whatever else the source, the predictor and
///         the sink throw; all threads have ended by then.
LiveReport run_live(std::shared_ptr<dataset::FrameSource> source, Predictor& predictor, LiveSink& sink,
                    const LiveOptions& options = {}, std::stop_token stop = {});

}  // namespace fernwood::predict
