// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/capture_stage.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/progress.h"

namespace fernwood::predict {

namespace {

/// Schedule for the frames of a recording.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  /// @param rate_hz      Frames per second; 0: as fast as possible.
  /// @param as_recorded  Use the times of the frames instead.
  Pace(double rate_hz, bool as_recorded)
      : period_(as_recorded || rate_hz <= 0 ? Clock::duration{} : duration_of_seconds(1 / rate_hz)),
        as_recorded_(as_recorded) {}

  /// Earliest time to fetch the next frame.
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
  /// Resumes after a pause.
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

constexpr std::chrono::milliseconds kGrace{1000};

/// Whether the failure may be temporary; other errors are about the source's data, and would recur.
bool may_pass(const Error& error) { return error.kind() == ErrorKind::kRuntime || error.kind() == ErrorKind::kDevice; }

}  // namespace

/// All state that the thread may access after it has been detached.
struct CaptureStage::Shared {
  Shared(OpenSource open_source, const LiveOptions& live_options)
      : open(std::move(open_source)), options(live_options) {}

  /// Runs a call to the source that may take long, or never return. False: it failed, or capture is stopping.
  template <typename Work>
  bool wait_for_source(const Work& work) {
    set_waiting_since(options.clock());
    try {
      work();
    } catch (const Error& error) {
      std::lock_guard lock(mutex);
      if (!is_open || may_pass(error))
        source_error = error;
      else
        failure = std::current_exception();
    } catch (...) {
      std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
    set_waiting_since(0);
    std::lock_guard lock(mutex);
    return !stopping && !source_error && !failure;
  }
  void set_waiting_since(double when) {
    std::lock_guard lock(mutex);
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
  bool adopt(std::shared_ptr<recordings::FrameSource> opened) {
    std::lock_guard lock(mutex);
    source = std::move(opened);
    is_open = true;
    is_live = source->is_live();
    return !stopping;
  }
  /// The source is destroyed on this thread, too, where a hung driver does not block others.
  void close() {
    std::shared_ptr<recordings::FrameSource> closing;
    {
      std::lock_guard lock(mutex);
      has_ended = true;
      closing = std::move(source);
    }
    wait_for_source([&] { closing.reset(); });
    std::lock_guard lock(mutex);
    is_finished = true;
    changed.notify_all();
  }

  const OpenSource open;
  const LiveOptions options;

  std::mutex mutex;  // guards all members below
  std::condition_variable changed;
  std::shared_ptr<recordings::FrameSource> source;
  bool is_open = false, is_live = false, held = false;
  bool stopping = false, left_behind = false, has_ended = false, is_finished = false;
  double waiting_since = 0;
  std::optional<Error> source_error;
  std::exception_ptr failure;
};

CaptureStage::CaptureStage(OpenSource open, FrameTaker& taker, const LiveOptions& options)
    : shared_(std::make_shared<Shared>(std::move(open), options)) {
  thread_ = std::thread([shared = shared_, &taker] { run(shared, taker); });
}

CaptureStage::~CaptureStage() { stop(); }

void CaptureStage::run(const std::shared_ptr<Shared>& shared, FrameTaker& taker) {
  const DefaultFloats floats;
  try {
    capture_all(*shared, taker);
  } catch (...) {
    std::lock_guard lock(shared->mutex);
    shared->failure = std::current_exception();
  }
  shared->close();
}

void CaptureStage::capture_all(Shared& shared, FrameTaker& taker) {
  std::shared_ptr<recordings::FrameSource> source;
  if (!shared.wait_for_source([&] { source = shared.open(); }) || !shared.adopt(source)) return;
  const bool sets_pace = source->is_live();
  std::size_t num_warned = source->warnings().size();
  Pace pace(sets_pace ? 0 : shared.options.rate_hz, !sets_pace && shared.options.recorded_times);
  while (taker.wants_frame() && shared.sleep_until(pace.due()) && shared.sleep_while_held(pace)) {
    pace.advance();
    const double begin = seconds_now();
    std::optional<recordings::CapturedFrame> captured;
    if (!shared.wait_for_source([&] { captured = source->next(); }) || !captured) return;
    const double capture_s = seconds_now() - begin;
    if (sets_pace)
      for (const auto warnings = source->warnings(); num_warned < warnings.size(); ++num_warned)
        taker.warn(warnings[num_warned]);
    if (!shared.sleep_until(pace.due_at(captured->time_s))) return;
    if (!taker.take(std::move(*captured), capture_s)) return;
  }
}

void CaptureStage::hold(bool held) {
  std::lock_guard lock(shared_->mutex);
  if (std::exchange(shared_->held, held) != held) shared_->changed.notify_all();
}

double CaptureStage::waiting_s() const {
  std::lock_guard lock(shared_->mutex);
  return shared_->waiting_since > 0 && !shared_->has_ended ? shared_->options.clock() - shared_->waiting_since : 0;
}

bool CaptureStage::has_ended() const {
  std::lock_guard lock(shared_->mutex);
  return shared_->has_ended;
}

bool CaptureStage::has_taken_last() const {
  std::lock_guard lock(shared_->mutex);
  return shared_->has_ended || (shared_->stopping && shared_->waiting_since > 0);
}

std::optional<Error> CaptureStage::source_error() const {
  std::lock_guard lock(shared_->mutex);
  return shared_->source_error;
}

std::exception_ptr CaptureStage::failure() const {
  std::lock_guard lock(shared_->mutex);
  return shared_->failure;
}

void CaptureStage::request_stop() {
  std::lock_guard lock(shared_->mutex);
  if (std::exchange(shared_->stopping, true)) return;
  shared_->changed.notify_all();
  if (shared_->source) shared_->source->stop();
}

void CaptureStage::stop() {
  if (!thread_.joinable()) return;
  request_stop();
  std::unique_lock lock(shared_->mutex);
  while (!shared_->changed.wait_for(lock, kGrace, [&] { return shared_->is_finished; }))
    if (shared_->waiting_since > 0) {
      shared_->left_behind = true;
      break;
    }
  const bool left_behind = shared_->left_behind;
  lock.unlock();
  if (left_behind)
    thread_.detach();
  else
    thread_.join();
}

}  // namespace fernwood::predict
