// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "generate/scene.h"

#include <algorithm>
#include <cmath>

#include "generate/furnish.h"

namespace fernwood::generate {

namespace {

/// A camera held by a person standing or sitting near the front wall, looking into the room and slightly down; for rare
/// objects further down, like a robot that picks them up.
Camera draw_camera(const Room& room, Dice& dice, int width, int height, bool rare) {
  const Vec3 eye{dice.range(-0.4f, 0.4f) * room.half_width, dice.range(1.0f, 1.8f), dice.range(0.15f, 0.5f)};
  const Vec3 target{dice.range(-0.6f, 0.6f) * room.half_width, eye.y, dice.range(0.6f, 0.9f) * room.depth};
  const Vec3 ahead = normalized(target - eye), up{0, 1, 0}, aside = cross(up, ahead);
  const float half_tangent = 0.05f * eye.y + dice.range(0.0f, 0.06f);  // 6 to 17 degrees, growing with height
  const Turn pitch = turn_of(rare ? half_tangent + 0.14f : half_tangent);
  const Turn roll = turn_of(dice.range(-0.025f, 0.025f));
  const Vec3 forward = ahead * pitch.cos - up * pitch.sin;
  const Vec3 down = -(up * pitch.cos + ahead * pitch.sin);
  return {eye,
          aside * roll.cos + down * roll.sin,
          down * roll.cos - aside * roll.sin,
          forward,
          focal_px_at(width),
          0.5f * static_cast<float>(width),
          0.5f * static_cast<float>(height)};
}

Lights draw_lights(const Room& room, Dice& dice) {
  Lights lights;
  const Vec3 middle{dice.range(-0.4f, 0.4f) * room.half_width, room.height - 0.12f,
                    dice.range(0.3f, 0.6f) * room.depth};
  for (int i = 0; i < 4; ++i) lights.lamp[i] = middle + Vec3{i & 1 ? 0.12f : -0.12f, 0, i & 2 ? 0.12f : -0.12f};
  const float warmth = dice.unit();
  lights.lamp_color = mix(Vec3{1.0f, 0.97f, 0.93f}, Vec3{1.0f, 0.80f, 0.58f}, warmth) * dice.range(1.2f, 2.2f);
  lights.sky_color = Vec3{0.85f, 0.93f, 1.0f} * dice.range(0.1f, 0.7f);
  lights.ambient = Vec3{0.95f, 0.97f, 1.0f} * dice.range(0.35f, 0.6f);
  lights.sky_direction =
      normalized({dice.chance(0.5f) ? 1.0f : -1.0f, dice.range(0.3f, 0.6f), dice.range(-0.6f, 0.2f)});
  return lights;
}

}  // namespace

float focal_px_at(int width) {
  constexpr float kFocalAt640 = 570.0f;  // of the first Kinect's colour camera
  return kFocalAt640 * static_cast<float>(width) / 640.0f;
}

Scene make_scene(std::uint64_t seed, std::uint32_t index, int width, int height, SceneClasses classes) {
  const bool rare = classes == SceneClasses::kRare;
  Dice room(seed, index, Topic::kRoom), camera(seed, index, Topic::kCamera), light(seed, index, Topic::kLight);
  Dice furniture(seed, index, Topic::kFurniture), things(seed, index, Topic::kThings);
  Scene scene;
  scene.room = draw_room(room);
  scene.camera = draw_camera(scene.room, camera, width, height, rare);
  scene.lights = draw_lights(scene.room, light);
  add_room(scene, room);
  if (rare)
    furnish_with_rare_things(scene, furniture, things);
  else
    furnish(scene, furniture, things);
  if (classes == SceneClasses::kParts)
    for (Part& part : scene.parts) part.label = static_cast<std::uint16_t>(part.part_label);
  return scene;
}

void Model::add_box(const Vec3& middle, const Vec3& half, const Material& material) {
  parts.push_back({Shape(ShapeKind::kBox, Pose{middle}, half), material, label, part_label});
}

void Model::add_cylinder(const Vec3& middle, float radius, float half_height, const Material& material, float taper) {
  parts.push_back(
      {Shape(ShapeKind::kCylinder, Pose{middle}, {radius, half_height, radius}, taper), material, label, part_label});
}

void Model::add_roll(const Vec3& middle, float radius, float half_length, bool along_x, const Material& material) {
  const Pose pose =
      along_x ? Pose{middle, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}} : Pose{middle, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
  parts.push_back({Shape(ShapeKind::kCylinder, pose, {radius, half_length, radius}), material, label, part_label});
}

void Model::add_ball(const Vec3& middle, const Vec3& half, const Material& material) {
  parts.push_back({Shape(ShapeKind::kEllipsoid, Pose{middle}, half), material, label, part_label});
}

void Model::add_surface(const Vec3& middle, float surface_half_x, float surface_half_z, float headroom) {
  surfaces.push_back({Pose{middle}, surface_half_x, surface_half_z, headroom});
}

void add_model(Scene& scene, const Model& model, const Pose& pose, int object) {
  for (const Part& part : model.parts)
    scene.parts.push_back({part.shape.moved(pose), part.material, part.label, part.part_label, object});
  for (const Surface& surface : model.surfaces)
    scene.surfaces.push_back({placed(surface.pose, pose), surface.half_x, surface.half_z, surface.headroom});
}

void add_model(Scene& scene, const Model& model, const Pose& pose) {
  add_model(scene, model, pose, scene.num_objects++);
}

namespace {

/// Curves of a scene's camera; the values are part of "same seed, same bytes".
enum Curve : std::uint32_t { kAside, kAlong, kHeight, kYaw, kPitch, kRoll, kTremble };

// A curve of amplitude 1 changes by 0.46 (root mean square) from knot to knot: 0.29 m and 17 degrees per second.
constexpr float kKnotS = 1.0f, kTrembleKnotS = 0.15f;
constexpr Vec3 kReachM{0.5f, 0.12f, 0.35f};  // within the floor that Layout keeps free before the camera
constexpr float kYawTangent = 0.3f, kPitchTangent = 0.1f, kRollTangent = 0.05f;  // tangents of half the angle
constexpr float kTrembleM = 0.003f, kTrembleTangent = 0.002f;

/// Rotates two axes in their plane, the first towards the second.
void turn(Vec3& a, Vec3& b, const Turn& by) {
  const Vec3 first = a;
  a = first * by.cos + b * by.sin;
  b = b * by.cos - first * by.sin;
}

}  // namespace

Camera held_camera(const Camera& start, std::uint64_t seed, std::uint32_t scene_index, float time_s) {
  const auto wander = [&](Curve curve) { return smooth_curve(seed, scene_index, curve, kKnotS, time_s); };
  const auto tremble = [&](Curve curve) {
    return smooth_curve(seed, scene_index, kTremble + curve, kTrembleKnotS, time_s);
  };
  const auto half_tangent = [&](Curve curve, float reach) {
    return reach * wander(curve) + kTrembleTangent * tremble(curve);
  };
  Camera camera = start;
  const Vec3 ahead = normalized({start.forward.x, 0, start.forward.z}), aside = cross({0, 1, 0}, ahead);
  const float side_m = kReachM.x * wander(kAside) + kTrembleM * tremble(kAside);
  const float up_m = kReachM.y * wander(kHeight) + kTrembleM * tremble(kHeight);
  const float along_m = kReachM.z * (1.0f + wander(kAlong)) + kTrembleM * tremble(kAlong);
  camera.position = start.position + aside * side_m + ahead * along_m + Vec3{0, up_m, 0};
  const Turn yaw = turn_of(half_tangent(kYaw, kYawTangent));
  for (Vec3* axis : {&camera.right, &camera.down, &camera.forward}) *axis = turned(*axis, yaw);
  turn(camera.forward, camera.down, turn_of(half_tangent(kPitch, kPitchTangent)));
  turn(camera.right, camera.down, turn_of(half_tangent(kRoll, kRollTangent)));
  return camera;
}

image::RigidMotion pose_of(const Camera& camera) {
  const auto row = [&](int axis) -> image::Vector3 {
    return {camera.right[axis], camera.down[axis], camera.forward[axis]};
  };
  return {{row(0), row(2), row(1)}, {camera.position.x, camera.position.z, camera.position.y}};
}

Pose MovingThing::pose_at(float time_s) const {
  const float leg_s = move_s + rest_s, legs = (begin_s + time_s) / leg_s, leg = std::floor(legs);
  const float u = std::min(1.0f, (legs - leg) * leg_s / move_s), way = u * u * (3.0f - 2.0f * u);
  const bool is_back = std::floor(0.5f * leg) != 0.5f * leg;
  return facing(mix(from, to, is_back ? 1.0f - way : way), front);
}

namespace {

/// A box along the room's axes.
struct Extent {
  Vec3 low, high;

