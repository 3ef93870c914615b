// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "generate/scene.h"

namespace fernwood::generate {

namespace {

/// A bounding volume hierarchy over a scene's parts: finds the first part that a ray hits without testing all of them.
class Bvh {
 public:
  struct Hit {
    int part = -1;  ///< -1: none.
    float t = 0;
  };

  /// @param parts  Must outlive the hierarchy.
  explicit Bvh(const std::vector<Part>& parts);

  Hit nearest(const Ray& ray, float t_min, float t_max) const;
  bool blocked(const Ray& ray, float t_min, float t_max) const;

 private:
  struct Node {
    Vec3 low, high;
    int first = 0;  // leaf: first entry of order_; inner: index of the second child; the first one follows the node
    int count = 0;  // leaf: number of parts; inner: 0
  };

  int build(int first, int count, int level);
  int sort_and_split(int first, int count);
  template <bool kAny>
  Hit walk(const Ray& ray, float t_min, float t_max) const;

  const std::vector<Part>& parts_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

constexpr int kLeafParts = 2;
// Below this level, parts are halved in their order, so that the traversal stack suffices for 2^32 parts.
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

/// 1 / d, with a huge number instead of infinity, since 0 * inf is NaN.
float safe_inverse(float d) {
  constexpr float kTiny = 1e-12f;
  return 1.0f / (d > kTiny || d < -kTiny ? d : kTiny);
}

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

/// Sorts the entries along the best axis and returns the number that belong to the first child: the split minimises the
/// surface area heuristic, the sum of the children's areas times their numbers of parts.
int Bvh::sort_and_split(int first, int count) {
  const auto begin = order_.begin() + first, end = begin + count;
  // Stable, so that the order of equal centres does not depend on the standard library.
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
    const bool first_is_nearer = first <= second;  // visits the nearer child first, which often occludes the other
    const int near = first_is_nearer ? index + 1 : node.first, far = first_is_nearer ? node.first : index + 1;
    if ((first_is_nearer ? second : first) >= 0.0f) stack[depth++] = far;
    if ((first_is_nearer ? first : second) >= 0.0f) stack[depth++] = near;
  }
  return best;
}

Bvh::Hit Bvh::nearest(const Ray& ray, float t_min, float t_max) const { return walk<false>(ray, t_min, t_max); }
bool Bvh::blocked(const Ray& ray, float t_min, float t_max) const { return walk<true>(ray, t_min, t_max).part >= 0; }

constexpr float kNear = 0.02f, kFar = 50.0f;  // metres

/// The point where a ray hits a part.
struct SurfaceHit {
  const Part* part;
  Vec3 unit_point, unit_normal;  // in the part's coordinates
  Vec3 point, normal, to_camera;
  float facing;
  float distance_m;
};

SurfaceHit describe(const Scene& scene, const Ray& ray, const Bvh::Hit& hit) {
  SurfaceHit s;
  s.part = &scene.parts[hit.part];
  s.point = ray.origin + ray.direction * hit.t;
  s.unit_point = s.part->shape.to_unit(s.point);
  s.unit_normal = s.part->shape.unit_normal(s.unit_point);
  s.normal = s.part->shape.room_normal(s.unit_normal);
  s.distance_m = hit.t * length(ray.direction);
  s.to_camera = normalized(-ray.direction);
  s.facing = std::max(0.0f, dot(s.normal, s.to_camera));
  return s;
}

float highlight(const SurfaceHit& s, const Vec3& to_light) {
  const float c = std::max(0.0f, dot(s.normal, normalized(to_light + s.to_camera)));
  const float c2 = c * c, c4 = c2 * c2, c8 = c4 * c4, c16 = c8 * c8;
  return s.part->material.shine * c16 * c16;
}

/// Light from a lamp with shadows, from the window without, and ambient light that is weaker from below.
Vec3 shade(const Scene& scene, const Bvh& bvh, const SurfaceHit& s, int lamp_point) {
  const Lights& lights = scene.lights;
  const Material& material = s.part->material;
  const float footprint = s.distance_m / (scene.camera.focal_px * std::max(0.1f, s.facing));
  const Vec3 color = albedo(material, s.part->shape, s.unit_point, s.unit_normal, footprint);

  const float from_sky = 0.5f + 0.5f * dot(s.normal, lights.sky_direction);
  Vec3 light = lights.ambient * (0.75f + 0.25f * s.normal.y) + lights.sky_color * (from_sky * from_sky);
  Vec3 gloss{};
  const Vec3 to_lamp = lights.lamp[lamp_point] - s.point;
  const float distance = length(to_lamp), cosine = dot(s.normal, to_lamp) / distance;
  const Ray shadow_ray{s.point + s.normal * 0.002f, to_lamp};
  if (cosine > 0.0f && !bvh.blocked(shadow_ray, 0.0f, 1.0f)) {
    const float falloff = 1.0f / (1.0f + 0.15f * distance * distance);
    light = light + lights.lamp_color * (cosine * falloff);
    gloss = lights.lamp_color * (highlight(s, to_lamp * (1.0f / distance)) * falloff);
  }
  return color * (light + Vec3{1, 1, 1} * material.glow) + gloss;
}

class Renderer {
 public:
  Renderer(const Scene& scene, int width, int height) : scene_(scene), bvh_(scene.parts) {
    const std::size_t rows = static_cast<std::size_t>(height), cols = static_cast<std::size_t>(width);
    out_ = {Array2<float>(rows, cols), Array2<float>(rows, cols), Array2<std::int32_t>(rows, cols, -1),
            Array2<Vec3>(rows, cols)};
  }

