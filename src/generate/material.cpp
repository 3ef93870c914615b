// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Random materials, and the colour of a material at a point.
#include <array>
#include <cmath>

#include "generate/furnish.h"
#include "generate/random.h"

namespace fernwood::generate {
namespace {

constexpr std::array<std::uint32_t, 8> kWoods = {0xc8a06a, 0x9c6b3f, 0x6b4226, 0xd8be94,
                                                 0x4a3120, 0xb58450, 0xa8835c, 0xe0cfae};
constexpr std::array<std::uint32_t, 10> kPaints = {0xe8e4da, 0xd9cbb0, 0xbfc8c4, 0xc9d4e0, 0xe2d3c3,
                                                   0xb9b5a8, 0xa8b59b, 0xd5b8a0, 0x8fa3b0, 0xf0efec};
constexpr std::array<std::uint32_t, 10> kCloths = {0x6e5a4b, 0x3f4e63, 0x7b2f2f, 0x8a8a86, 0x556b4e,
                                                   0xb59a7a, 0x3a3a40, 0xa0603c, 0xc4b6a4, 0x5b7d8c};
constexpr std::array<std::uint32_t, 10> kPlastics = {0xb5523f, 0x4a708f, 0x4f7d5c, 0xc0a04a, 0xb87a45,
                                                     0x7a5a88, 0x5f9d90, 0xe8e8e8, 0x404040, 0xd98880};
constexpr std::array<std::uint32_t, 6> kToys = {0xd8261c, 0x1f5fd0, 0xf2c40f, 0x12a150, 0xff7a12, 0xc81e8c};
constexpr std::array<std::uint32_t, 5> kGlasses = {0x1d6b32, 0x6a3a14, 0x16486f, 0x0f7b6c, 0x8a1420};
constexpr std::array<std::uint32_t, 3> kCardboards = {0xb08d5b, 0xa17e4e, 0xc4a26e};

template <std::size_t N>
Vec3 shade_of(Dice& dice, const std::array<std::uint32_t, N>& palette) {
  const Vec3 color = srgb(dice.pick(palette));
  const float brightness = dice.range(0.8f, 1.15f);
  const Vec3 tint{dice.range(0.92f, 1.08f), dice.range(0.95f, 1.05f), dice.range(0.92f, 1.08f)};
  return color * tint * brightness;
}

Material plain(Dice& dice, const Vec3& color) {
  Material m;
  m.color = color;
  m.second = color;
  m.seed = dice.word();
  return m;
}

Material polished(Material m, float shine) {
  m.grain = 0.03f;
  m.shine = shine;
  return m;
}

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

Material wood(Dice& dice) {
  Material m = plain(dice, shade_of(dice, kWoods));
  m.pattern = Pattern::kWood;
  m.second = m.color * dice.range(0.5f, 0.75f);
  m.scale_m = dice.range(0.015f, 0.04f);
  m.shine = 0.08f;
  return m;
}

Material paint(Dice& dice) { return plain(dice, shade_of(dice, kPaints)); }

Material cloth(Dice& dice) {
  constexpr std::array<Pattern, 5> kPatterns = {Pattern::kNoise, Pattern::kNoise, Pattern::kPlain, Pattern::kStripes,
                                                Pattern::kChecker};
  Material m = plain(dice, shade_of(dice, kCloths));
  m.pattern = dice.pick(kPatterns);
  const bool woven = m.pattern == Pattern::kNoise;
  m.second = woven ? m.color * 0.6f : mix(m.color, shade_of(dice, kCloths), 0.5f);
  m.scale_m = woven ? dice.range(0.01f, 0.03f) : dice.range(0.05f, 0.16f);
  m.grain = 0.2f;
  return m;
}

Material plastic(Dice& dice) { return polished(plain(dice, shade_of(dice, kPlastics)), 0.3f); }
Material toy(Dice& dice) { return polished(plain(dice, shade_of(dice, kToys)), 0.35f); }
Material glass(Dice& dice) { return polished(plain(dice, shade_of(dice, kGlasses)), 0.6f); }

Material cardboard(Dice& dice) {
  Material m = plain(dice, shade_of(dice, kCardboards));
  m.pattern = Pattern::kNoise;
  m.second = m.color * 0.85f;
  m.scale_m = 0.08f;
  return m;
}

Material metal(Dice& dice) {
  Material m = plain(dice, mix(srgb(0x2a2a2a), srgb(0xb8b8b8), dice.unit()));
  m.grain = 0.02f;
  m.shine = 0.4f;
  return m;
}

Material glossy_black(Dice& dice) {
  Material m = plain(dice, srgb(0x15161a));
  m.grain = 0.0f;
  m.shine = 0.25f;
  m.hides_depth = true;
  return m;
}

Material furniture_material(Dice& dice) {
  const float kind = dice.unit();
  return kind < 0.55f ? wood(dice) : kind < 0.85f ? paint(dice) : plastic(dice);
}

Material floor_material(Dice& dice) {
  const float kind = dice.unit();
  if (kind < 0.35f) {
    Material m = cloth(dice);
    m.pattern = Pattern::kNoise;
    return m;
  }
  Material m = kind < 0.75f ? wood(dice) : paint(dice);
  m.pattern = kind < 0.75f ? Pattern::kPlanks : Pattern::kTiles;
  m.scale_m = kind < 0.75f ? dice.range(0.08f, 0.18f) : dice.range(0.25f, 0.5f);
  if (m.pattern == Pattern::kTiles) m.second = m.color * dice.range(0.3f, 0.6f);
  m.shine = 0.1f;
  return m;
}

Material wall_material(Dice& dice) {
  Material m = paint(dice);
  const float kind = dice.unit();
  if (kind < 0.15f) {  // wallpaper
    m.pattern = Pattern::kStripes;
    m.second = m.color * dice.range(0.8f, 0.92f);
    m.scale_m = dice.range(0.1f, 0.3f);
  } else if (kind < 0.25f) {
    m = plain(dice, mix(srgb(0xa05a40), srgb(0xc9bba8), dice.unit()));
    m.pattern = Pattern::kBricks;
    m.second = srgb(0xbab4a8);
    m.scale_m = 0.075f;
  } else if (kind < 0.35f) {  // wood panels
    m = wood(dice);
  }
  return m;
}

}  // namespace fernwood::generate
