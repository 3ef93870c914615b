// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

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

}  // namespace fernwood::generate
