// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "generate/scene.h"

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

}  // namespace fernwood::generate
