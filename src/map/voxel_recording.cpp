// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/map/voxel_recording.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/bounded_queue.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "image/registration.h"
#include "map/voxel_content.h"

namespace fernwood::map {

namespace {

/// Calls `use` for the selected frames.
template <typename Use>
void for_each_frame(recordings::FrameSource& source, const RecordingOptions& options, const Use& use) {
  std::size_t index = 0, num_used = 0;
  while (options.max_frames == 0 || num_used < options.max_frames) {
    const std::optional<recordings::CapturedFrame> frame = source.next();
    if (!frame) return;
    if (index++ % static_cast<std::size_t>(options.every) != 0) continue;
    use(*frame);
    ++num_used;
  }
}

template <typename Work>
auto timed(Durations& durations, const Work& work) {
  const double start = seconds_now();
  auto result = work();
  durations.add(seconds_now() - start);
  return result;
}

std::string frames(std::size_t count) { return std::to_string(count) + (count == 1 ? " frame" : " frames"); }

/// Error for frames that have poses and depth.
OptionSentence nothing_in_map(const std::string& source) {
  return source + ": no point of its frames came into the map; depth is beyond " + named_option("max-range") +
         ", or poses are farther from the origin than a map reaches: subtract the first position from all";
}

std::string why_left_out(const RecordingReport& report) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const char* why) {
    if (count > 0) parts.push_back(frames(count) + why);
  };
  add(report.num_without_pose, " without a pose");
  add(report.num_unregistered, " whose motion could not be estimated");
  add(report.num_jumps, " whose pose does not fit the depth of the frame before");
  return join(parts);
}

void track_objects(const recordings::CapturedFrame& captured, const image::RigidMotion& pose,
                   const objects::FrameObjects& found, VoxelMap& map, RecordingReport& report) {
  image::FrameImages images(*captured.frame);
  images.pose = pose;
  timed(report.objects, [&] { return map.objects().update(found, images, captured.time_s); });
}

/// Labels and fuses a frame, and tracks its objects. Labels and probabilities pass through the host's memory.
FusedFrame fuse_with_objects(const recordings::CapturedFrame& captured, const image::RigidMotion& pose,
                             predict::Predictor& predictor, VoxelMap& map, ThreadPool& pool,
                             objects::ObjectFinder& finder, RecordingReport& report) {
  image::FrameImages images(*captured.frame);
  images.pose = pose;
  const predict::Prediction prediction =
      timed(report.predict, [&] { return predictor.predict(images, {.probabilities = true, .objects = &finder}); });
  track_objects(captured, pose, prediction.objects, map, report);
  return timed(report.integrate, [&] {
    return map.integrate({*captured.frame, pose, prediction.probabilities}, pool);
  });
}

FusedFrame fuse(const recordings::CapturedFrame& captured, const image::RigidMotion& pose,
                predict::Predictor& predictor, VoxelMap& map, ThreadPool& pool, RecordingReport& report) {
  FusionTimes times;
  const FusedFrame fused = map.label_and_integrate(*captured.frame, pose, predictor, pool, &times);
  report.predict.add(times.predict);
  report.integrate.add(times.integrate);
  return fused;
}

}  // namespace

VoxelMap empty_map(const forest::Forest& forest, const predict::PredictOptions& predict, const MapOptions& given) {
  const forest::LabelWeights& weights = forest.label_weights;
  MapOptions options = given;
  options.min_confidence = predict.min_confidence;
  return {options, forest.classes,
          predict.with_usual_smoothing().smoothing.extent() > 0 ? weights.smoothed : weights.plain};
}

predict::PredictOptions labelling_for_map(predict::PredictOptions options) {
  if (!options.smoothing.extent_px) options.smoothing.extent_px = predict::kVideoSmoothingPx;
  return options;
}

void check_classes(const VoxelMap& map, const forest::Forest& forest, const std::string& map_name,
                   const std::string& forest_name) {
  FW_CHECK(map.classes().names() == forest.classes.names(), Model,
           map_name << " has other classes than " << forest_name
                    << "; continue with a model of the same classes, or begin a new map");
}

