// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "map/voxel_poses.h"

#include <utility>

#include "image/registration.h"

namespace fernwood::map {

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

}  // namespace fernwood::map
