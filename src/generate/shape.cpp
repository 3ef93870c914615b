// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "generate/geometry.h"

#include <algorithm>
#include <cmath>

namespace fernwood::generate {
namespace {

float intersect_box(const Vec3& origin, const Vec3& direction, float t_min, float t_max) {
  float enter = t_min, leave = t_max;
  bool inside = true;
  for (int axis = 0; axis < 3; ++axis) {
    const float o = origin[axis], d = direction[axis];
    if (d == 0.0f) {
      if (o < -1.0f || o > 1.0f) return t_max;
      continue;
    }
    const float a = (-1.0f - o) / d, b = (1.0f - o) / d;
    const float near = std::min(a, b), far = std::max(a, b);
    if (near > enter) enter = near, inside = false;
    leave = std::min(leave, far);
    if (enter >= leave) return t_max;
  }
  return inside ? leave : enter;
}

/// Solves a t^2 + 2 b t + c = 0 with a > 0 for the roots in ascending order; false without real roots.
bool solve(float a, float b, float c, float roots[2]) {
  const float discriminant = b * b - a * c;
  if (!(discriminant > 0.0f)) return false;
  const float root = std::sqrt(discriminant);
  roots[0] = (-b - root) / a;
  roots[1] = (-b + root) / a;
  return true;
}

float intersect_ball(const Vec3& origin, const Vec3& direction, float t_min, float t_max) {
  // Relative to the ray's point nearest to the centre the terms are small, so that floats suffice for distant and tiny
  // balls.
  const float dd = dot(direction, direction);
  const float nearest = -dot(origin, direction) / dd;
  const Vec3 p = origin + direction * nearest;
  float roots[2];
  if (!solve(dd, dot(p, direction), dot(p, p) - 1.0f, roots)) return t_max;
  for (const float root : roots)
    if (nearest + root > t_min) return std::min(nearest + root, t_max);
  return t_max;
}

/// The cylinder's radius is 1 at y = -1 and `taper` at y = 1.
float intersect_cylinder(const Vec3& origin, const Vec3& direction, float taper, float t_min, float t_max) {
  const float nearest = -dot(origin, direction) / dot(direction, direction);
  const Vec3 p = origin + direction * nearest;
  float best = t_max;
  const auto consider = [&](float t) {
    if (t > t_min && t < best) best = t;
  };

  const float slope = 0.5f * (taper - 1.0f), radius = 1.0f + slope * (p.y + 1.0f), radius_slope = slope * direction.y;
  const float a = direction.x * direction.x + direction.z * direction.z - radius_slope * radius_slope;
  const float b = p.x * direction.x + p.z * direction.z - radius * radius_slope;
  const float c = p.x * p.x + p.z * p.z - radius * radius;
  float roots[2];
  if (a > 0.0f && solve(a, b, c, roots))
    for (const float root : roots)
      if (std::abs(p.y + direction.y * root) <= 1.0f) consider(nearest + root);

  if (direction.y != 0.0f)
    for (const float cap : {-1.0f, 1.0f}) {
      const float t = (cap - p.y) / direction.y, cap_radius = cap < 0.0f ? 1.0f : taper;
      const float x = p.x + direction.x * t, z = p.z + direction.z * t;
      if (x * x + z * z <= cap_radius * cap_radius) consider(nearest + t);
    }
  return best;
}

}  // namespace

Shape::Shape(ShapeKind kind, const Pose& pose, const Vec3& half, float taper)
    : kind_(kind),
      pose_(pose),
      half_(half),
      taper_(taper),
      to_x_(pose.axis_x * (1.0f / half.x)),
      to_y_(pose.axis_y * (1.0f / half.y)),
      to_z_(pose.axis_z * (1.0f / half.z)) {}

float Shape::intersect(const Ray& ray, float t_min, float t_max) const {
  const Vec3 origin = to_unit(ray.origin), direction = unit_direction(ray.direction);
  switch (kind_) {
    case ShapeKind::kBox:
      return intersect_box(origin, direction, t_min, t_max);
    case ShapeKind::kCylinder:
      return intersect_cylinder(origin, direction, taper_, t_min, t_max);
    case ShapeKind::kEllipsoid:
      return intersect_ball(origin, direction, t_min, t_max);
  }
  return t_max;
}

Vec3 Shape::unit_normal(const Vec3& p) const {
  if (kind_ == ShapeKind::kEllipsoid) return p;
  if (kind_ == ShapeKind::kCylinder) {
    const float slope = 0.5f * (taper_ - 1.0f), radius = 1.0f + slope * (p.y + 1.0f);
    const bool cap = std::abs(p.y) * radius > std::sqrt(p.x * p.x + p.z * p.z);
    if (cap) return {0, p.y > 0 ? 1.0f : -1.0f, 0};
    return {p.x, -slope * radius, p.z};
  }
  const float ax = std::abs(p.x), ay = std::abs(p.y), az = std::abs(p.z);
  if (ax >= ay && ax >= az) return {p.x > 0 ? 1.0f : -1.0f, 0, 0};
  if (ay >= az) return {0, p.y > 0 ? 1.0f : -1.0f, 0};
  return {0, 0, p.z > 0 ? 1.0f : -1.0f};
}

Vec3 Shape::room_normal(const Vec3& n) const { return normalized(to_x_ * n.x + to_y_ * n.y + to_z_ * n.z); }

Vec3 Shape::bounding_half() const {
  const float widest = std::max(1.0f, taper_);  // a cup is wider at its upper rim
  const Vec3 x = pose_.axis_x * (half_.x * widest), y = pose_.axis_y * half_.y, z = pose_.axis_z * (half_.z * widest);
  return {std::abs(x.x) + std::abs(y.x) + std::abs(z.x), std::abs(x.y) + std::abs(y.y) + std::abs(z.y),
          std::abs(x.z) + std::abs(y.z) + std::abs(z.z)};
}

}  // namespace fernwood::generate
