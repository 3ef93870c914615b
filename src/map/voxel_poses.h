// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <vector>

#include "fernwood/map/voxel_recording.h"
#include "image/registration.h"

namespace fernwood::map {

/// The share of a frame's points that lie where another frame sees a surface.
struct SharedView {
  std::size_t asked = 0, seen = 0, agreed = 0;  ///< Points; of these in view, where depth is known; at the same depth.

  /// Whether so much is in view that agreed / seen means something.
  bool is_telling() const { return 10 * seen >= asked && seen > 0; }
  double share() const { return static_cast<double>(agreed) / static_cast<double>(seen); }
};
/// @param motion  Of places as `frame` sees them to places as `other` does.
SharedView shared_view(const image::Frame& frame, const image::Frame& other, const image::RigidMotion& motion);

/// Where the cameras of a recording's frames were: by the source, checked against depth, or by registration.
class FrameLocator {
 public:
  explicit FrameLocator(bool has_poses) : has_poses_(has_poses) {}

  /// Of the next frame, which has depth; nothing where it is to be left out. Counts in `report` why.
  std::optional<image::RigidMotion> locate(const dataset::CapturedFrame& frame, RecordingReport& report);
  PoseAgreement agreement() const;

 private:
  std::optional<image::RigidMotion> check(const dataset::CapturedFrame& frame, RecordingReport& report);
  std::optional<image::RigidMotion> estimate(const dataset::CapturedFrame& frame, RecordingReport& report);

  bool has_poses_;
  std::shared_ptr<const image::Frame> last_;
  std::optional<image::FrameSurfaces> last_surfaces_;  // of frames that are registered
  image::RigidMotion last_pose_, last_motion_;
  std::size_t num_pairs_ = 0;
  std::vector<double> shares_;
  std::vector<double> scales_;  // [pair that was registered] how many times as far by poses as by depth
};

}  // namespace fernwood::map
