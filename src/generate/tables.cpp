// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Tables and chairs.
#include "generate/furnish.h"

namespace fernwood::generate {
namespace {

constexpr float kOpenSky = 1.0f;  // headroom of a table top

void add_four_legs(Model& model, float x, float z, float radius, float half_height, bool round,
                   const Material& material) {
  for (const float sx : {-1.0f, 1.0f})
    for (const float sz : {-1.0f, 1.0f}) {
      const Vec3 middle{sx * x, half_height, sz * z};
      if (round)
        model.add_cylinder(middle, radius, half_height, material);
      else
        model.add_box(middle, {radius, half_height, radius}, material);
    }
}

Model table_of(Dice& dice, float half_x, float half_z, float height) {
  Model table(kTable, PartLabel::kTableTop);
  table.half_x = half_x;
  table.half_z = half_z;
  table.height = height;
  const float top = dice.range(0.012f, 0.025f), leg = dice.range(0.02f, 0.035f);
  const Material board = furniture_material(dice);
  const bool same = dice.chance(0.6f);
  const Material legs = same ? board : metal(dice);
  const bool round = dice.chance(0.35f);
  table.add_box({0, height - top, 0}, {half_x, top, half_z}, board);
  table.part_label = PartLabel::kTableLegs;
  add_four_legs(table, half_x - leg - 0.03f, half_z - leg - 0.03f, leg, 0.5f * height - top, round, legs);
  const float apron = 0.04f;  // the frame under the table top
  for (const float side : {-1.0f, 1.0f}) {
    table.add_box({0, height - 2 * top - apron, side * (half_z - 0.06f)}, {half_x - 0.08f, apron, 0.011f}, legs);
    table.add_box({side * (half_x - 0.06f), height - 2 * top - apron, 0}, {0.011f, apron, half_z - 0.08f}, legs);
  }
  table.add_surface({0, height, 0}, half_x - 0.03f, half_z - 0.03f, kOpenSky);
  return table;
}

void add_backrest(Model& chair, Dice& dice, float half, float seat, const Material& frame, const Material& back) {
  const float top = seat + dice.range(0.38f, 0.55f), middle = 0.5f * (seat + top), z = -half + 0.02f;
  for (const float side : {-1.0f, 1.0f})
    chair.add_box({side * (half - 0.02f), middle, z}, {0.019f, 0.5f * (top - seat), 0.018f}, frame);
  const bool slats = dice.chance(0.45f);
  if (!slats) {
    const float panel = 0.5f * (top - seat) * 0.6f;
    chair.add_box({0, top - panel - 0.01f, z + 0.004f}, {half - 0.035f, panel, 0.014f}, back);
  }
  for (int i = 0; slats && i < 3; ++i) {
    const float y = top - 0.05f - 0.3f * static_cast<float>(i) * (top - seat);
    chair.add_box({0, y, z}, {half - 0.035f, 0.03f, 0.011f}, back);
  }
  chair.height = top;
}

}  // namespace

Model make_table(Dice& dice) {
  const float half_x = dice.range(0.5f, 0.95f), half_z = dice.range(0.35f, 0.5f), height = dice.range(0.70f, 0.78f);
  return table_of(dice, half_x, half_z, height);
}

Model make_low_table(Dice& dice) {
  const float half_x = dice.range(0.35f, 0.6f), half_z = dice.range(0.22f, 0.35f), height = dice.range(0.36f, 0.5f);
  return table_of(dice, half_x, half_z, height);
}

Model make_chair(Dice& dice) {
  Model chair(kChair, PartLabel::kChairSeat);
  const float half = dice.range(0.2f, 0.24f), seat = dice.range(0.43f, 0.48f);
  chair.half_x = chair.half_z = half;
  const Material frame = furniture_material(dice);
  const bool upholstered = dice.chance(0.5f);
  const Material cover = upholstered ? cloth(dice) : frame;
  const float thick = upholstered ? 0.035f : 0.018f;
  chair.add_box({0, seat - thick, 0.01f}, {half, thick, half - 0.01f}, cover);
  const float leg = dice.range(0.015f, 0.022f);
  chair.part_label = PartLabel::kChairLegs;
  add_four_legs(chair, half - 0.025f, half - 0.025f, leg, 0.5f * seat - thick, dice.chance(0.4f), frame);
  chair.part_label = PartLabel::kChairBack;
  add_backrest(chair, dice, half, seat, frame, cover);
  return chair;
}

}  // namespace fernwood::generate
