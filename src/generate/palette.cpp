// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "generate/furnish.h"

#include <array>

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

}  // namespace

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
