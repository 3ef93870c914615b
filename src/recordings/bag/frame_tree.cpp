// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/bag/bag_cameras.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "dataset/poses.h"

namespace fernwood::recordings {

namespace {

/// ROS 1 wrote names with a leading slash.
std::string frame_key(const std::string& name) { return name.starts_with('/') ? name.substr(1) : name; }

constexpr std::int64_t kMaxApartNs = 1'000'000'000;  // between transforms that are interpolated
constexpr std::int64_t kNearNs = 20'000'000;

/// Whether two times are at most so far apart. @param later_ns  Not below earlier_ns; the difference may exceed 64
/// bits.
bool are_within(std::int64_t earlier_ns, std::int64_t later_ns, std::int64_t most_ns) {
  std::int64_t difference_ns = 0;
  return !__builtin_sub_overflow(later_ns, earlier_ns, &difference_ns) && difference_ns <= most_ns;
}

/// Normalises a quaternion of any length; an unset one becomes the identity.
std::array<double, 4> normalised(std::array<double, 4> quaternion) {
  double squares = 0;
  for (const double part : quaternion) squares += part * part;
  const double length = std::sqrt(squares);
  if (!(length > 0)) return {0, 0, 0, 1};
  for (double& part : quaternion) part /= length;
  return quaternion;
}

/// Linear interpolation, using the nearer of the two quaternions of the same rotation: transforms are so close together
/// that the angular rate hardly varies.
std::array<double, 4> between(const std::array<double, 4>& a, const std::array<double, 4>& b, double share) {
  double product = 0;
  for (std::size_t i = 0; i < 4; ++i) product += a[i] * b[i];
  std::array<double, 4> mixed{};
  for (std::size_t i = 0; i < 4; ++i) mixed[i] = a[i] * (1 - share) + (product < 0 ? -b[i] : b[i]) * share;
  return normalised(mixed);
}

/// Applies first `inner`, then `outer`.
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

std::optional<dataset::CameraPose> pose_of(const RigidTransform& transform) {
  const auto& r = transform.rotation;
  const auto& t = transform.translation_m;
  return dataset::pose_of_matrix(std::array{r[0], r[1], r[2], t[0], r[3], r[4], r[5], t[1], r[6], r[7], r[8], t[2]});
}

bool is_fixed_frame(const std::string& name) { return name == "map" || name == "odom" || name == "world"; }

void FrameTree::add(const ros::Transform& transform, bool is_static) {
  Joint& joint = joints_[frame_key(std::string(transform.child))];
  const std::string parent = frame_key(std::string(transform.header.frame_id));
  if (is_static || joint.is_static || joint.parent != parent) joint.samples.clear();
  joint.parent = parent;
  joint.is_static = is_static;
  joint.samples.push_back({transform.header.stamp_ns, transform.translation_m, normalised(transform.rotation)});
}

void FrameTree::sort_by_time() {
  for (auto& [child, joint] : joints_) std::ranges::stable_sort(joint.samples, {}, &Sample::time_ns);
}

bool FrameTree::moves() const {
  return std::ranges::any_of(joints_, [](const auto& joint) { return !joint.second.is_static; });
}

FramePath FrameTree::path_to_root(const std::string& frame) const {
  FramePath path{frame_key(frame)};
  for (std::size_t step = 0; step <= joints_.size(); ++step) {
    const auto joint = joints_.find(path.root);
    if (joint == joints_.end()) return path;
    path.moves |= !joint->second.is_static;
    path.root = joint->second.parent;
  }
  return {};  // more steps than frames: a cycle
}

RigidTransform FrameTree::transform_of(const Sample& sample) {
  return {dataset::rotation_of(sample.rotation), sample.translation_m};
}

std::optional<FrameTree::Sample> FrameTree::sample_at(const Joint& joint, std::int64_t time_ns) {
  if (joint.is_static) return joint.samples.back();
  const auto after = std::ranges::lower_bound(joint.samples, time_ns, {}, &Sample::time_ns);
  const bool has_after = after != joint.samples.end(), has_before = after != joint.samples.begin();
  if (has_after && has_before && are_within(std::prev(after)->time_ns, after->time_ns, kMaxApartNs)) {
    const Sample& before = *std::prev(after);
    const double share =
        static_cast<double>(time_ns - before.time_ns) / static_cast<double>(after->time_ns - before.time_ns);
    Sample sample{time_ns, {}, between(before.rotation, after->rotation, share)};
    for (std::size_t i = 0; i < 3; ++i)
      sample.translation_m[i] = before.translation_m[i] * (1 - share) + after->translation_m[i] * share;
    return sample;
  }
  if (has_after && are_within(time_ns, after->time_ns, kNearNs)) return *after;
  if (has_before && are_within(std::prev(after)->time_ns, time_ns, kNearNs)) return *std::prev(after);
  return std::nullopt;
}

std::optional<RigidTransform> FrameTree::to_root_at(const std::string& frame, std::int64_t time_ns) const {
  if (path_to_root(frame).root.empty()) return std::nullopt;
  RigidTransform result;
  for (auto joint = joints_.find(frame_key(frame)); joint != joints_.end();
       joint = joints_.find(joint->second.parent)) {
    const std::optional<Sample> sample = sample_at(joint->second, time_ns);
    if (!sample) return std::nullopt;
    result = composed(transform_of(*sample), result);
  }
  return result;
}

std::optional<RigidTransform> FrameTree::to_root(const std::string& frame, std::string* root) const {
  *root = path_to_root(frame).root;
  if (root->empty()) return std::nullopt;
  RigidTransform result;
  for (auto joint = joints_.find(frame_key(frame)); joint != joints_.end(); joint = joints_.find(joint->second.parent))
    result = composed(transform_of(joint->second.samples.back()), result);
  return result;
}

std::optional<RigidTransform> FrameTree::transform(const std::string& from, const std::string& to) const {
  if (frame_key(from) == frame_key(to)) return RigidTransform();
  std::string from_root, to_root_name;
  const auto from_to_root = to_root(from, &from_root), to_to_root = to_root(to, &to_root_name);
  if (!from_to_root || !to_to_root || from_root != to_root_name) return std::nullopt;
  return composed(inverse(*to_to_root), *from_to_root);
}

}  // namespace fernwood::recordings
