// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/capture_stage.h"

#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/timer.h"

namespace fernwood {

namespace {

/// Frames between two stages: one waits while one is worked on.
constexpr std::size_t kMostWaiting = 1;
constexpr std::chrono::milliseconds kGrace{500};

using Clock = std::chrono::steady_clock;

Clock::duration period_of(double rate_hz) {
  if (rate_hz <= 0) return {};
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / rate_hz));
}

}  // namespace

/// All that the thread may touch when it has been left behind.
struct CaptureStage::Shared {
  Shared(std::shared_ptr<FrameSource> the_source, const LiveOptions& options)
      : source(std::move(the_source)),
        period(period_of(source->is_live() ? 0 : options.rate_hz)),
        most_captured(options.every_frame ? options.max_frames : 0),
        out(kMostWaiting, options.every_frame ? WhenFull::kWait : WhenFull::kReplaceOldest) {}

  /// Waits until the next frame is due and nobody holds; from then on the source is waited for. False: stop.
  bool wait_for_turn(Clock::time_point& due) {
    std::unique_lock lock(mutex);
    changed.wait_until(lock, due, [&] { return stopping; });
    const bool held_up = held;
    changed.wait(lock, [&] { return stopping || !held; });
    // What could not be kept up with is not caught up with.
    due = std::max(due, held_up ? Clock::now() : Clock::now() - period) + period;
    if (!stopping) waiting_since = seconds_now();
    return !stopping;
  }
  /// False when the thread has been left behind meanwhile.
  bool end_waiting() {
    std::lock_guard lock(mutex);
    waiting_since = 0;
    changed.notify_all();
    return !left_behind;
  }

  const std::shared_ptr<FrameSource> source;
  const Clock::duration period;
  const std::size_t most_captured;  ///< 0: no bound.
  Mailbox<LiveFrame> out;
  std::atomic<std::size_t> num_captured = 0;

  std::mutex mutex;  // of all below
  std::condition_variable changed;
  bool held = false, stopping = false, left_behind = false;
  double waiting_since = 0, started_at = 0;
  std::exception_ptr failure;
};

CaptureStage::CaptureStage(std::shared_ptr<FrameSource> source, LiveSink& sink, const LiveOptions& options)
    : shared_(std::make_shared<Shared>(std::move(source), options)) {
  shared_->started_at = seconds_now();
  thread_ = std::thread([shared = shared_, &sink] { run(shared, sink); });
}

CaptureStage::~CaptureStage() { stop(); }

void CaptureStage::run(const std::shared_ptr<Shared>& shared, LiveSink& sink) {
  try {
    capture_all(*shared, sink);
  } catch (...) {
    shared->end_waiting();
    std::lock_guard lock(shared->mutex);
    shared->failure = std::current_exception();
  }
  shared->out.close();
}

void CaptureStage::capture_all(Shared& shared, LiveSink& sink) {
  std::size_t rows = 0, cols = 0;
  Clock::time_point due = Clock::now();
  // Taken before there is room, a frame would only grow older.
  while (shared.out.wait_for_room() && shared.wait_for_turn(due)) {
    const double begin = seconds_now();
    std::optional<CapturedFrame> captured = shared.source->next();
    if (!shared.end_waiting() || !captured) return;
    const double end = seconds_now();
    const Frame& frame = *captured->frame;
    if (shared.num_captured == 0) rows = frame.rows(), cols = frame.cols();
    FW_CHECK(frame.rows() == rows && frame.cols() == cols, Data,
             shared.source->name() << ": frame " << captured->name << " is " << frame.cols() << " x " << frame.rows()
                                   << " pixels, those before are " << cols << " x " << rows
                                   << "; a video must keep its size, start again with the new one");
    sink.captured(*captured);
    ++shared.num_captured;
    if (!shared.out.put({std::move(*captured), {}, end - begin, 0, end})) return;
    if (shared.num_captured == shared.most_captured) return;
  }
}

Mailbox<LiveFrame>& CaptureStage::out() { return shared_->out; }

void CaptureStage::hold(bool held) {
  {
    std::lock_guard lock(shared_->mutex);
    if (shared_->held == (held && !shared_->source->is_live())) return;
    shared_->held = held && !shared_->source->is_live();
  }
  shared_->changed.notify_all();
}

double CaptureStage::waiting_s() const {
  std::lock_guard lock(shared_->mutex);
  return shared_->waiting_since > 0 ? seconds_now() - shared_->waiting_since : 0;
}

std::size_t CaptureStage::num_captured() const { return shared_->num_captured; }

double CaptureStage::started_at() const { return shared_->started_at; }

void CaptureStage::stop() {
  if (!thread_.joinable()) return;
  shared_->source->stop();
  shared_->out.close_and_empty();
  std::unique_lock lock(shared_->mutex);
  shared_->stopping = true;
  shared_->changed.notify_all();
  shared_->left_behind = !shared_->changed.wait_for(lock, kGrace, [&] { return shared_->waiting_since == 0; });
  const bool left_behind = shared_->left_behind;
  lock.unlock();
  if (left_behind)
    thread_.detach();
  else
    thread_.join();
}

std::exception_ptr CaptureStage::failure() const {
  std::lock_guard lock(shared_->mutex);
  return shared_->failure;
}

}  // namespace fernwood
