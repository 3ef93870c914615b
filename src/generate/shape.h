// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "generate/rotation.h"

namespace fernwood::generate {

struct Ray {
  Vec3 origin, direction;  ///< The direction need not have length 1; distances along the ray count in its lengths.
};

/// A cylinder stands on its y axis; its upper radius is `taper` times the lower one.
enum class ShapeKind { kBox, kCylinder, kEllipsoid };

/// A solid: the unit box, cylinder or ball, stretched by its half extents and put at a pose.
class Shape {
 public:
  Shape(ShapeKind kind, const Pose& pose, const Vec3& half, float taper = 1.0f);

  ShapeKind kind() const { return kind_; }
  const Pose& pose() const { return pose_; }
  const Vec3& half() const { return half_; }
  /// The same solid with its pose taken as relative to `outer`.
  Shape moved(const Pose& outer) const { return {kind_, placed(pose_, outer), half_, taper_}; }

  /// Distance along the ray of the first surface in (t_min, t_max), or t_max.
  float intersect(const Ray& ray, float t_min, float t_max) const;
  /// A point of the room in the coordinates of the unit solid.
  Vec3 to_unit(const Vec3& point) const { return unit_direction(point - pose_.origin); }
  /// The outward direction at a point of the unit solid's surface, in unit coordinates, not normalised.
  Vec3 unit_normal(const Vec3& unit_point) const;
  /// A normal of the unit solid as a unit vector of the room.
  Vec3 room_normal(const Vec3& unit_normal) const;
  /// Half extents of the axis-aligned box around the solid; its centre is the pose's origin.
  Vec3 bounding_half() const;

 private:
  Vec3 unit_direction(const Vec3& v) const { return {dot(to_x_, v), dot(to_y_, v), dot(to_z_, v)}; }

  ShapeKind kind_;
  Pose pose_;
  Vec3 half_;
  float taper_;
  Vec3 to_x_, to_y_, to_z_;  // rows of the map from room to unit directions
};

}  // namespace fernwood::generate
