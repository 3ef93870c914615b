// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Points, poses and solids. Rotations avoid sin and cos, whose last bits differ between C libraries: a rotation by the
// angle a is given by t = tan(a / 2), so that cos a = (1 - t^2) / (1 + t^2) and sin a = 2 t / (1 + t^2). With only + -
// * / and sqrt, which IEEE 754 rounds alike everywhere, a scene has the same bits on every machine.

#include <cmath>

namespace fernwood::generate {

/// A point or direction in metres (x right, y up, z into the room), or a linear colour (red, green, blue; 1 is white).
struct Vec3 {
  float x = 0, y = 0, z = 0;

  float operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
  Vec3 operator+(const Vec3& o) const { return {x + o.x, y + o.y, z + o.z}; }
  Vec3 operator-(const Vec3& o) const { return {x - o.x, y - o.y, z - o.z}; }
  Vec3 operator*(const Vec3& o) const { return {x * o.x, y * o.y, z * o.z}; }
  Vec3 operator*(float s) const { return {x * s, y * s, z * s}; }
  Vec3 operator-() const { return {-x, -y, -z}; }
};

inline float dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float length(const Vec3& v) { return std::sqrt(dot(v, v)); }
inline Vec3 normalized(const Vec3& v) { return v * (1.0f / length(v)); }
inline Vec3 mix(const Vec3& a, const Vec3& b, float weight_b) { return a + (b - a) * weight_b; }
inline float clamp01(float value) { return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value; }

/// The cosine and sine of an angle.
struct Turn {
  float cos = 1, sin = 0;
};

/// @param half_tangent  tan(a / 2); for small angles half of the angle in radians.
inline Turn turn_of(float half_tangent) {
  const float t2 = half_tangent * half_tangent;
  return {(1.0f - t2) / (1.0f + t2), 2.0f * half_tangent / (1.0f + t2)};
}

/// `v` rotated about the vertical axis.
inline Vec3 turned(const Vec3& v, const Turn& turn) {
  return {v.x * turn.cos + v.z * turn.sin, v.y, v.z * turn.cos - v.x * turn.sin};
}

/// Position and orientation: the origin and the axes as unit vectors of the room.
struct Pose {
  Vec3 origin;
  Vec3 axis_x{1, 0, 0}, axis_y{0, 1, 0}, axis_z{0, 0, 1};

  Vec3 direction(const Vec3& local) const { return axis_x * local.x + axis_y * local.y + axis_z * local.z; }
  Vec3 point(const Vec3& local) const { return origin + direction(local); }
};

/// An upright pose at `origin`, with its z axis (a chair's front) along the horizontal unit vector `front`.
inline Pose facing(const Vec3& origin, const Vec3& front) {
  return {origin, cross({0, 1, 0}, front), {0, 1, 0}, front};
}

/// Transforms a pose given in the coordinates of another.
inline Pose placed(const Pose& inner, const Pose& outer) {
  return {outer.point(inner.origin), outer.direction(inner.axis_x), outer.direction(inner.axis_y),
          outer.direction(inner.axis_z)};
}

struct Ray {
  Vec3 origin, direction;  ///< Of any length, which is the unit of distances along the ray.
};

/// A cylinder is parallel to its y axis; its upper radius is `taper` times the lower one.
enum class ShapeKind { kBox, kCylinder, kEllipsoid };

/// A solid: the unit box, cylinder or ball, scaled by its half extents and placed at a pose.
class Shape {
 public:
  Shape(ShapeKind kind, const Pose& pose, const Vec3& half, float taper = 1.0f);

  ShapeKind kind() const { return kind_; }
  const Pose& pose() const { return pose_; }
  const Vec3& half() const { return half_; }
  /// The same solid with its pose interpreted as relative to `outer`.
  Shape moved(const Pose& outer) const { return {kind_, placed(pose_, outer), half_, taper_}; }

  /// Distance along the ray to the first surface in (t_min, t_max), or t_max.
  float intersect(const Ray& ray, float t_min, float t_max) const;
  /// A point of the room in the coordinates of the unit solid.
  Vec3 to_unit(const Vec3& point) const { return unit_direction(point - pose_.origin); }
  /// The outward normal at a point of the unit solid's surface, in unit coordinates, not normalised.
  Vec3 unit_normal(const Vec3& unit_point) const;
  /// Transforms a normal of the unit solid to a unit vector of the room.
  Vec3 room_normal(const Vec3& unit_normal) const;
  /// Half extents of the axis-aligned box around the solid; its centre is the pose's origin.
  Vec3 bounding_half() const;

 private:
  Vec3 unit_direction(const Vec3& v) const { return {dot(to_x_, v), dot(to_y_, v), dot(to_z_, v)}; }

  ShapeKind kind_;
  Pose pose_;
  Vec3 half_;
  float taper_;
  Vec3 to_x_, to_y_, to_z_;  // rows of the matrix from room to unit directions
};

}  // namespace fernwood::generate
