// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Small things that lie about, of colours that furniture and floors have, too.
#include "generate/furnish.h"

namespace fernwood::generate {

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
