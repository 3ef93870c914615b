// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>

#include "fernwood/image/pose_agreement.h"
#include "fernwood/map/voxel_recording.h"
#include "image/registration.h"

namespace fernwood::map {

/// Finds the camera poses of a recording's frames: from the source, checked against depth, or by registration.
class FrameLocator {
 public:
  explicit FrameLocator(bool has_poses) : has_poses_(has_poses) {}

  /// Pose of the next frame, which must have depth; nullopt if the frame must be left out, with the reason counted in
  /// `report`.
  std::optional<image::RigidMotion> locate(const recordings::CapturedFrame& frame, RecordingReport& report);
  image::PoseAgreement agreement() const { return poses_.agreement(); }

 private:
  std::optional<image::RigidMotion> check(const recordings::CapturedFrame& frame, RecordingReport& report);
  std::optional<image::RigidMotion> estimate(const recordings::CapturedFrame& frame, RecordingReport& report);

  bool has_poses_;
  image::PoseMeter poses_;
  std::optional<image::FrameSurfaces> last_surfaces_;  // surfaces of the last registered frame
  image::RigidMotion last_pose_, last_motion_;
};

}  // namespace fernwood::map
