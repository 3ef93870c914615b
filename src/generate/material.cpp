// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "generate/scene.h"

#include <algorithm>
#include <cmath>

#include "generate/random.h"

namespace fernwood::generate {
namespace {

/// A position on a surface, in metres; u runs along the longer side.
struct SurfacePoint {
  float u, v;
};

/// An angle in [0, 4) for a full circle: monotonic in the angle, without atan2.
float diamond_angle(float x, float z) {
  const float sum = std::abs(x) + std::abs(z);
  if (sum == 0.0f) return 0.0f;
  return z >= 0.0f ? (x >= 0.0f ? z / sum : 1.0f - x / sum) : (x < 0.0f ? 2.0f - z / sum : 3.0f + x / sum);
}

SurfacePoint surface_point(const Shape& shape, const Vec3& p, const Vec3& normal) {
  const Vec3 half = shape.half();
  if (shape.kind() != ShapeKind::kBox) return {diamond_angle(p.x, p.z) * 1.5f * half.x, p.y * half.y};
  const int axis = normal.x != 0.0f ? 0 : normal.y != 0.0f ? 1 : 2;
  const int first = axis == 0 ? 2 : 0, second = axis == 1 ? 2 : 1;
  const float a = p[first] * half[first], b = p[second] * half[second];
  const float shift = 17.0f * static_cast<float>(axis);  // otherwise the faces of a box would have the same pattern
  return half[first] >= half[second] ? SurfacePoint{a + shift, b} : SurfacePoint{b + shift, a};
}

float fraction(float value) { return value - std::floor(value); }
int whole(float value) { return static_cast<int>(std::floor(value)); }

float wood(const Material& m, SurfacePoint p) {
  const float u = p.u / (m.scale_m * 12.0f), v = p.v / m.scale_m;
  return 0.65f * smooth_noise(m.seed, u, v) + 0.35f * smooth_noise(m.seed + 1, u * 3.0f, v * 4.0f);
}

/// A bond of tiles, bricks or planks, in rows of height scale_m.
struct Bond {
  float length_m;  ///< Of a brick.
  float shift;     ///< Between successive rows, in bricks.
  float joint_m;   ///< Between bricks.
};
struct Brick {
  int column, row;
  bool joint;
};
Brick brick_at(const Material& m, SurfacePoint p, const Bond& bond) {
  const int row = whole(p.v / m.scale_m);
  const float along = p.u / bond.length_m + bond.shift * static_cast<float>(row);
  const bool in_joint =
      fraction(p.v / m.scale_m) * m.scale_m < bond.joint_m || fraction(along) * bond.length_m < bond.joint_m;
  return {whole(along), row, in_joint};
}

Vec3 brick_color(const Material& m, SurfacePoint p, const Bond& bond, float detail) {
  const Brick brick = brick_at(m, p, bond);
  if (brick.joint) return mix(m.color, m.second, detail);
  const float shade = cell_noise(m.seed, brick.column, brick.row) - 0.5f;
  return m.color * (1.0f + 0.35f * shade * detail);
}

Vec3 plank_color(const Material& m, SurfacePoint p, float detail) {
  const Brick plank = brick_at(m, p, {m.scale_m * 9.0f, 0.37f, 0.004f});
  if (plank.joint) return m.color * (1.0f - 0.5f * detail);
  const float shade = cell_noise(m.seed, plank.column, plank.row) - 0.5f;
  Material grain = m;
  grain.seed += static_cast<std::uint32_t>(plank.row * 57 + plank.column);
  grain.scale_m = 0.02f;
  return mix(m.color, m.second, 0.5f + (wood(grain, p) - 0.5f) * detail) * (1.0f + 0.35f * shade * detail);
}

Vec3 book_color(const Material& m, SurfacePoint p) {
  const float along = p.u / m.scale_m + 0.6f * smooth_noise(m.seed, p.u / m.scale_m, 0.0f);
  const int book = whole(along);
  if (fraction(along) < 0.08f) return m.color * 0.15f;
  const Vec3 cover{cell_noise(m.seed, book, 1), cell_noise(m.seed, book, 2), cell_noise(m.seed, book, 3)};
  return mix(cover * cover * 0.8f, mix(m.color, m.second, cell_noise(m.seed, book, 4)), 0.45f);
}

Vec3 pattern_color(const Material& m, SurfacePoint p, float detail) {
  const float u = p.u / m.scale_m, v = p.v / m.scale_m;
  float weight = 0.0f;
  switch (m.pattern) {
    case Pattern::kPlain:
      break;
    case Pattern::kNoise:
      weight = 0.5f * (smooth_noise(m.seed, u, v) + smooth_noise(m.seed + 1, 2.7f * u, 2.7f * v));
      break;
    case Pattern::kWood:
      weight = wood(m, p);
      break;
    case Pattern::kChecker:
      weight = (whole(u) + whole(v)) & 1 ? 1.0f : 0.0f;
      break;
    case Pattern::kStripes:
      weight = fraction(u) < 0.5f ? 0.0f : 1.0f;
      break;
    case Pattern::kPlanks:
      return plank_color(m, p, detail);
    case Pattern::kTiles:
      return brick_color(m, p, {m.scale_m, 0.0f, 0.006f}, detail);
    case Pattern::kBricks:
      return brick_color(m, p, {m.scale_m * 3.0f, 0.5f, 0.010f}, detail);
    case Pattern::kBooks:
      return book_color(m, p);
  }
  const float mean = m.pattern == Pattern::kPlain ? 0.0f : 0.5f;
  return mix(m.color, m.second, mean + (weight - mean) * detail);
}

}  // namespace

Vec3 srgb(std::uint32_t rrggbb) {
  const Vec3 c{static_cast<float>((rrggbb >> 16) & 255) / 255.0f, static_cast<float>((rrggbb >> 8) & 255) / 255.0f,
               static_cast<float>(rrggbb & 255) / 255.0f};
  return c * c;
}

Vec3 albedo(const Material& material, const Shape& shape, const Vec3& unit_point, const Vec3& unit_normal,
            float footprint_m) {
  const SurfacePoint p = surface_point(shape, unit_point, unit_normal);
  const float detail = clamp01(2.0f - 3.0f * footprint_m / material.scale_m);
  const Vec3 color = pattern_color(material, p, detail);
  if (material.grain == 0.0f) return color;
  const float fine = clamp01(2.0f - footprint_m / 0.006f);
  const float blotches = smooth_noise(material.seed + 7, p.u * 3.0f, p.v * 3.0f) - 0.5f;
  const float grains = (smooth_noise(material.seed + 8, p.u * 120.0f, p.v * 120.0f) - 0.5f) * fine;
  return color * (1.0f + material.grain * (blotches + 2.0f * grains));
}

}  // namespace fernwood::generate
