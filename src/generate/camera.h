// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// From a scene to a frame: what a perfect camera sees, what real sensors make of it, and the truth.

#include <cstdint>
#include <optional>

#include "fernwood/core/array.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "generate/scene.h"

namespace fernwood::generate {

/// What a perfect camera sees, [rows][cols] each.
struct Rendering {
  Array2<float> depth_m;      ///< Along the optical axis.
  Array2<float> facing;       ///< Cosine between the surface's normal and the direction to the camera, [0, 1].
  Array2<std::int32_t> part;  ///< Index into Scene::parts.
  Array2<Vec3> color;         ///< Linear light.
};

Rendering render(const Scene& scene, int width, int height);

/// What a colour camera makes of the light: a little blur, automatic exposure, a white balance that misses by a
/// little, vignetting, noise, and sRGB (its curve taken as a square root).
/// @param frame  Of a sequence: it changes the noise, but neither white balance nor vignetting.
Array2<image::Rgb> sense_color(const Array2<Vec3>& light, std::uint64_t seed, std::uint32_t scene,
                               std::uint32_t frame = 0);

// A structured-light depth camera: a projector beside the camera throws a pattern, and the pattern's shift, the
// disparity, tells the depth z = kDisparityConstant / disparity. Noise and rounding are constant in disparity and so
// grow with z^2 in depth (Khoshelham and Oude Elberink, Sensors 2012, eq. 6).

inline constexpr float kBaselineM = 0.075f;
inline constexpr float kNearestM = 0.5f, kFarthestM = 8.0f;
/// Metres times steps of disparity (an eighth of a pixel at 570 px focal length): 8 * 570 * 0.075.
inline constexpr float kDisparityConstant = 342.0f;
/// Standard deviation in steps; z^2 * 0.41 / 342 is 1.2 mm at 1 m, 19 mm at 4 m.
inline constexpr float kDisparityNoise = 0.41f;

inline bool is_in_range(float depth_m) { return depth_m >= kNearestM && depth_m <= kFarthestM; }

/// A measured depth in mm, as if the camera had no limits of range. @param depth_m  > 0. @param noise  A normal random
/// number (mean 0, deviation 1).
std::uint16_t measured_depth_mm(float depth_m, float noise);

/// Finds the pixels of a row that the projector cannot see.
/// @param depth_m  True depths of the row; 0 for nothing.
/// @param shadowed [cols], set to 1 in shadow and where nothing is, else 0. The shadow of a thing falls to its left.
void cast_shadows(const float* depth_m, std::size_t cols, float focal_px, std::uint8_t* shadowed);

/// What is at random, and how much depth is missing.
struct DepthNoise {
  std::uint64_t seed;
  std::uint32_t scene_index;
  std::optional<double> holes;  ///< As in GenerateOptions.
  std::uint32_t frame = 0;      ///< Of a sequence.
};

/// Depth in mm, 0 where the camera measures none: out of range, in the projector's shadow, at edges, at grazing
/// angles, on glossy black and glass, in speckles, and in the margin where no disparity can be found.
Array2<std::uint16_t> sense_depth(const Rendering& seen, const Scene& scene, const DepthNoise& noise);

/// The class of every pixel; void in the frame's margin and along the borders between objects (2 pixels wide, 1
/// in frames narrower than 320), as in sets labelled by hand.
image::LabelImage truth_of(const Rendering& seen, const Scene& scene);

/// Width of the void margin: 4 pixels of 640, at least 1.
std::size_t margin_px(std::size_t cols);

}  // namespace fernwood::generate