  bool overlaps(const Extent& other) const {
    for (int axis = 0; axis < 3; ++axis)
      if (low[axis] >= other.high[axis] || other.low[axis] >= high[axis]) return false;
    return true;
  }
};

Extent extent_at(const Model& model, const Vec3& place) {
  const float radius = std::max(model.half_x, model.half_z) + 0.02f;
  return {place + Vec3{-radius, 0.005f, -radius}, place + Vec3{radius, model.height, radius}};
}

/// Finds paths for objects, one after another.
class Ways {
 public:
  Ways(const Scene& scene, Dice& dice) : scene_(scene), dice_(dice) {
    for (const Part& part : scene.parts) {  // is_free() checks floor and walls
      const Vec3 middle = part.shape.pose().origin, half = part.shape.bounding_half();
      if (part.object >= kFirstThing) taken_.push_back({middle - half, middle + half});
    }
  }

  MovingThing draw(Model model, bool is_carried) {
    constexpr int kTries = 200;
    MovingThing thing{std::move(model), {}, {}, {}, 0, 0, 0};
    // If there is no space on the floor, the object is carried.
    for (int i = 0; i < 2 * kTries; ++i) {
      draw_ends(thing, is_carried || i >= kTries);
      if (is_free(thing)) break;
    }
    const float speed = dice_.range(0.25f, 0.6f);
    thing.move_s = length(thing.to - thing.from) / speed;
    thing.rest_s = dice_.range(0.8f, 2.0f);
    thing.begin_s = dice_.unit() * (thing.move_s + thing.rest_s);
    for (int i = 0; i <= kPlaces; ++i) taken_.push_back(extent_at(thing.model, place(thing, i)));
    return thing;
  }