void check_source(const recordings::FrameSource& source, const RecordingOptions& options, const VoxelMap* continued,
                  bool tracks_objects) {
  FW_CHECK(
      !source.is_live() || options.max_frames > 0, Usage,
      source.name() << ": a camera has no end; say with " << named_option("frames") << " how many frames are mapped");
  FW_CHECK(continued == nullptr || source.has_poses(), Usage,
           source.name() << ": frames without poses cannot continue a map, for nothing says where in it they begin");
  FW_CHECK(continued == nullptr || !continued->has_estimated_poses(), Usage,
           source.name() << ": the map to continue was made with estimated poses, whose origin is its first frame, so "
                            "the poses of these frames do not fit it; make it again from a recording with poses");
  FW_CHECK(
      !tracks_objects || continued == nullptr || continued->objects().num_frames() > 0 || continued->num_frames() == 0,
      Usage,
      "the map to continue was made without " << named_option("objects")
                                              << ", and has no list of objects; begin a new map, or leave "
                                              << named_option("objects") << " out");
}

void check_depth(const recordings::FrameSource& source) {
  FW_CHECK(source.has_depth(), Data, source.name() << ": the frames have no depth, which a map needs");
}

RecordingReport map_recording(recordings::FrameSource& source, predict::Predictor& predictor, VoxelMap& map,
                              ThreadPool& pool, const RecordingOptions& options, const FrameProgress& progress,
                              objects::ObjectFinder* finder) {
  options.check();
  check_depth(source);
  map.use(predictor.device());
  RecordingReport report;
  report.estimated_poses = !source.has_poses();
  if (report.estimated_poses) map.set_estimated_poses();
  FrameLocator locator(source.has_poses());
  const double start = seconds_now();
  for_each_frame(source, options, [&](const recordings::CapturedFrame& captured) {
    ++report.num_frames;
    const auto pose = timed(report.locate, [&] { return locator.locate(captured, report); });
    report.poses.push_back(pose);
    if (pose) {
      const FusedFrame fused = finder ? fuse_with_objects(captured, *pose, predictor, map, pool, *finder, report)
                                      : fuse(captured, *pose, predictor, map, pool, report);
      ++report.num_fused;
      report.num_pixels += fused.num_pixels;
      report.num_refused_pixels += fused.num_refused;
    }
    if (progress) progress(report.num_frames);
  });
  report.seconds = seconds_now() - start;
  report.agreement = locator.agreement();
  FW_CHECK(report.num_frames > 0, Data, source.name() << " has no frames");
  if (report.num_fused == 0) {
    const std::string scale = report.agreement.scale_problem(source.name());
    FW_CHECK(false, Data,
             source.name() << ": no frame could be mapped: " << why_left_out(report)
                           << (scale.empty() ? "; check its poses" : "; " + scale));
  }
  FW_CHECK(report.num_pixels + report.num_refused_pixels > 0, Data, nothing_in_map(source.name()));
  return report;
}

std::vector<OptionSentence> recording_warnings(const RecordingReport& report, const VoxelMap& map,
                                               const std::string& source) {
  std::vector<OptionSentence> warnings;
  if (report.estimated_poses)
    warnings.push_back(
        source +
        ": without poses, the camera's motion is estimated from depth, from frame to frame, and its errors add up over "
        "a long recording");
  if (report.num_fused > 0 && report.num_pixels + report.num_refused_pixels == 0)
    warnings.push_back(nothing_in_map(source));
  else if (report.num_fused > 0 && map.num_voxels(map.options().min_weight) == 0)
    warnings.push_back(source + ": no voxel of the map reaches " +
                       named_option("min-weight", std::to_string(map.options().min_weight)) +
                       ", so it has no points; use a smaller weight, or more frames");
  if (report.num_fused < report.num_frames)
    warnings.push_back(source + ": " + std::to_string(report.num_frames - report.num_fused) + " of " +
                       frames(report.num_frames) + " left out of the map: " + why_left_out(report));
  std::ranges::copy(report.agreement.problems(source), std::back_inserter(warnings));
  if (report.num_refused_pixels > 0)
    warnings.push_back(format_text("%.1f", 100.0 * static_cast<double>(report.num_refused_pixels) /
                                               static_cast<double>(report.num_refused_pixels + report.num_pixels)) +
                       " % of the points lie in places that the map has no memory for; use more than " +
                       named_option("memory-budget", format_bytes(map.options().memory_budget_bytes)) +
                       ", or larger voxels than " +
                       named_option("voxel-size", format_text("%g", map.options().voxel_m)));
  return warnings;
}

