// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "generate/furnish.h"

#include <array>

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

Model make_box(Dice& dice, float max_half, float max_height) {
  Model box(kBox, PartLabel::kBox);
  box.half_x = max_half * dice.range(0.5f, 1.0f);
  box.half_z = max_half * dice.range(0.4f, 0.8f);
  box.height = max_height * dice.range(0.3f, 1.0f);
  const float kind = dice.unit();
  const Material side = kind < 0.5f ? cardboard(dice) : kind < 0.75f ? plastic(dice) : furniture_material(dice);
  const float h = 0.5f * box.height;
  box.add_box({0, h, 0}, {box.half_x, h, box.half_z}, side);
  Material tape = side;
  tape.color = tape.second = mix(side.color, srgb(0xe8dcc0), 0.6f);
  if (kind < 0.5f)
    box.add_box({0, h, 0}, {box.half_x + 0.001f, h + 0.001f, 0.12f * box.half_z}, tape);
  else if (dice.chance(0.6f))  // a lid
    box.add_box({0, box.height - 0.2f * h, 0}, {box.half_x + 0.005f, 0.2f * h, box.half_z + 0.005f}, side);
  return box;
}

Model make_ball(Dice& dice, float radius) {
  constexpr std::array<Pattern, 4> kPatterns = {Pattern::kPlain, Pattern::kStripes, Pattern::kChecker,
                                                Pattern::kStripes};
  Model ball(kBall, PartLabel::kBall);
  ball.half_x = ball.half_z = radius;
  ball.height = 2 * radius;
  Material skin = toy(dice);
  skin.pattern = dice.pick(kPatterns);
  skin.second = mix(toy(dice).color, srgb(0xf0f0f0), 0.6f);
  skin.scale_m = radius * (skin.pattern == Pattern::kStripes ? 1.5f : 0.75f);  // divides the 6 radii around it
  ball.add_ball({0, radius, 0}, {radius, radius, radius}, skin);
  return ball;
}

Model make_bottle(Dice& dice, float height) {
  Model bottle(kBottle, PartLabel::kBottle);
  const float radius = height * dice.range(0.14f, 0.2f);
  bottle.half_x = bottle.half_z = radius;
  bottle.height = height;
  const Material body_glass = dice.chance(0.15f) ? glossy_black(dice) : glass(dice);
  const Material label = dice.chance(0.5f) ? paint(dice) : plastic(dice);
  const float body = 0.29f * height, shoulder = 0.08f * height, neck = 0.10f * height;
  bottle.add_cylinder({0, body, 0}, radius, body, body_glass);
  bottle.add_cylinder({0, body, 0}, radius + 0.0008f, 0.55f * body, label);
  bottle.add_cylinder({0, 2 * body + shoulder, 0}, radius, shoulder, body_glass, 0.38f);
  bottle.add_cylinder({0, 2 * (body + shoulder) + neck, 0}, 0.38f * radius, neck, body_glass);
  bottle.add_cylinder({0, height - 0.03f * height, 0}, 0.44f * radius, 0.03f * height, label);
  return bottle;
}

Model make_floor_lamp(Dice& dice) {
  Model lamp(kUnlabelled, PartLabel::kLamp);
  lamp.half_x = lamp.half_z = 0.22f;
  lamp.height = dice.range(1.4f, 1.75f);
  const Material pole = metal(dice);
  Material shade = paint(dice);
  shade.glow = 0.5f;
  lamp.add_cylinder({0, 0.012f, 0}, 0.15f, 0.012f, pole);
  lamp.add_cylinder({0, 0.5f * lamp.height - 0.1f, 0}, 0.014f, 0.5f * lamp.height - 0.12f, pole);
  lamp.add_cylinder({0, lamp.height - 0.14f, 0}, 0.2f, 0.14f, shade, dice.range(0.55f, 0.9f));
  return lamp;
}

Model make_plant(Dice& dice) {
  Model plant(kUnlabelled, PartLabel::kFlowerPot);
  const float size = dice.range(0.7f, 1.3f);
  plant.half_x = plant.half_z = 0.22f * size;
  plant.height = size;
  const Material pot = dice.chance(0.5f) ? plastic(dice) : paint(dice);
  plant.add_cylinder({0, 0.13f * size, 0}, 0.10f * size, 0.13f * size, pot, 1.35f);
  Material leaf = cloth(dice);
  leaf.pattern = Pattern::kNoise;
  leaf.scale_m = 0.04f;
  leaf.grain = 0.3f;
  plant.part_label = PartLabel::kPlant;
  for (int i = 0; i < 14; ++i) {
    leaf.color = mix(srgb(0x2f5d2a), srgb(0x7a9a45), dice.unit());
    leaf.second = leaf.color * 0.4f;
    const Vec3 middle{dice.range(-0.14f, 0.14f) * size, dice.range(0.38f, 0.88f) * size,
                      dice.range(-0.14f, 0.14f) * size};
    plant.add_ball(middle,
                   {dice.range(0.05f, 0.12f) * size, dice.range(0.05f, 0.14f) * size, dice.range(0.05f, 0.12f) * size},
                   leaf);
  }
  return plant;
}

