// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/bag/frame_tree.h"

#include <cmath>

namespace fernwood::dataset {

namespace {

/// ROS 1 wrote names with a slash before them.
std::string frame_key(const std::string& name) { return name.starts_with('/') ? name.substr(1) : name; }

RigidTransform rigid_of(const RosTransform& transform) {
  auto [x, y, z, w] = transform.rotation;
  const double length = std::sqrt(x * x + y * y + z * z + w * w);
  RigidTransform rigid;
  rigid.translation_m = transform.translation_m;
  if (!(length > 0)) return rigid;  // an unset quaternion
  x /= length;
  y /= length;
  z /= length;
  w /= length;
  rigid.rotation = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                    2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                    2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
  return rigid;
}

/// First `inner`, then `outer`.
RigidTransform composed(const RigidTransform& outer, const RigidTransform& inner) {
  RigidTransform result;
  for (std::size_t row = 0; row < 3; ++row) {
    result.translation_m[row] = outer.translation_m[row];
    for (std::size_t col = 0; col < 3; ++col) {
      result.translation_m[row] += outer.rotation[3 * row + col] * inner.translation_m[col];
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += outer.rotation[3 * row + k] * inner.rotation[3 * k + col];
      result.rotation[3 * row + col] = sum;
    }
  }
  return result;
}

RigidTransform inverse(const RigidTransform& transform) {
  RigidTransform result;
  for (std::size_t row = 0; row < 3; ++row) {
    result.translation_m[row] = 0;
    for (std::size_t col = 0; col < 3; ++col) {
      result.rotation[3 * row + col] = transform.rotation[3 * col + row];
      result.translation_m[row] -= transform.rotation[3 * col + row] * transform.translation_m[col];
    }
  }
  return result;
}

}  // namespace

void FrameTree::add(const RosTransform& transform) {
  joints_[frame_key(transform.child)] = {frame_key(transform.parent), rigid_of(transform)};
}

std::optional<RigidTransform> FrameTree::to_root(const std::string& frame, std::string* root) const {
  RigidTransform result;
  *root = frame_key(frame);
  for (std::size_t step = 0; step <= joints_.size(); ++step) {
    const auto joint = joints_.find(*root);
    if (joint == joints_.end()) return result;
    result = composed(joint->second.to_parent, result);
    *root = joint->second.parent;
  }
  return std::nullopt;  // more steps than frames: a circle
}

std::optional<RigidTransform> FrameTree::transform(const std::string& from, const std::string& to) const {
  if (frame_key(from) == frame_key(to)) return RigidTransform();
  std::string from_root, to_root_name;
  const auto from_to_root = to_root(from, &from_root), to_to_root = to_root(to, &to_root_name);
  if (!from_to_root || !to_to_root || from_root != to_root_name) return std::nullopt;
  return composed(inverse(*to_to_root), *from_to_root);
}

}  // namespace fernwood::dataset
