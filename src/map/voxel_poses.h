// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>

#include "fernwood/image/pose_agreement.h"
#include "fernwood/map/voxel_recording.h"
#include "image/registration.h"

namespace fernwood::map {

/// Where the cameras of a recording's frames were: by the source, checked against depth, or by registration.
class FrameLocator {
 public:
  explicit FrameLocator(bool has_poses) : has_poses_(has_poses) {}

  /// Of the next frame, which has depth; nothing where it is to be left out. Counts in `report` why.
  std::optional<image::RigidMotion> locate(const dataset::CapturedFrame& frame, RecordingReport& report);
  image::PoseAgreement agreement() const { return poses_.agreement(); }

 private:
  std::optional<image::RigidMotion> check(const dataset::CapturedFrame& frame, RecordingReport& report);
  std::optional<image::RigidMotion> estimate(const dataset::CapturedFrame& frame, RecordingReport& report);

  bool has_poses_;
  image::PoseMeter poses_;
  std::optional<image::FrameSurfaces> last_surfaces_;  // of frames that are registered
  image::RigidMotion last_pose_, last_motion_;
};

}  // namespace fernwood::map
