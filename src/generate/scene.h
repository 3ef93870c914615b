// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A scene, and its frames: the image of an ideal camera, the effects of real sensors, and the ground truth.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/generate/generate.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "generate/geometry.h"
#include "generate/random.h"

namespace fernwood::generate {

enum class Pattern { kPlain, kNoise, kWood, kPlanks, kTiles, kBricks, kChecker, kStripes, kBooks };

/// Appearance of a surface.
struct Material {
  Pattern pattern = Pattern::kPlain;
  Vec3 color, second;        ///< Linear; the pattern blends between the two.
  float scale_m = 0.1f;      ///< Size of the pattern's elements.
  float grain = 0.06f;       ///< Strength of the fine noise over the pattern.
  float shine = 0.0f;        ///< Strength of the highlight, [0, 1].
  float glow = 0.0f;         ///< Emitted light, for windows and lampshades.
  bool hides_depth = false;  ///< Glossy black or glass: the depth camera measures it only in patches.
  std::uint32_t seed = 0;
};

/// Linear colour of 8-bit sRGB 0xrrggbb, with the curve approximated by a square, whose inverse sqrt is exact.
Vec3 srgb(std::uint32_t rrggbb);

/// Colour of the surface at a point of the solid.
/// @param footprint_m  Size of a pixel there; smaller details fade to their mean, which avoids aliasing.
Vec3 albedo(const Material& material, const Shape& shape, const Vec3& unit_point, const Vec3& unit_normal,
            float footprint_m);

/// The classes of rooms, in the order of synthetic_classes().
enum Label : std::uint16_t {
  kFloor,
  kWall,
  kTable,
  kChair,
  kShelf,
  kSofa,
  kBox,
  kBall,
  kBottle,
  kUnlabelled = image::kVoid  ///< Lamps, plants, screens: part of the scene, without a class.
};

/// The classes of rare objects, in the order of rare_classes().
enum RareLabel : std::uint16_t { kBackground, kHammer, kDrill, kCup, kSmallBall, kSmallBox };

/// The classes of the parts of rooms, in the order of part_classes().
enum class PartLabel : std::uint16_t {
  kFloor,
  kRug,
  kWall,
  kCeiling,
  kSkirting,
  kDoor,
  kWindow,
  kPicture,
  kTableTop,
  kTableLegs,
  kChairSeat,
  kChairBack,
  kChairLegs,
  kShelf,
  kBooks,
  kCabinet,
  kCabinetFront,
  kSofaSeat,
  kSofaBack,
  kSofaArm,
  kPillow,
  kBedFrame,
  kMattress,
  kBlanket,
  kBox,
  kBall,
  kBottle,
  kLamp,
  kFlowerPot,
  kPlant,
  kScreen,
  kNone = image::kVoid
};

struct Part {
  Shape shape;
  Material material;
  std::uint16_t label = kUnlabelled;
  PartLabel part_label = PartLabel::kNone;
  int object = 0;  ///< Parts of one object share a number; truth is void between different numbers.
};

/// Scenes number the floor 0 and the walls 1, with what lies on the one and hangs on the others; then come the objects.
inline constexpr int kFirstThing = 2;

/// A horizontal surface on which small objects can stand.
struct Surface {
  Pose pose;             ///< Origin at its centre.
  float half_x, half_z;  ///< Metres.
  float headroom;        ///< Metres above it.
};

/// A pinhole camera; image x runs right, y down.
struct Camera {
  Vec3 position, right, down, forward;
  float focal_px, center_x, center_y;

  /// Ray through image point (x, y), pixel centres at + 0.5. Distances along the ray are depths along the optical axis.
  Ray ray(float x, float y) const {
    return {position, forward + right * ((x - center_x) / focal_px) + down * ((y - center_y) / focal_px)};
  }
};

struct Lights {
  std::array<Vec3, 4> lamp;  ///< Points of the ceiling lamp; four, so that its shadows have soft edges.
  Vec3 lamp_color, sky_color, ambient;
  Vec3 sky_direction;  ///< Towards the window, unit length.
};

/// The room covers x in [-half_width, half_width], y in [0, height], z in [0, depth], in metres.
struct Room {
  float half_width, depth, height;
};

struct Scene {
  Room room{};
  Camera camera{};
  Lights lights{};
  std::vector<Part> parts;
  std::vector<Surface> surfaces;
  int num_objects = 0;
};

/// The focal length of every scene's camera, for frames of this width.
float focal_px_at(int width);

/// Generates the scene of an index; the image size affects only the camera's focal length and centre.
/// @param classes  Meaning of the parts' labels: Label, the values of PartLabel, or RareLabel.
Scene make_scene(std::uint64_t seed, std::uint32_t index, int width, int height,
                 SceneClasses classes = SceneClasses::kThings);

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

/// The object of each pixel, numbered from 1 in the scene: kNoInstance where `labels` is void or stuff, and on floor
/// and walls. @param labels  Of truth_of().
image::InstanceImage instances_of(const Rendering& seen, const Scene& scene, const image::LabelImage& labels,
                                  const image::ClassMap& classes);

/// Width of the void margin: 4 pixels of 640, at least 1.
std::size_t margin_px(std::size_t cols);

}  // namespace fernwood::generate