 private:
  static constexpr int kPlaces = 16;  // tested positions of a path

  static Vec3 place(const MovingThing& thing, int index) {
    return mix(thing.from, thing.to, static_cast<float>(index) / static_cast<float>(kPlaces));
  }

  void draw_ends(MovingThing& thing, bool is_carried) {
    const Camera& camera = scene_.camera;
    const float far = dice_.range(1.7f, 3.4f), aside = dice_.range(-0.35f, 0.35f);
    const float height = is_carried ? dice_.range(0.5f, 1.4f) : 0.0f;
    const float half_length = dice_.range(0.35f, 0.8f), skew = dice_.range(-0.3f, 0.3f);
    const Vec3 ahead = normalized({camera.forward.x, 0, camera.forward.z}), right = cross({0, 1, 0}, ahead);
    Vec3 middle = camera.position + (ahead + right * aside) * far;
    middle.y = height;
    const Vec3 way = turned(right, turn_of(skew)) * (dice_.chance(0.5f) ? half_length : -half_length);
    thing.from = middle - way;
    thing.to = middle + way;
    thing.front = turned(-ahead, turn_of(dice_.range(-0.9f, 0.9f)));
  }

  bool is_free(const MovingThing& thing) const {
    const Room& room = scene_.room;
    for (int i = 0; i <= kPlaces; ++i) {
      const Extent extent = extent_at(thing.model, place(thing, i));
      if (extent.low.x < -room.half_width || extent.high.x > room.half_width || extent.low.z < 0 ||
          extent.high.z > room.depth || extent.high.y > room.height)
        return false;
      if (std::ranges::any_of(taken_, [&](const Extent& other) { return extent.overlaps(other); })) return false;
    }
    return true;
  }

  const Scene& scene_;
  Dice& dice_;
  std::vector<Extent> taken_;
};

/// An object of one of four kinds. @param is_carried  Output: whether it does not stand on the floor.
Model make_moving_thing(Dice& dice, bool rare, int kind, bool* is_carried) {
  constexpr int kBoxKind = 0, kBallKind = 1, kChairKind = 2;
  *is_carried = rare || kind > kChairKind;
  switch (kind) {
    case kBoxKind:
      return rare ? make_small_box(dice) : make_box(dice, 0.3f, 0.5f);
    case kBallKind:
      return rare ? make_small_ball(dice) : make_ball(dice, dice.range(0.1f, 0.25f));
    case kChairKind:
      return rare ? make_cup(dice) : make_chair(dice);
    default:
      return rare ? make_drill(dice) : make_bottle(dice, dice.range(0.25f, 0.36f));
  }
}

}  // namespace

std::vector<MovingThing> draw_moving_things(const Scene& scene, const GenerateOptions& options,
                                            std::uint32_t scene_index) {
  constexpr int kKinds = 4;
  Dice dice(options.seed, scene_index, Topic::kMovingThings);
  Ways ways(scene, dice);
  const int first = dice.between(0, kKinds - 1);
  std::vector<MovingThing> things;
  for (int i = 0; i < options.moving_things; ++i) {
    bool is_carried = false;
    Model model = make_moving_thing(dice, options.classes == SceneClasses::kRare, (first + i) % kKinds, &is_carried);
    things.push_back(ways.draw(std::move(model), is_carried));
  }
  return things;
}

Scene scene_at(Scene scene, const GenerateOptions& options, std::uint32_t scene_index, float time_s) {
  const std::size_t num_at_rest = scene.parts.size();
  for (const MovingThing& thing : draw_moving_things(scene, options, scene_index))
    add_model(scene, thing.model, thing.pose_at(time_s));
  if (options.classes == SceneClasses::kParts)
    for (std::size_t i = num_at_rest; i < scene.parts.size(); ++i)
      scene.parts[i].label = static_cast<std::uint16_t>(scene.parts[i].part_label);
  scene.camera = held_camera(scene.camera, options.seed, scene_index, time_s);
  return scene;
}

}  // namespace fernwood::generate
