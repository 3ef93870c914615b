// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/predict/live.h"

#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"
#include "fernwood/image/pose_agreement.h"
#include "predict/capture_stage.h"

namespace fernwood::predict {

namespace {

constexpr std::size_t kMaxLabelled = 1;
constexpr std::chrono::milliseconds kIdleEvery{20};

/// The second stage: labels incoming frames in a separate thread.
class PredictStage {
 public:
  PredictStage(BoundedQueue<LiveFrame>& in, Predictor& predictor, LiveSink& sink, WhenFull when_full)
      : in_(in), out_(kMaxLabelled, when_full), thread_([this, &predictor, &sink] { run(predictor, sink); }) {}
  ~PredictStage() { stop(); }

  BoundedQueue<LiveFrame>& out() { return out_; }
  void stop() {
    in_.close_and_clear();
    out_.close_and_clear();
    if (thread_.joinable()) thread_.join();
  }
  /// Valid after stop().
  std::exception_ptr failure() const { return failure_; }

 private:
  void run(Predictor& predictor, LiveSink& sink) {
    try {
      while (std::optional<LiveFrame> frame = in_.pop()) {
        const double begin = seconds_now();
        image::FrameImages images(*frame->captured.frame);
        images.pose = frame->captured.pose;
        frame->prediction = predictor.predict(images, sink.request());
        frame->steady = predictor.last_steady();
        frame->predict_s = seconds_now() - begin;
        if (!out_.push(std::move(*frame))) break;
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    in_.close_and_clear();
    out_.close();
  }

  BoundedQueue<LiveFrame>& in_;
  BoundedQueue<LiveFrame> out_;
  std::exception_ptr failure_;
  std::thread thread_;
};

/// Warns about poses that do not fit the depth images, and would misplace labels.
class PoseWatch {
 public:
  PoseWatch(std::string source, LiveSink& sink) : source_(std::move(source)), sink_(sink) {}

  void add(const recordings::CapturedFrame& captured) {
    if (has_told_ || !captured.pose || !image::problem_of(*captured.pose).empty() || captured.frame->depth_mm.empty())
      return;
    meter_.add(captured.frame, *captured.pose);
    if (++num_frames_ % kFramesPerLook != 0) return;
    tell();
    meter_ = image::PoseMeter(kPairsPerScale);  // a camera may run for days
  }
  /// Evaluates a recording that is too short for a regular check.
  void end() {
    if (num_frames_ < kFramesPerLook) tell();
  }

 private:
  void tell() {
    for (const std::string& problem : meter_.agreement().problems(source_)) {
      sink_.warn(problem);
      has_told_ = true;
    }
  }

  // A few per cent of a frame's time for each scale; a check spans seconds, so that moving objects do not matter.
  static constexpr std::size_t kPairsPerScale = 20, kFramesPerLook = 6 * kPairsPerScale;
  std::string source_;
  LiveSink& sink_;
  image::PoseMeter meter_{kPairsPerScale};
  std::size_t num_frames_ = 0;
  bool has_told_ = false;
};

/// The third stage, on the calling thread.
class ShowStage {
 public:
  ShowStage(const std::string& source, LiveSink& sink, const LiveOptions& options, double started_at)
      : sink_(sink), options_(options), started_at_(started_at), poses_(source, sink) {}

  /// False: the run has ended.
  bool show(const LiveFrame& frame) {
    const double begin = seconds_now();
    const bool go_on = sink_.show(frame, report_);
    const double end = seconds_now();
    report_.capture.add(frame.capture_s);
    report_.predict.add(frame.predict_s);
    report_.show.add(end - begin);
    if (frame.steady) {
      report_.steady.add(*frame.steady);
      poses_.add(frame.captured);
    }
    report_.latency.add(end - frame.captured_at);
    report_.seconds = end - started_at_;
    ++report_.num_shown;
    return go_on && report_.num_shown != options_.max_frames;
  }
  LiveReport& report() { return report_; }
  void end() { poses_.end(); }

 private:
  LiveSink& sink_;
  const LiveOptions& options_;
  double started_at_;
  PoseWatch poses_;
  LiveReport report_;
};

void count(SteadyCapture& capture, PredictStage& predict, LiveReport& report) {
  report.num_captured = capture.num_captured();
  report.num_dropped = capture.out().num_replaced() + predict.out().num_replaced();
  report.num_reconnects = capture.num_reconnects();
}

/// Shows frames until the source ends, the sink ends the run, or a stop is requested; the frames captured before the
/// stop are still shown, unless the user pauses.
void show_all(SteadyCapture& capture, PredictStage& predict, ShowStage& show, LiveSink& sink,
              const std::stop_token& stop) {
  while (true) {
    const bool is_stopping = stop.stop_requested();
    if (is_stopping) capture.request_stop();
    capture.watch();
    count(capture, predict, show.report());
    const bool wants_frame = sink.wants_frame();
    if (is_stopping && !wants_frame) return;
    capture.hold(!wants_frame);
    std::optional<LiveFrame> frame;
    if (wants_frame)
      frame = predict.out().pop_for(kIdleEvery);
    else
      std::this_thread::sleep_for(kIdleEvery);
    if (frame && !show.show(*frame)) return;
    if (!frame && predict.out().is_finished()) return;
    if (!sink.idle()) return;
  }
}

}  // namespace

void SteadyReport::add(const SteadyFrame& frame) {
  if (!frame.motion && num_frames > 0) why_alone = frame.why_not;
  ++num_frames;
  num_alone += !frame.motion;
  followed += frame.followed;
  evaluated += frame.evaluated;
}

void ShownRate::note(double now) {
  constexpr double kNewShare = 0.1;
  const double period_s = now - shown_at_;
  if (shown_at_ > 0) period_s_ = period_s_ > 0 ? period_s_ + kNewShare * (period_s - period_s_) : period_s;
  shown_at_ = now;
}

LiveReport run_live(std::shared_ptr<recordings::FrameSource> source, Predictor& predictor, LiveSink& sink,
                    const LiveOptions& options, std::stop_token stop) {
  options.check();
  const double started_at = seconds_now();
  const std::string name = source->name();
  SteadyCapture capture(std::move(source), sink, options);
  PredictStage predict(capture.out(), predictor, sink,
                       options.every_frame ? WhenFull::kWait : WhenFull::kReplaceOldest);
  ShowStage show(name, sink, options, started_at);
  show_all(capture, predict, show, sink, stop);
  show.end();
  count(capture, predict, show.report());
  predict.stop();
  capture.stop();
  for (const std::exception_ptr& failure : {predict.failure(), capture.failure()})
    if (failure) std::rethrow_exception(failure);
  return std::move(show.report());
}

}  // namespace fernwood::predict
