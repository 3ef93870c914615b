// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "generate/bvh.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace fernwood::generate {
namespace {

constexpr int kLeafParts = 2;
// Below this level parts are halved as they come, so that the stack of a walk suffices for 2^32 parts.
constexpr int kSplitLevels = 30;
constexpr int kMaxStack = 64;

Vec3 min_of(const Vec3& a, const Vec3& b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
Vec3 max_of(const Vec3& a, const Vec3& b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }

struct Bounds {
  Vec3 low{1e9f, 1e9f, 1e9f}, high{-1e9f, -1e9f, -1e9f};

  void add(const Shape& shape) {
    const Vec3 half = shape.bounding_half() + Vec3{1e-4f, 1e-4f, 1e-4f};  // rounding must not lose a grazing hit
    low = min_of(low, shape.pose().origin - half);
    high = max_of(high, shape.pose().origin + half);
  }
  float half_area() const {
    const Vec3 size = high - low;
    return size.x * size.y + size.y * size.z + size.z * size.x;
  }
};

/// 1 / d, with a huge number instead of infinity, which would turn 0 * inf into NaN.
float safe_inverse(float d) {
  constexpr float kTiny = 1e-12f;
  return 1.0f / (d > kTiny || d < -kTiny ? d : kTiny);
}

}  // namespace

Bvh::Bvh(const std::vector<Part>& parts) : parts_(parts), order_(parts.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  nodes_.reserve(2 * parts.size());
  if (!parts.empty()) build(0, static_cast<int>(parts.size()), 0);
}

int Bvh::build(int first, int count, int level) {
  const int index = static_cast<int>(nodes_.size());
  Bounds bounds;
  for (int i = first; i < first + count; ++i) bounds.add(parts_[order_[i]].shape);
  nodes_.push_back({bounds.low, bounds.high, first, count});
  if (count <= kLeafParts) return index;

  const int first_count = level < kSplitLevels ? sort_and_split(first, count) : count / 2;
  build(first, first_count, level + 1);
  nodes_[index].first = build(first + first_count, count - first_count, level + 1);
  nodes_[index].count = 0;
  return index;
}

/// Sorts the entries along the best axis and returns how many belong to the first child: the split with the least
/// surface area heuristic, the sum of the children's areas times their numbers of parts.
int Bvh::sort_and_split(int first, int count) {
  const auto begin = order_.begin() + first, end = begin + count;
  // Stable, so that equal centres are in the same order with every standard library.
  const auto sort_along = [&](int axis) {
    std::stable_sort(begin, end, [&](int a, int b) {
      return parts_[a].shape.pose().origin[axis] < parts_[b].shape.pose().origin[axis];
    });
  };
  int best_axis = 0, best_count = count / 2;
  float best_cost = 1e30f;
  std::vector<float> area_after(static_cast<std::size_t>(count));
  for (int axis = 0; axis < 3; ++axis) {
    sort_along(axis);
    Bounds after, before;
    for (int i = count - 1; i > 0; --i) {
      after.add(parts_[order_[first + i]].shape);
      area_after[i] = after.half_area();
    }
    for (int i = 1; i < count; ++i) {
      before.add(parts_[order_[first + i - 1]].shape);
      const float cost = before.half_area() * static_cast<float>(i) + area_after[i] * static_cast<float>(count - i);
      if (cost < best_cost) best_cost = cost, best_axis = axis, best_count = i;
    }
  }
  sort_along(best_axis);
  return best_count;
}

template <bool kAny>
Bvh::Hit Bvh::walk(const Ray& ray, float t_min, float t_max) const {
  Hit best{-1, t_max};
  if (nodes_.empty()) return best;
  const Vec3 inverse{safe_inverse(ray.direction.x), safe_inverse(ray.direction.y), safe_inverse(ray.direction.z)};
  const auto entry = [&](const Node& node) {
    const Vec3 a = (node.low - ray.origin) * inverse, b = (node.high - ray.origin) * inverse;
    const Vec3 near = min_of(a, b), far = max_of(a, b);
    const float enter = std::max(std::max(near.x, near.y), std::max(near.z, t_min));
    const float leave = std::min(std::min(far.x, far.y), std::min(far.z, best.t));
    return enter <= leave ? enter : -1.0f;
  };

  std::array<int, kMaxStack> stack;
  int depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const int index = stack[--depth];
    const Node& node = nodes_[index];
    if (entry(node) < 0.0f) continue;
    for (int i = node.first; i < node.first + node.count; ++i) {
      const float t = parts_[order_[i]].shape.intersect(ray, t_min, best.t);
      if (t >= best.t) continue;
      best = {order_[i], t};
      if (kAny) return best;
    }
    if (node.count > 0) continue;
    const float first = entry(nodes_[index + 1]), second = entry(nodes_[node.first]);
    const bool first_is_nearer = first <= second;  // the nearer child is walked first: it often hides the other
    const int near = first_is_nearer ? index + 1 : node.first, far = first_is_nearer ? node.first : index + 1;
    if ((first_is_nearer ? second : first) >= 0.0f) stack[depth++] = far;
    if ((first_is_nearer ? first : second) >= 0.0f) stack[depth++] = near;
  }
  return best;
}

Bvh::Hit Bvh::nearest(const Ray& ray, float t_min, float t_max) const { return walk<false>(ray, t_min, t_max); }
bool Bvh::blocked(const Ray& ray, float t_min, float t_max) const { return walk<true>(ray, t_min, t_max).part >= 0; }

}  // namespace fernwood::generate