  Rendering run() {
    for (std::size_t y = 0; y < out_.part.rows(); ++y)
      for (std::size_t x = 0; x < out_.part.cols(); ++x) trace_pixel(x, y);
    for (std::size_t y = 0; y < out_.part.rows(); ++y)
      for (std::size_t x = 0; x < out_.part.cols(); ++x)
        if (is_edge(x, y)) smooth_pixel(x, y);
    return std::move(out_);
  }

 private:
  void trace_pixel(std::size_t x, std::size_t y) {
    const Ray ray = scene_.camera.ray(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
    const Bvh::Hit hit = bvh_.nearest(ray, kNear, kFar);
    if (hit.part < 0) return;
    const SurfaceHit surface = describe(scene_, ray, hit);
    out_.depth_m(y, x) = hit.t;
    out_.facing(y, x) = surface.facing;
    out_.part(y, x) = hit.part;
    // The pixels of each 2 x 2 block use different points of the lamp; the camera's blur [1 2 1] weights the four
    // equally.
    out_.color(y, x) = shade(scene_, bvh_, surface, static_cast<int>((x & 1) + 2 * (y & 1)));
  }

  bool is_edge(std::size_t x, std::size_t y) const {
    const std::int32_t part = out_.part(y, x);
    return (x > 0 && out_.part(y, x - 1) != part) || (x + 1 < out_.part.cols() && out_.part(y, x + 1) != part) ||
           (y > 0 && out_.part(y - 1, x) != part) || (y + 1 < out_.part.rows() && out_.part(y + 1, x) != part);
  }

  /// Where parts meet, a pixel's colour is the mean of four rays.
  void smooth_pixel(std::size_t x, std::size_t y) {
    Vec3 sum{};
    for (int i = 0; i < 4; ++i) {
      const float dx = i & 1 ? 0.75f : 0.25f, dy = i & 2 ? 0.75f : 0.25f;
      const Ray ray = scene_.camera.ray(static_cast<float>(x) + dx, static_cast<float>(y) + dy);
      const Bvh::Hit hit = bvh_.nearest(ray, kNear, kFar);
      if (hit.part >= 0) sum = sum + shade(scene_, bvh_, describe(scene_, ray, hit), i);
    }
    out_.color(y, x) = sum * 0.25f;
  }

  const Scene& scene_;
  Bvh bvh_;
  Rendering out_;
};

}  // namespace

Rendering render(const Scene& scene, int width, int height) { return Renderer(scene, width, height).run(); }

}  // namespace fernwood::generate
