// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/map/voxel_recording.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/bounded_queue.h"
#include "map/voxel_content.h"

namespace fernwood::map {

namespace {

/// Pauses of the thread, as multiples of the time spent: after a frame is fused, and between two publications.
constexpr double kRestShare = 2, kPublishRestShare = 10;

}  // namespace

struct LiveMap::Work {
  struct OfferedFrame {
    recordings::CapturedFrame captured;
    std::vector<Array2<float>> probabilities;
  };

  Work(VoxelMap fused_so_far, bool has_poses, const LiveMapOptions& live_options, Publish tell)
      : map(std::move(fused_so_far)),
        options(live_options),
        publish(std::move(tell)),
        locator(has_poses),
        offered(1, WhenFull::kWait) {
    report.estimated_poses = !has_poses;
    if (!has_poses) map.set_estimated_poses();
    thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  void run(const std::stop_token& stop) {
    try {
      while (std::optional<OfferedFrame> frame = offered.pop()) {
        const double begin = seconds_now();
        fuse(*frame);
        look();
        if (!options.every_frame) rest(kRestShare * (seconds_now() - begin), stop);
        is_idle = true;
      }
    } catch (...) {
      failure = std::current_exception();
    }
    offered.close_and_clear();
  }

  void fuse(const OfferedFrame& frame) {
    ++report.num_frames;
    const double begin = seconds_now();
    const std::optional<image::RigidMotion> pose = locator.locate(frame.captured, report);
    const double located = seconds_now();
    report.locate.add(located - begin);
    if (!pose) return;
    const FusedFrame fused = map.integrate({*frame.captured.frame, *pose, frame.probabilities}, pool);
    report.integrate.add(seconds_now() - located);
    ++report.num_fused;
    report.num_pixels += fused.num_pixels;
    report.num_refused_pixels += fused.num_refused;
  }

  void look() {
    const double now = seconds_now();
    if (!publish || report.num_fused == 0 || now < next_look) return;
    publish(map, report);
    const double took = seconds_now() - now;
    next_look = now + took + std::max(options.publish_every_s, kPublishRestShare * took);
  }

  /// Pauses, at most until the end of the run.
  void rest(double seconds, const std::stop_token& stop) {
    std::unique_lock lock(resting);
    std::condition_variable_any().wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
  }

  void end() {
    offered.close();
    thread.request_stop();
    if (thread.joinable()) thread.join();
  }

  VoxelMap map;
  const LiveMapOptions options;
  const Publish publish;
  FrameLocator locator;
  RecordingReport report;
  double next_look = 0;
  ThreadPool pool{1};
  std::mutex resting;
  std::atomic<bool> is_idle = true;  // until a frame is accepted
  BoundedQueue<OfferedFrame> offered;
  std::exception_ptr failure;  // valid once `offered` is closed
  std::jthread thread;         // last member, because it uses the others
};

LiveMap::LiveMap(VoxelMap map, bool has_poses, const LiveMapOptions& options, Publish publish)
    : work_(std::make_unique<Work>(std::move(map), has_poses, options, std::move(publish))) {}

LiveMap::~LiveMap() { work_->end(); }

bool LiveMap::wants_probabilities() const { return work_->options.every_frame || work_->is_idle; }

bool LiveMap::show(const predict::LiveFrame& frame, const predict::LiveReport&) {
  Work& work = *work_;
  const std::vector<Array2<float>>& probabilities = frame.prediction.probabilities;
  if (probabilities.empty() || frame.captured.frame->depth_mm.empty()) return true;
  if (!work.is_idle.exchange(false) && !work.options.every_frame) return true;
  if (!work.offered.push({frame.captured, probabilities}) && work.failure) std::rethrow_exception(work.failure);
  return true;
}

RecordingReport LiveMap::finish() {
  work_->end();
  if (work_->failure) std::rethrow_exception(work_->failure);
  work_->report.agreement = work_->locator.agreement();
  return work_->report;
}

const VoxelMap& LiveMap::map() const { return work_->map; }

}  // namespace fernwood::map
