// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "generate/furnish.h"

namespace fernwood::generate {
namespace {

constexpr float kThick = 0.05f;  // half thickness of walls and floor

void add_shell(Scene& scene, Dice& dice, int floor_object, int wall_object) {
  const auto [w, d, h] = scene.room;
  Model floor(kFloor, PartLabel::kFloor), walls(kWall, PartLabel::kCeiling);
  const Material common = wall_material(dice);
  const Material accent = dice.chance(0.4f) ? wall_material(dice) : common;
  Material ceiling = paint(dice);
  ceiling.color = srgb(0xf0f0ec);
  floor.add_box({0, -kThick, 0.5f * d}, {w + 0.2f, kThick, 0.5f * d + 0.2f}, floor_material(dice));
  walls.add_box({0, h + kThick, 0.5f * d}, {w + 0.2f, kThick, 0.5f * d + 0.2f}, ceiling);
  walls.part_label = PartLabel::kWall;
  const Vec3 along_x{w + 0.1f, 0.5f * h, kThick}, along_z{kThick, 0.5f * h, 0.5f * d + 0.1f};
  walls.add_box({0, 0.5f * h, d + kThick}, along_x, accent);
  walls.add_box({0, 0.5f * h, -kThick}, along_x, common);
  walls.add_box({-w - kThick, 0.5f * h, 0.5f * d}, along_z, common);
  walls.add_box({w + kThick, 0.5f * h, 0.5f * d}, along_z, common);
  const Material skirting = dice.chance(0.5f) ? wood(dice) : paint(dice);
  walls.part_label = PartLabel::kSkirting;
  walls.add_box({0, 0.04f, d}, {w, 0.04f, 0.012f}, skirting);
  walls.add_box({-w, 0.041f, 0.5f * d}, {0.012f, 0.041f, 0.5f * d}, skirting);
  walls.add_box({w, 0.041f, 0.5f * d}, {0.012f, 0.041f, 0.5f * d}, skirting);
  add_model(scene, floor, Pose{}, floor_object);
  add_model(scene, walls, Pose{}, wall_object);
}

Model door(Dice& dice) {
  Model model(kWall, PartLabel::kDoor);
  model.half_x = 0.5f;
  const Material leaf = furniture_material(dice);
  const Material frame = paint(dice);
  model.add_box({0, 1.03f, 0}, {0.5f, 1.03f, 0.02f}, frame);
  model.add_box({0, 1.0f, 0.01f}, {0.44f, 1.0f, 0.02f}, leaf);
  model.add_box({0.37f, 1.02f, 0.05f}, {0.05f, 0.01f, 0.01f}, metal(dice));
  return model;
}

Model window(Dice& dice) {
  Model model(kWall, PartLabel::kWindow);
  model.half_x = dice.range(0.4f, 0.85f);
  const float half_height = dice.range(0.4f, 0.6f), y = 1.55f;
  Material glass = paint(dice);
  glass.color = mix(srgb(0x9cc3ea), srgb(0xffffff), dice.unit());
  glass.second = srgb(0x8fae86);
  glass.pattern = Pattern::kNoise;
  glass.scale_m = 0.7f;
  glass.glow = 0.7f;
  glass.hides_depth = true;
  const Material frame = dice.chance(0.6f) ? paint(dice) : wood(dice);
  model.add_box({0, y, 0}, {model.half_x, half_height, 0.008f}, glass);
  for (const float side : {-1.0f, 0.0f, 1.0f})
    model.add_box({side * model.half_x, y, 0}, {0.03f, half_height + 0.03f, 0.03f}, frame);
  for (const float side : {-1.0f, 1.0f})
    model.add_box({0, y + side * half_height, 0}, {model.half_x, 0.031f, 0.028f}, frame);
  return model;
}

Model picture(Dice& dice) {
  Model model(kWall, PartLabel::kPicture);
  model.half_x = dice.range(0.15f, 0.5f);
  const float half_height = dice.range(0.15f, 0.35f), y = dice.range(1.4f, 1.7f);
  Material canvas = plastic(dice);
  canvas.pattern = Pattern::kNoise;
  canvas.second = cloth(dice).color;
  canvas.scale_m = dice.range(0.08f, 0.25f);
  model.add_box({0, y, 0}, {model.half_x, half_height, 0.012f}, furniture_material(dice));
  model.add_box({0, y, 0.005f}, {model.half_x - 0.02f, half_height - 0.02f, 0.012f}, canvas);
  return model;
}

/// Hangs objects on a wall side by side, without overlap.
void decorate(Scene& scene, Dice& dice, Side side, int object) {
  const float length = side == Side::kBack ? 2 * scene.room.half_width : scene.room.depth;
  const float start = side == Side::kBack ? -scene.room.half_width : 0.0f;
  float at = 0.3f;
  for (int i = 0; i < 4; ++i) {
    const float kind = dice.unit();
    const Model model = kind < 0.2f ? door(dice) : kind < 0.55f ? window(dice) : picture(dice);
    at += dice.range(0.1f, 1.0f) + model.half_x;
    if (at + model.half_x > length - 0.3f) return;
    add_model(scene, model, wall_pose(scene.room, side, start + at), object);
    at += model.half_x;
  }
}

void add_rug(Scene& scene, Dice& dice, int object) {
  Model rug(kFloor, PartLabel::kRug);
  const Vec3 half{dice.range(0.6f, 1.2f), 0.004f, dice.range(0.5f, 0.9f)};
  rug.add_box({0, half.y, 0}, half, cloth(dice));
  const float x = dice.range(-0.3f, 0.3f) * scene.room.half_width, z = dice.range(0.4f, 0.65f) * scene.room.depth;
  const Turn turn = turn_of(dice.range(-0.3f, 0.3f));
  add_model(scene, rug, facing({x, 0, z}, turned({0, 0, 1}, turn)), object);
}

}  // namespace

Pose wall_pose(const Room& room, Side side, float along) {
  switch (side) {
    case Side::kBack:
      return facing({along, 0, room.depth}, {0, 0, -1});
    case Side::kLeft:
      return facing({-room.half_width, 0, along}, {1, 0, 0});
    case Side::kRight:
      return facing({room.half_width, 0, along}, {-1, 0, 0});
  }
  return {};
}

Room draw_room(Dice& dice) {
  Room room{dice.range(1.7f, 3.0f), dice.range(3.8f, 6.8f), dice.range(2.4f, 2.8f)};
  if (dice.chance(0.08f)) room.depth += 2.2f;  // a hall: its far end is beyond the depth camera's range
  return room;
}

void add_room(Scene& scene, Dice& dice) {
  const int floor_object = scene.num_objects++, wall_object = scene.num_objects++;
  add_shell(scene, dice, floor_object, wall_object);
  for (const Side side : {Side::kBack, Side::kLeft, Side::kRight}) decorate(scene, dice, side, wall_object);
  if (dice.chance(0.45f)) add_rug(scene, dice, floor_object);
}

}  // namespace fernwood::generate
