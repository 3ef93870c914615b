// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Whether the poses that come with a recording and its depth tell the same.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/image/frame.h"
#include "fernwood/image/rigid_motion.h"

namespace fernwood::image {

/// How far poses and depth tell the same of successive frames.
struct PoseAgreement {
  /// Median over frames: of the points of a frame that the one before sees, too, the share whose depth there is that of
  /// the point. NaN: no two frames saw the same.
  double median_share = 0;
  /// How far the camera moves by its poses, for what it moves by depth. Empty where too few pairs of frames were
  /// registered, or the camera moves too little.
  std::optional<double> scale;

  /// A sentence on lengths that differ by more than a quarter; else empty. @param source  The frames, for messages.
  std::string scale_problem(const std::string& source) const;
  /// The same, and where more than half of the points of a frame lie elsewhere.
  std::vector<std::string> problems(const std::string& source) const;
};

/// Measures it, frame by frame. For one thread at a time.
class PoseMeter {
 public:
  /// @param pairs_per_scale  Pairs of frames of which one is registered by depth, which takes as long as a motion that
  /// is estimated.
  explicit PoseMeter(std::size_t pairs_per_scale = 10) : pairs_per_scale_(pairs_per_scale) {}

  /// Adds the next frame. @param frame  With depth. @param pose  Of places as the camera sees them to places in the
  /// room. @return  Whether the pose fits the depth of the frame before: more than a third of the points that both see
  /// lie where that one saw them. Also where too few are seen by both to tell.
  bool add(std::shared_ptr<const Frame> frame, const RigidMotion& pose);
  PoseAgreement agreement() const;

 private:
  std::size_t pairs_per_scale_, num_pairs_ = 0;
  std::shared_ptr<const Frame> last_;
  RigidMotion last_pose_;
  std::vector<double> shares_;  // [pair of frames that see the same]
  std::vector<double> scales_;  // [pair that was registered] how many times as far by poses as by depth
};

}  // namespace fernwood::image
