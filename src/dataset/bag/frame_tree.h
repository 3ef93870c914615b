// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/bag/ros_messages.h"

namespace fernwood::dataset {

/// Where something is: p' = rotation p + translation.
struct RigidTransform {
  std::array<double, 9> rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< [row][col]
  std::array<double, 3> translation_m = {};
};

/// Coordinate frames, each fixed in its parent (tf2).
class FrameTree {
 public:
  /// Of several transforms of a child the last counts.
  void add(const RosTransform& transform);
  /// What takes coordinates in one frame to those in the other; nothing where no path joins them, or it is a circle.
  std::optional<RigidTransform> transform(const std::string& from, const std::string& to) const;

 private:
  struct Joint {
    std::string parent;
    RigidTransform to_parent;
  };
  std::optional<RigidTransform> to_root(const std::string& frame, std::string* root) const;

  std::map<std::string, Joint> joints_;  // [child]
};

}  // namespace fernwood::dataset
