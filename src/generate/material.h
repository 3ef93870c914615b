// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "generate/dice.h"
#include "generate/shape.h"

namespace fernwood::generate {

enum class Pattern { kPlain, kNoise, kWood, kPlanks, kTiles, kBricks, kChecker, kStripes, kBooks };

/// How a surface looks.
struct Material {
  Pattern pattern = Pattern::kPlain;
  Vec3 color, second;        ///< Linear; the pattern blends between the two.
  float scale_m = 0.1f;      ///< Size of the pattern's elements.
  float grain = 0.06f;       ///< Strength of the fine noise over it.
  float shine = 0.0f;        ///< Strength of the highlight, [0, 1].
  float glow = 0.0f;         ///< Light of its own, for windows and lampshades.
  bool hides_depth = false;  ///< Glossy black or glass: the depth camera sees it in patches only.
  std::uint32_t seed = 0;
};

/// Linear colour of 8-bit sRGB 0xrrggbb, with the curve taken as a square: its inverse sqrt is exact.
Vec3 srgb(std::uint32_t rrggbb);

/// Colour of the surface at a point of the solid.
/// @param footprint_m  Size of a pixel there; details smaller than it fade to their mean, which avoids aliasing.
Vec3 albedo(const Material& material, const Shape& shape, const Vec3& unit_point, const Vec3& unit_normal,
            float footprint_m);

}  // namespace fernwood::generate
