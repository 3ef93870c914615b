// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/dataset/frame_poses.h"
#include "fernwood/ros/messages.h"

namespace fernwood::recordings {

/// A rigid transform: p' = rotation p + translation.
struct RigidTransform {
  std::array<double, 9> rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< [row][col]
  std::array<double, 3> translation_m = {};
};
/// Empty where numbers are not finite.
std::optional<dataset::CameraPose> pose_of(const RigidTransform& transform);

/// The path upwards from a coordinate frame.
struct FramePath {
  std::string root;    ///< The frame at its end, which has no parent; empty for a cycle.
  bool moves = false;  ///< Some transform on it is not static.
};

/// Whether a coordinate frame is stationary according to its name (REP 105): map, odom, world.
bool is_fixed_frame(const std::string& name);

/// Coordinate frames, each with a parent, static or moving (tf2).
class FrameTree {
 public:
  /// Adds a transform. Of several static transforms of a child only the last counts; a change of parent discards those
  /// to the old one.
  void add(const ros::Transform& transform, bool is_static);
  /// To be called after all transforms were added.
  void sort_by_time();

  /// Transforms coordinates in one frame to the other, with moving frames at their last position; empty if they are not
  /// connected, or for a cycle.
  std::optional<RigidTransform> transform(const std::string& from, const std::string& to) const;

  FramePath path_to_root(const std::string& frame) const;
  /// Whether any transform is not static.
  bool moves() const;
  /// Transforms coordinates in a frame to those in its root at a time. Moving frames are interpolated between
  /// transforms at most a second apart, else the nearest transform within 20 ms is used; empty if there is none.
  std::optional<RigidTransform> to_root_at(const std::string& frame, std::int64_t time_ns) const;

 private:
  struct Sample {
    std::int64_t time_ns = 0;
    std::array<double, 3> translation_m = {};
    std::array<double, 4> rotation = {};  ///< Of length 1.
  };
  struct Joint {
    std::string parent;
    bool is_static = true;
    std::vector<Sample> samples;  ///< Only one if it is static.
  };
  static RigidTransform transform_of(const Sample& sample);
  static std::optional<Sample> sample_at(const Joint& joint, std::int64_t time_ns);
  std::optional<RigidTransform> to_root(const std::string& frame, std::string* root) const;

  std::map<std::string, Joint> joints_;  // [child]
};

}  // namespace fernwood::recordings
