// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Whether the poses of a recording are consistent with its depth.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/image/camera.h"
#include "fernwood/image/frame.h"

namespace fernwood::image {

/// Consistency of poses and depth over pairs of successive frames.
struct PoseAgreement {
  /// Median over pairs: of the points of a frame that are visible in the previous one, the share that lies on a surface
  /// there. NaN: no pair of frames overlapped.
  double median_share = 0;
  /// Ratio of the camera's motion by poses to that by depth. Empty if too few pairs of frames were registered, or the
  /// camera moves too little.
  std::optional<double> scale;

  /// A sentence about a scale outside [0.8, 1.25]; otherwise empty. @param source  Name of the frames in the message.
  std::string scale_problem(const std::string& source) const;
  /// The sentence of scale_problem(), and one if median_share is below a half.
  std::vector<std::string> problems(const std::string& source) const;
};

/// Measures the consistency of poses and depth, frame by frame. Not thread-safe.
class PoseMeter {
 public:
  /// @param pairs_per_scale  One of this number of pairs is registered by depth, which takes as long as estimating the
  ///                         camera's motion.
  explicit PoseMeter(std::size_t pairs_per_scale = 10) : pairs_per_scale_(pairs_per_scale) {}

  /// Adds the next frame.
  /// @param frame  With depth.
  /// @param pose   From camera coordinates to those of the room.
  /// @return  Whether the pose fits the depth of the previous frame: at least 35 % of the points visible in both frames
  ///          lie on a surface there. Also true if too few points are visible in both.
  bool add(std::shared_ptr<const Frame> frame, const RigidMotion& pose);
  PoseAgreement agreement() const;

 private:
  std::size_t pairs_per_scale_, num_pairs_ = 0;
  std::shared_ptr<const Frame> last_;
  RigidMotion last_pose_;
  std::vector<double> shares_;  // [pair of overlapping frames]
  std::vector<double> scales_;  // [registered pair] motion by poses divided by motion by depth
};

}  // namespace fernwood::image
