// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// From a scene to a frame: the image of an ideal camera, the effects of real sensors, and the ground truth.

#include <cstdint>
#include <optional>

#include "fernwood/core/array.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "generate/scene.h"

namespace fernwood::generate {

/// The image of an ideal camera, [rows][cols] each.
struct Rendering {
  Array2<float> depth_m;      ///< Along the optical axis.
  Array2<float> facing;       ///< Cosine between the surface's normal and the direction to the camera, [0, 1].
  Array2<std::int32_t> part;  ///< Index into Scene::parts.
  Array2<Vec3> color;         ///< Linear light.
};

Rendering render(const Scene& scene, int width, int height);

/// The image of a real colour camera: slight blur, automatic exposure, imperfect white balance, vignetting, noise, and
/// sRGB (with its curve approximated by a square root).
/// @param frame  Frame of a sequence: it affects the noise, but neither white balance nor vignetting.
Array2<image::Rgb> sense_color(const Array2<Vec3>& light, std::uint64_t seed, std::uint32_t scene,
                               std::uint32_t frame = 0);

// A structured-light depth camera: a projector beside the camera projects a pattern, whose shift, the disparity, yields
// the depth z = kDisparityConstant / disparity. Noise and rounding are constant in disparity and so grow with z^2 in
// depth (Khoshelham and Oude Elberink, Sensors 2012, eq. 6).

inline constexpr float kBaselineM = 0.075f;
inline constexpr float kNearestM = 0.5f, kFarthestM = 8.0f;
/// Metres times steps of disparity (an eighth of a pixel at 570 px focal length): 8 * 570 * 0.075.
inline constexpr float kDisparityConstant = 342.0f;
/// Standard deviation in steps; z^2 * 0.41 / 342 is 1.2 mm at 1 m, 19 mm at 4 m.
inline constexpr float kDisparityNoise = 0.41f;

inline bool is_in_range(float depth_m) { return depth_m >= kNearestM && depth_m <= kFarthestM; }

/// A measured depth in mm, for a camera without limits of range. @param depth_m  > 0. @param noise  A normal random
/// number (mean 0, deviation 1).
std::uint16_t measured_depth_mm(float depth_m, float noise);

/// Finds the pixels of a row that the projector does not illuminate.
/// @param depth_m  True depths of the row; 0 for none.
/// @param shadowed [cols], output: 1 in shadow and where depth is 0, else 0. The shadow of an object lies to its left.
void cast_shadows(const float* depth_m, std::size_t cols, float focal_px, std::uint8_t* shadowed);

/// Randomness of depth, and the share that is missing.
struct DepthNoise {
  std::uint64_t seed;
  std::uint32_t scene_index;
  std::optional<double> holes;  ///< As in GenerateOptions.
  std::uint32_t frame = 0;      ///< Of a sequence.
};

/// Depth in mm, 0 where the camera cannot measure it: out of range, in the projector's shadow, at edges, at grazing
/// angles, on glossy black and glass, in speckles, and in the margin without disparity.
Array2<std::uint16_t> sense_depth(const Rendering& seen, const Scene& scene, const DepthNoise& noise);

/// The class of each pixel; void in the frame's margin and along the borders between objects (2 pixels wide, 1 in
/// frames narrower than 320), as in data sets labelled by hand.
image::LabelImage truth_of(const Rendering& seen, const Scene& scene);

/// Width of the void margin: 4 pixels of 640, at least 1.
std::size_t margin_px(std::size_t cols);

}  // namespace fernwood::generate