Model make_screen(Dice& dice) {
  Model screen(kUnlabelled, PartLabel::kScreen);
  screen.half_x = dice.range(0.22f, 0.4f);
  screen.half_z = 0.1f;
  const float half_height = 0.56f * screen.half_x;
  screen.height = 2 * half_height + 0.08f;
  const Material black = glossy_black(dice);
  screen.add_box({0, 0.08f + half_height, 0}, {screen.half_x, half_height, 0.02f}, black);
  screen.add_box({0, 0.05f, -0.01f}, {0.04f, 0.04f, 0.015f}, black);
  screen.add_box({0, 0.008f, 0}, {0.14f, 0.008f, 0.09f}, black);
  return screen;
}

// Small things that lie about, of colours that furniture and floors have, too.

namespace {

Material tool_plastic(Dice& dice) { return dice.chance(0.4f) ? toy(dice) : plastic(dice); }

}  // namespace

Model make_hammer(Dice& dice) {
  Model hammer(kHammer);
  hammer.half_x = dice.range(0.12f, 0.16f);
  const float head = dice.range(0.016f, 0.022f), grip = dice.range(0.012f, 0.016f);
  hammer.half_z = 0.055f;
  hammer.height = 2 * head;
  const Material handle = dice.chance(0.6f) ? wood(dice) : tool_plastic(dice), steel = metal(dice);
  hammer.add_roll({0, grip, 0}, grip, hammer.half_x, true, handle);
  hammer.add_box({-hammer.half_x + head, head, 0}, {head, head, 0.03f}, steel);
  hammer.add_roll({-hammer.half_x + head, head, 0.04f}, head, 0.018f, false, steel);
  hammer.add_box({-hammer.half_x + head, head, -0.042f}, {0.7f * head, 0.5f * head, 0.018f}, steel);
  return hammer;
}

Model make_drill(Dice& dice) {
  Model drill(kDrill);
  const float size = dice.range(0.85f, 1.1f), body = 0.032f * size;
  drill.half_x = 0.11f * size;
  drill.half_z = 0.06f * size;
  drill.height = 0.17f * size;
  const Material shell = tool_plastic(dice);
  const Material dark = glossy_black(dice), steel = metal(dice);
  const float top = drill.height - body;
  drill.add_box({-0.04f * size, 0.022f * size, 0}, {0.045f * size, 0.022f * size, 0.036f * size}, dark);
  drill.add_box({-0.045f * size, 0.5f * top, 0}, {0.02f * size, 0.5f * top, 0.018f * size}, shell);
  drill.add_roll({-0.02f * size, top, 0}, body, 0.065f * size, true, shell);
  drill.add_roll({0.06f * size, top, 0}, 0.6f * body, 0.02f * size, true, dark);
  drill.add_roll({0.095f * size, top, 0}, 0.004f, 0.02f * size, true, steel);
  return drill;
}

Model make_cup(Dice& dice) {
  Model cup(kCup);
  const float radius = dice.range(0.032f, 0.042f), half_height = dice.range(0.042f, 0.056f);
  cup.half_x = radius + 0.03f;
  cup.half_z = radius;
  cup.height = 2 * half_height;
  const Material china = dice.chance(0.5f) ? paint(dice) : tool_plastic(dice);
  Material inside = china;
  inside.color = inside.second = china.color * 0.35f;
  const float taper = dice.range(1.0f, 1.2f), rim = 0.85f * taper * radius;
  cup.add_cylinder({0, half_height, 0}, radius, half_height, china, taper);
  cup.add_cylinder({0, cup.height, 0}, rim, 0.001f, inside);
  cup.add_box({radius + 0.02f, half_height, 0}, {0.006f, 0.6f * half_height, 0.006f}, china);
  for (const float side : {-1.0f, 1.0f})
    cup.add_box({radius + 0.008f, (1 + 0.55f * side) * half_height, 0}, {0.016f, 0.006f, 0.006f}, china);
  return cup;
}

Model make_small_ball(Dice& dice) {
  const float radius = dice.range(0.035f, 0.06f);
  Model ball = make_ball(dice, radius);
  ball.label = kSmallBall;
  for (Part& part : ball.parts) part.label = kSmallBall;
  return ball;
}

Model make_small_box(Dice& dice) {
  Model box = make_box(dice, 0.075f, 0.11f);
  box.label = kSmallBox;
  for (Part& part : box.parts) part.label = kSmallBox;
  return box;
}

}  // namespace fernwood::generate
