// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "map/voxel_poses.h"

#include <utility>

#include "fernwood/core/statistics.h"
#include "image/registration.h"

namespace fernwood::map {

namespace {

constexpr std::size_t kPointStep = 8;         // pixels between those that are asked
constexpr double kLeastAgreement = 0.35;      // of two frames whose poses are both right
constexpr std::size_t kPairsPerMeasure = 10;  // pairs of frames of which one is registered
constexpr std::size_t kLeastMeasured = 3;     // pairs that tell a scale
constexpr double kLeastMotion_m = 0.005;      // of such a pair, by depth

}  // namespace

SharedView shared_view(const image::Frame& frame, const image::Frame& other, const image::RigidMotion& motion) {
  SharedView shared;
  const image::DepthView from = image::depth_view(frame), to = image::depth_view(other);
  for (std::size_t row = kPointStep / 2; row < frame.depth_mm.rows(); row += kPointStep)
    for (std::size_t col = kPointStep / 2; col < frame.depth_mm.cols(); col += kPointStep) {
      if (frame.depth_mm(row, col) == 0) continue;
      ++shared.asked;
      const image::Vector3 place = motion(from.place(row, col));
      const auto pixel = to.pixel(place);
      if (!pixel || other.depth_mm((*pixel)[0], (*pixel)[1]) == 0) continue;
      ++shared.seen;
      if (to.visible_pixel(place)) ++shared.agreed;
    }
  return shared;
}

std::optional<image::RigidMotion> FrameLocator::locate(const dataset::CapturedFrame& frame, RecordingReport& report) {
  return has_poses_ ? check(frame, report) : estimate(frame, report);
}

std::optional<image::RigidMotion> FrameLocator::check(const dataset::CapturedFrame& frame, RecordingReport& report) {
  if (!frame.pose || !image::problem_of(*frame.pose).empty()) {
    ++report.num_without_pose;
    return std::nullopt;
  }
  // Always against the frame just before, which may itself have been left out: so one jump leaves out one frame.
  const std::shared_ptr<const image::Frame> last = std::exchange(last_, frame.frame);
  const image::RigidMotion last_pose = std::exchange(last_pose_, *frame.pose);
  if (!last) return frame.pose;
  const image::RigidMotion motion = image::then(*frame.pose, image::inverse(last_pose));
  if (num_pairs_++ % kPairsPerMeasure == 0)
    if (const auto by_depth = image::register_frames(image::depth_view(*frame.frame), image::depth_view(*last))) {
      const double square = image::dot(by_depth->translation, by_depth->translation);
      if (square >= kLeastMotion_m * kLeastMotion_m)
        scales_.push_back(image::dot(by_depth->translation, motion.translation) / square);
    }
  const SharedView shared = shared_view(*frame.frame, *last, motion);
  if (!shared.is_telling()) return frame.pose;
  shares_.push_back(shared.share());
  if (shared.share() >= kLeastAgreement) return frame.pose;
  ++report.num_jumps;
  return std::nullopt;
}

std::optional<image::RigidMotion> FrameLocator::estimate(const dataset::CapturedFrame& frame, RecordingReport& report) {
  image::FrameSurfaces surfaces = image::surfaces_of(image::depth_view(*frame.frame));
  if (last_surfaces_) {
    // About as the camera moved before, or as if it stood still.
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

PoseAgreement FrameLocator::agreement() const {
  PoseAgreement agreement{median_of(shares_), {}};
  // The median: where a camera turns fast, depth alone may be far off for a pair.
  if (scales_.size() >= kLeastMeasured) agreement.scale = median_of(scales_);
  return agreement;
}

}  // namespace fernwood::map
