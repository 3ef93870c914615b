// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Motion in a sequence: the camera, and objects. All of it is a function of time, so that each frame can be generated
// independently; see geometry.h for why its bits are the same everywhere.

#include <array>
#include <cstdint>
#include <vector>

#include "fernwood/generate/generate.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/labels.h"
#include "generate/furnish.h"
#include "generate/geometry.h"
#include "generate/random.h"
#include "generate/scene.h"

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

/// A hand-held camera that starts approximately at `start`, after `time_s` seconds: the hand moves within a metre,
/// looks around, and trembles.
Camera held_camera(const Camera& start, std::uint64_t seed, std::uint32_t scene_index, float time_s);

/// Transforms camera coordinates to room coordinates; scenes are left-handed, so y and z are exchanged.
image::RigidMotion pose_of(const Camera& camera);

/// An object that moves from one position to another and back, and rests at both.
struct MovingThing {
  Model model;
  Vec3 from, to, front;
  float move_s, rest_s, begin_s;  ///< One way; at each end; position in this cycle at the beginning.

  Pose pose_at(float time_s) const;
};

/// Draws objects with paths that cross the camera's view and touch neither furniture nor each other, if possible.
std::vector<MovingThing> draw_moving_things(const Scene& scene, const GenerateOptions& options,
                                            std::uint32_t scene_index);

/// The scene `time_s` seconds after the start of a sequence. @param scene  The result of make_scene().
Scene scene_at(Scene scene, const GenerateOptions& options, std::uint32_t scene_index, float time_s);

}  // namespace fernwood::generate
