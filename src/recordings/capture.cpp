// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/capture.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"

namespace fernwood::recordings {

namespace {

constexpr std::array kCaptureRows = {
    option<&CaptureOptions::every_frame>("every-frame",
                                         "Process every frame: the source waits; otherwise the newest frame wins"),
    option<&CaptureOptions::rate_hz>("rate",
                                     "Playback rate of a recording, in frames per second; 0: as fast as possible; "
                                     "recorded: at the recorded rate")
        .takes("HZ|recorded")
        .default_means("30; 0 where every frame is taken")
        .in(from_to(0, 10000)),
    option<&CaptureOptions::stall_timeout_s>("stall-timeout", "Time without a frame after which the source has stalled")
        .takes("SECONDS")
        .in(above_to(0, 86400)),
    option<&CaptureOptions::reconnect_s>("reconnect",
                                         "Time for which a camera that fails or stalls is reopened every second; 0: "
                                         "end the run")
        .takes("SECONDS")
        .in(from_to(0, 86400)),
};

/// Number of frames that wait for the next stage: one, while it processes another.
constexpr std::size_t kMaxCaptured = 1;
constexpr double kTryEveryS = 1;
constexpr std::chrono::milliseconds kGrace{1000};

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  /// @param rate_hz      Frames per second; 0: as fast as possible.
  /// @param as_recorded  Use the times of the frames instead.
  Pace(double rate_hz, bool as_recorded)
      : period_(as_recorded || rate_hz <= 0 ? Clock::duration{} : duration_of_seconds(1 / rate_hz)),
        as_recorded_(as_recorded) {}

  Clock::time_point due() const { return due_; }
  /// Call after a frame was fetched. Delays are not caught up.
  void advance() { due_ = std::max(due_, Clock::now() - period_) + period_; }
  /// Earliest time to pass on a frame captured at `time_s`. A time that goes back begins a new loop.
  Clock::time_point due_at(double time_s) {
    if (!as_recorded_) return {};
    if (!start_ || time_s < last_time_s_) start_ = {Clock::now(), time_s};
    last_time_s_ = time_s;
    return start_->at + duration_of_seconds(time_s - start_->time_s);
  }
  void begin_anew() {
    due_ = std::max(due_, Clock::now());
    start_.reset();
  }

 private:
  struct Start {
    Clock::time_point at;
    double time_s = 0;
  };

  Clock::duration period_;
  bool as_recorded_;
  Clock::time_point due_ = Clock::now();
  std::optional<Start> start_;
  double last_time_s_ = 0;
};

std::string seconds_text(double seconds) { return format_text("%g s", seconds); }

}  // namespace

OptionTable<CaptureOptions> CaptureOptions::table() { return kCaptureRows; }

void CaptureOptions::check() const { check_options(table(), *this); }

/// The state of an opened source, shared with its thread. A thread that has been detached accesses nothing else.
struct Capture::Opening {
  /// What watch() has to know.
  struct Status {
    bool has_ended = true;       ///< The source has ended or failed, or enough frames were captured.
    bool has_taken_last = true;  ///< No frame follows; one that a stopped source still delivers is discarded.
    double waiting_s = 0;        ///< Time for which the current call to the source has been pending.
    std::optional<Error> source_error = {};  ///< It could not be opened, or a device or runtime error.
    std::exception_ptr failure = {};         ///< Any other failure.
  };

  Opening(OpenSource open_source, const CaptureOptions& capture_options)
      : open(std::move(open_source)), options(capture_options) {}

  Status status() {
    const std::lock_guard lock(mutex);
    const bool is_waiting = waiting_since > 0;
    return {.has_ended = has_ended,
            .has_taken_last = has_ended || (stopping && is_waiting),
            .waiting_s = is_waiting && !has_ended ? options.clock() - waiting_since : 0,
            .source_error = source_error,
            .failure = failure};
  }
  void request_stop() {
    const std::lock_guard lock(mutex);
    if (std::exchange(stopping, true)) return;
    changed.notify_all();
    if (source) source->stop();
  }

  // On the thread.