image::LabelImage RecordingRenderer::label(const recordings::CapturedFrame& frame) {
  image::LabelImage labels = predictor_.predict(*frame.frame).labels;
  const std::size_t index = num_labelled_++;
  if (index >= poses_.size() || !poses_[index]) return labels;
  return renderer_.render(*frame.frame, *poses_[index], labels, pool_);
}

void render_recording(recordings::FrameSource& source, predict::Predictor& predictor, const VoxelMap& map,
                      ThreadPool& pool, const RecordingOptions& options,
                      const std::vector<std::optional<image::RigidMotion>>& poses, const TakeLabels& take) {
  RecordingRenderer renderer(predictor, map, pool, poses);
  for_each_frame(source, options,
                 [&](const recordings::CapturedFrame& captured) { take(captured, renderer.label(captured)); });
}

std::optional<image::RigidMotion> FrameLocator::locate(const recordings::CapturedFrame& frame,
                                                       RecordingReport& report) {
  return has_poses_ ? check(frame, report) : estimate(frame, report);
}

std::optional<image::RigidMotion> FrameLocator::check(const recordings::CapturedFrame& frame, RecordingReport& report) {
  if (!frame.pose || !image::problem_of(*frame.pose).empty()) {
    ++report.num_without_pose;
    return std::nullopt;
  }
  if (poses_.add(frame.frame, *frame.pose)) return frame.pose;
  ++report.num_jumps;
  return std::nullopt;
}

std::optional<image::RigidMotion> FrameLocator::estimate(const recordings::CapturedFrame& frame,
                                                         RecordingReport& report) {
  image::FrameSurfaces surfaces = image::surfaces_of(image::depth_view(*frame.frame));
  if (last_surfaces_) {
    // Initial guesses: the previous motion, and no motion.
    auto motion = image::register_surfaces(surfaces, *last_surfaces_, last_motion_);
    if (!motion) motion = image::register_surfaces(surfaces, *last_surfaces_);
    if (!motion) {
      ++report.num_unregistered;
      return std::nullopt;
    }
    last_motion_ = *motion;
    last_pose_ = image::then(*motion, last_pose_);
  }
  last_surfaces_ = std::move(surfaces);
  return last_pose_;
}

namespace {

/// Pauses of the thread, as multiples of the time spent: after a frame is fused, and between two publications.
constexpr double kRestShare = 2, kPublishRestShare = 10;

}  // namespace

struct LiveMap::Work {
  struct OfferedFrame {
    recordings::CapturedFrame captured;
    predict::Prediction prediction;
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
    const FusedFrame fused = map.integrate({*frame.captured.frame, *pose, frame.prediction.probabilities}, pool);
    report.integrate.add(seconds_now() - located);
    if (options.tracks_objects) track_objects(frame.captured, *pose, frame.prediction.objects, map, report);
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
  if (frame.prediction.probabilities.empty() || frame.captured.frame->depth_mm.empty()) return true;
  if (!work.is_idle.exchange(false) && !work.options.every_frame) return true;
  if (!work.offered.push({frame.captured, frame.prediction}) && work.failure) std::rethrow_exception(work.failure);
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
