// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/predict/live.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "core/bounded_queue.h"
#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"
#include "fernwood/image/pose_agreement.h"
#include "recordings/capture.h"

namespace fernwood::predict {

namespace {

constexpr std::size_t kMaxLabelled = 1;
constexpr std::chrono::milliseconds kIdleEvery{20};

/// Calls all outputs. @return  Whether each returned true.
template <typename Call>
bool each_agrees(const LiveOutputs& outputs, const Call& call) {
  bool agrees = true;
  for (LiveOutput& output : outputs) agrees &= call(output);
  return agrees;
}

/// Labels incoming frames in a separate thread.
class PredictStage {
 public:
  PredictStage(BoundedQueue<recordings::TimedFrame>& in, Predictor& predictor, const LiveOutputs& outputs,
               objects::ObjectFinder* finder, WhenFull when_full)
      : in_(in),
        out_(kMaxLabelled, when_full),
        thread_([this, &predictor, &outputs, finder] { run(predictor, outputs, finder); }) {}
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
  void run(Predictor& predictor, const LiveOutputs& outputs, objects::ObjectFinder* finder) {
    try {
      while (std::optional<recordings::TimedFrame> frame = in_.pop()) {
        const double begin = seconds_now();
        image::FrameImages images(*frame->captured.frame);
        images.pose = frame->captured.pose;
        const bool probabilities =
            std::ranges::any_of(outputs, [](const LiveOutput& output) { return output.wants_probabilities(); });
        LiveFrame labelled{.captured = std::move(frame->captured),
                           .prediction = predictor.predict(images, {.probabilities = probabilities, .objects = finder}),
                           .capture_s = frame->capture_s,
                           .captured_at = frame->captured_at,
                           .steady = predictor.last_steady()};
        labelled.predict_s = seconds_now() - begin;
        if (!out_.push(std::move(labelled))) break;
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    in_.close_and_clear();
    out_.close();
  }

  BoundedQueue<recordings::TimedFrame>& in_;
  BoundedQueue<LiveFrame> out_;
  std::exception_ptr failure_;
  std::thread thread_;
};

/// Warns about poses that do not fit the depth images, and would misplace labels.
class PoseWatch {
 public:
  PoseWatch(std::string source, const LiveOutputs& outputs) : source_(std::move(source)), outputs_(outputs) {}

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
      for (LiveOutput& output : outputs_) output.warn(problem);
      has_told_ = true;
    }
  }

  // A few per cent of a frame's time for each scale; a check spans seconds, so that moving objects do not matter.
  static constexpr std::size_t kPairsPerScale = 20, kFramesPerLook = 6 * kPairsPerScale;
  std::string source_;
  const LiveOutputs& outputs_;
  image::PoseMeter meter_{kPairsPerScale};
  std::size_t num_frames_ = 0;
  bool has_told_ = false;
};

/// Camera -> queue -> predictor -> queue -> outputs; the outputs are called on the calling thread.
class LiveRun {
 public:
  LiveRun(std::shared_ptr<recordings::FrameSource> source, Predictor& predictor, const LiveOutputs& outputs,
          const LiveOptions& options)
      : outputs_(outputs),
        options_(options),
        started_at_(seconds_now()),
        poses_(source->name(), outputs),
        capture_(std::move(source), options.capture, hooks()),
        predict_(capture_.out(), predictor, outputs, options.finder,
                 options.capture.every_frame ? WhenFull::kWait : WhenFull::kReplaceOldest) {}

  LiveReport run(const std::stop_token& stop) {
    show_all(stop);
    poses_.end();
    count();
    predict_.stop();
    capture_.stop();
    for (const std::exception_ptr& failure : {predict_.failure(), capture_.failure()})
      if (failure) std::rethrow_exception(failure);
    return std::move(report_);
  }

 private:
  recordings::CaptureHooks hooks() {
    const auto captured = [this, count = std::size_t{0}](const recordings::CapturedFrame& frame) mutable {
      for (LiveOutput& output : outputs_) output.captured(frame);
      return !(options_.capture.every_frame && ++count == options_.max_frames);
    };
    const auto warn = [this](const OptionSentence& sentence) {
      for (LiveOutput& output : outputs_) output.warn(sentence);
    };
    const auto trouble = [this](const std::string& why) {
      for (LiveOutput& output : outputs_) output.trouble(why);
    };
    return {captured, warn, trouble};
  }

  /// Shows frames until the source ends, an output ends the run, or a stop is requested; the frames captured before the
  /// stop are still shown, unless the user pauses.
  void show_all(const std::stop_token& stop) {
    while (true) {
      const bool is_stopping = stop.stop_requested();
      if (is_stopping) capture_.request_stop();
      capture_.watch();
      count();
      const bool wants_frame = each_agrees(outputs_, [](LiveOutput& output) { return output.wants_frame(); });
      if (is_stopping && !wants_frame) return;
      capture_.hold(!wants_frame);
      std::optional<LiveFrame> frame;
      if (wants_frame)
        frame = predict_.out().pop_for(kIdleEvery);
      else
        std::this_thread::sleep_for(kIdleEvery);
      if (frame && !show(*frame)) return;
      if (!frame && predict_.out().is_finished()) return;
      if (!each_agrees(outputs_, [](LiveOutput& output) { return output.idle(); })) return;
    }
  }

  /// False: the run has ended.
  bool show(const LiveFrame& frame) {
    const double begin = seconds_now();
    const bool goes_on = each_agrees(outputs_, [&](LiveOutput& output) { return output.show(frame, report_); });
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
    return goes_on && report_.num_shown != options_.max_frames;
  }

  void count() {
    report_.num_captured = capture_.num_captured();
    report_.num_dropped = capture_.out().num_replaced() + predict_.out().num_replaced();
    report_.num_reconnects = capture_.num_reconnects();
  }

  const LiveOutputs& outputs_;
  const LiveOptions& options_;
  const double started_at_;
  PoseWatch poses_;
  LiveReport report_;
  recordings::Capture capture_;  // its thread uses the outputs and the options
  PredictStage predict_;
};

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

LiveReport run_live(std::shared_ptr<recordings::FrameSource> source, Predictor& predictor, const LiveOutputs& outputs,
                    const LiveOptions& options, std::stop_token stop) {
  options.check();
  return LiveRun(std::move(source), predictor, outputs, options).run(stop);
}

}  // namespace fernwood::predict