  /// Runs a call to the source that may take long, or never return. False: it failed, or capture is stopping.
  template <typename Work>
  bool wait_for_source(const Work& work) {
    set_waiting_since(options.clock());
    try {
      work();
    } catch (const Error& error) {
      const std::lock_guard lock(mutex);
      // These may be temporary; other errors are about the source's data, and would recur.
      if (!is_open || error.kind() == ErrorKind::kRuntime || error.kind() == ErrorKind::kDevice)
        source_error = error;
      else
        failure = std::current_exception();
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
    set_waiting_since(0);
    const std::lock_guard lock(mutex);
    return !stopping && !source_error && !failure;
  }
  void set_waiting_since(double when) {
    const std::lock_guard lock(mutex);
    waiting_since = when;
  }
  /// False: stop requested.
  bool sleep_until(Pace::Clock::time_point when) {
    std::unique_lock lock(mutex);
    return !changed.wait_until(lock, when, [&] { return stopping; });
  }
  bool sleep_while_held(Pace& pace) {
    std::unique_lock lock(mutex);
    if (!held || is_live) return !stopping;
    changed.wait(lock, [&] { return stopping || !held; });
    pace.begin_anew();
    return !stopping;
  }
  /// False: stop requested.
  bool adopt(std::shared_ptr<FrameSource> opened) {
    const std::lock_guard lock(mutex);
    source = std::move(opened);
    is_open = true;
    is_live = source->is_live();
    return !stopping;
  }
  /// The source is destroyed on this thread, too, where a hung driver does not block others.
  void close() {
    std::shared_ptr<FrameSource> closing;
    {
      const std::lock_guard lock(mutex);
      has_ended = true;
      closing = std::move(source);
    }
    wait_for_source([&] { closing.reset(); });
    const std::lock_guard lock(mutex);
    is_finished = true;
    changed.notify_all();
  }

  const OpenSource open;
  const CaptureOptions options;

  std::mutex mutex;  // guards all members below
  std::condition_variable changed;
  std::shared_ptr<FrameSource> source;
  bool is_open = false, is_live = false, held = false;
  bool stopping = false, has_ended = false, is_finished = false;
  double waiting_since = 0;
  std::optional<Error> source_error;
  std::exception_ptr failure;
};

Capture::Capture(std::shared_ptr<FrameSource> source, const CaptureOptions& options, CaptureHooks hooks)
    : options_(options),
      hooks_(std::move(hooks)),
      name_(source->name()),
      may_come_back_(source->may_come_back()),
      out_(kMaxCaptured, options.every_frame ? WhenFull::kWait : WhenFull::kReplaceOldest) {
  // Handed over, not kept here: a camera must be closed before it is reopened.
  open([source = std::move(source)]() mutable { return std::exchange(source, nullptr); });
}

void Capture::open(OpenSource open_source) {
  opening_ = std::make_shared<Opening>(std::move(open_source), options_);
  thread_ = std::thread([this, opening = opening_] {
    const DefaultFloats floats;
    try {
      capture_frames(*opening);
    } catch (...) {
      const std::lock_guard lock(opening->mutex);
      opening->failure = std::current_exception();
    }
    opening->close();
  });
}

/// The thread is detached only within wait_for_source(), which then returns false: `this` is not accessed afterwards.
void Capture::capture_frames(Opening& opening) {
  std::shared_ptr<FrameSource> source;
  if (!opening.wait_for_source([&] { source = opening.open(); }) || !opening.adopt(source)) return;
  const bool sets_pace = source->is_live();
  std::size_t num_warned = source->warnings().size();
  Pace pace(sets_pace ? 0 : options_.rate_hz, !sets_pace && options_.recorded_times);
  // A frame that is captured before the next stage can take it would only become stale.
  while (out_.wait_until_not_full() && opening.sleep_until(pace.due()) && opening.sleep_while_held(pace)) {
    pace.advance();
    const double begin = seconds_now();
    std::optional<CapturedFrame> captured;
    if (!opening.wait_for_source([&] { captured = source->next(); }) || !captured) return;
    const double capture_s = seconds_now() - begin;
    if (sets_pace && hooks_.warn)
      for (const auto warnings = source->warnings(); num_warned < warnings.size(); ++num_warned)
        hooks_.warn(warnings[num_warned]);
    if (!opening.sleep_until(pace.due_at(captured->time_s))) return;
    if (!take(std::move(*captured), capture_s)) return;
  }
}

/// False: end capture.
bool Capture::take(CapturedFrame captured, double capture_s) {
  const double now = seconds_now();
  check_size(captured);
  check_depth(captured);
  captured.time_s = continued(captured.time_s, options_.clock());
  const bool wants_more = !hooks_.captured || hooks_.captured(captured);
  ++num_captured_;
  return out_.push({std::move(captured), capture_s, now}) && wants_more;
}

void Capture::check_size(const CapturedFrame& captured) {
  const image::Frame& frame = *captured.frame;
  if (num_captured_ == 0) rows_ = frame.rows(), cols_ = frame.cols();
  FW_CHECK(frame.rows() == rows_ && frame.cols() == cols_, Data,
           name_ << ": frame " << captured.name << " is " << frame.cols() << " x " << frame.rows()
                 << " pixels, those before are " << cols_ << " x " << rows_
                 << "; a video must keep its size, start again with the new one");
}

/// Checks the depth of the first frames that have any: cameras often begin with frames of unknown depth.
void Capture::check_depth(const CapturedFrame& captured) {
  constexpr std::size_t kMaxWithout = 10;
  if (!first_depths_ || captured.frame->depth_mm.empty()) return;
  first_depths_->add_some(*captured.frame);
  if (first_depths_->is_empty() && num_captured_ + 1 < kMaxWithout) return;
  if (const std::string note = first_depths_->note(name_); !note.empty() && hooks_.warn) hooks_.warn(note);
  first_depths_.reset();
}

/// A reopened camera may count from 0; its times are continued with our clock.
double Capture::continued(double time_s, double now) {
  if (std::exchange(is_reopened_, false) && num_captured_ > 0)
    time_shift_s_ = last_time_s_ + (now - last_taken_at_) - time_s;
  last_taken_at_ = now;
  return last_time_s_ = time_s + time_shift_s_;
}

void Capture::watch() {
  if (is_over_) return;
  const Opening::Status status = opening_ ? opening_->status() : Opening::Status();
  if (is_stopping_) {
    if (status.has_taken_last) end(nullptr);  // stop() finds a failure
    return;
  }
  std::optional<Error> trouble = status.source_error;
  if (status.waiting_s > options_.stall_timeout_s)
    trouble =
        Error(ErrorKind::kRuntime, name_ + " has given no frame for " + seconds_text(options_.stall_timeout_s) +
                                       " after " + std::to_string(num_captured_) +
                                       "; check its cable and power, or pass it more " + named_option("stall-timeout"));
  if (status.failure)
    end(status.failure);
  else if (is_lost_)
    seek(trouble || status.has_ended);
  else if (trouble && may_come_back_ && options_.reopen && options_.reconnect_s > 0)
    lose(*trouble);
  else if (trouble)
    end(std::make_exception_ptr(may_come_back_ ? Error(ErrorKind::kDevice, trouble->what()) : *trouble));
  else if (status.has_ended)
    end(nullptr);
}

void Capture::lose(const Error& trouble) {
  is_lost_ = true;
  why_lost_ = trouble.what();
  captured_before_ = num_captured_;
  lost_at_ = tried_at_ = options_.clock();
  if (hooks_.trouble)
    hooks_.trouble(why_lost_ + " (opening it again is tried for " + seconds_text(options_.reconnect_s) + ")");
  close();
}

void Capture::seek(bool is_broken) {
  const double now = options_.clock();
  if (num_captured_ > captured_before_) {
    is_lost_ = false;
    ++num_reconnects_;
    if (hooks_.trouble) hooks_.trouble("");
  } else if (now - lost_at_ > options_.reconnect_s) {
    end(std::make_exception_ptr(
        Error(ErrorKind::kDevice, why_lost_ + "; it has not come back within " + seconds_text(options_.reconnect_s))));
  } else if (opening_ && is_broken) {
    close();
  } else if (!opening_ && now - tried_at_ >= kTryEveryS) {
    tried_at_ = now;
    is_reopened_ = true;
    open(options_.reopen);
  }
}

void Capture::end(std::exception_ptr failure) {
  is_over_ = true;
  failure_ = std::move(failure);
  out_.close();
}

void Capture::hold(bool held) {
  if (!opening_) return;
  const std::lock_guard lock(opening_->mutex);
  if (std::exchange(opening_->held, held) != held) opening_->changed.notify_all();
}

void Capture::request_stop() {
  is_stopping_ = true;
  if (opening_) opening_->request_stop();
}

void Capture::close() {
  opening_->request_stop();
  bool hangs = false;
  {
    std::unique_lock lock(opening_->mutex);
    while (!hangs && !opening_->changed.wait_for(lock, kGrace, [&] { return opening_->is_finished; }))
      hangs = opening_->waiting_since > 0;
  }
  if (hangs)
    thread_.detach();
  else
    thread_.join();
  opening_.reset();
}

void Capture::stop() {
  out_.close_and_clear();
  const std::shared_ptr<Opening> last = opening_;
  if (!last) return;
  close();
  if (!failure_) failure_ = last->status().failure;
}

}  // namespace fernwood::recordings
