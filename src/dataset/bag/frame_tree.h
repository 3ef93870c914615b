// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/dataset/import.h"
#include "fernwood/ros/messages.h"

namespace fernwood::dataset {

/// Where something is: p' = rotation p + translation.
struct RigidTransform {
  std::array<double, 9> rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< [row][col]
  std::array<double, 3> translation_m = {};
};
/// Empty where numbers are not finite.
std::optional<CameraPose> pose_of(const RigidTransform& transform);

/// The way up from a coordinate frame.
struct FramePath {
  std::string root;    ///< The frame at its end, which stands in no other; empty where it goes in a circle.
  bool moves = false;  ///< A transform on it is not static.
};

/// Whether a frame is by its name (REP 105) one that stays where it is: map, odom, world.
bool is_fixed_frame(const std::string& name);

/// Coordinate frames, each in a parent, still or moving (tf2).
class FrameTree {
 public:
  /// Of several static transforms of a child the last counts, and only those to the parent that was named last.
  void add(const ros::Transform& transform, bool is_static);
  /// To be called when all are added.
  void sort_by_time();

  /// What takes coordinates in one frame to those in the other, with what moves where it was last; nothing where no
  /// path joins them, or it is a circle.
  std::optional<RigidTransform> transform(const std::string& from, const std::string& to) const;

  FramePath path_to_root(const std::string& frame) const;
  /// Whether any transform is not static.
  bool moves() const;
  /// What takes coordinates in a frame to those in its root at a time. What moves is interpolated between transforms at
  /// most a second apart, else the nearest within 20 ms is taken; nothing where there is none.
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
    std::vector<Sample> samples;  ///< One where it is static.
  };
  static RigidTransform transform_of(const Sample& sample);
  static std::optional<Sample> sample_at(const Joint& joint, std::int64_t time_ns);
  std::optional<RigidTransform> to_root(const std::string& frame, std::string* root) const;

  std::map<std::string, Joint> joints_;  // [child]
};

}  // namespace fernwood::dataset
