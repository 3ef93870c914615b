// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Sofas and beds.
#include "generate/furnish.h"

namespace fernwood::generate {
namespace {

void add_arms(Model& sofa, float arm, float arm_height, bool round, const Material& cover) {
  sofa.part_label = PartLabel::kSofaArm;
  for (const float side : {-1.0f, 1.0f}) {
    const float x = side * (sofa.half_x - arm), half_height = 0.5f * (arm_height - 0.06f);
    sofa.add_box({x, 0.06f + half_height, 0}, {arm, half_height, sofa.half_z}, cover);
    if (round) sofa.add_roll({x, arm_height, -0.003f}, arm + 0.01f, sofa.half_z - 0.01f, false, cover);
  }
}

void add_cushions(Model& sofa, Dice& dice, float inner, float seat, float back, int seats, const Material& cover) {
  const float w = inner / static_cast<float>(seats);
  const Material pillow = cloth(dice);
  for (int i = 0; i < seats; ++i) {
    const float x = -inner + w * static_cast<float>(2 * i + 1);
    sofa.part_label = PartLabel::kSofaSeat;
    sofa.add_box({x, seat - 0.07f, 0.06f}, {w - 0.006f, 0.07f, sofa.half_z - 0.06f}, cover);
    sofa.part_label = PartLabel::kSofaBack;
    sofa.add_box({x, seat + 0.5f * back, -sofa.half_z + 0.22f}, {w - 0.012f, 0.5f * back - 0.01f, 0.07f}, cover);
    sofa.part_label = PartLabel::kPillow;
    if (dice.chance(0.35f))
      sofa.add_ball({x + 0.2f * w, seat + 0.17f, -sofa.half_z + 0.35f}, {0.2f, 0.18f, 0.08f}, pillow);
  }
}

}  // namespace

Model make_sofa(Dice& dice) {
  Model sofa(kSofa, PartLabel::kSofaSeat);
  const int seats = dice.between(1, 3);
  const float arm = dice.range(0.07f, 0.12f);
  const float inner = dice.range(0.3f, 0.36f) * static_cast<float>(seats);
  sofa.half_x = inner + 2 * arm;
  sofa.half_z = dice.range(0.4f, 0.48f);
  const float seat = dice.range(0.38f, 0.46f), back = dice.range(0.34f, 0.48f);
  sofa.height = seat + back;
  const Material cover = cloth(dice);
  const Material foot = furniture_material(dice);
  sofa.add_box({0, 0.5f * (0.06f + seat - 0.14f), 0}, {inner, 0.5f * (seat - 0.2f), sofa.half_z - 0.01f}, cover);
  sofa.part_label = PartLabel::kSofaBack;
  sofa.add_box({0, 0.06f + 0.5f * (sofa.height - 0.06f), -sofa.half_z + 0.08f},
               {inner + 0.01f, 0.5f * (sofa.height - 0.06f), 0.08f}, cover);
  add_cushions(sofa, dice, inner, seat, back, seats, cover);
  const float arm_height = seat + dice.range(0.1f, 0.18f);
  add_arms(sofa, arm, arm_height, dice.chance(0.5f), cover);
  sofa.part_label = PartLabel::kSofaSeat;
  for (const float x : {-1.0f, 1.0f})
    for (const float z : {-1.0f, 1.0f})
      sofa.add_cylinder({x * (sofa.half_x - arm), 0.03f, z * (sofa.half_z - 0.08f)}, 0.025f, 0.03f, foot);
  sofa.add_surface({0, seat, 0.12f}, inner - 0.1f, 0.12f, 0.4f);
  return sofa;
}

Model make_bed(Dice& dice) {
  Model bed(kSofa, PartLabel::kBedFrame);
  bed.half_x = dice.range(0.48f, 0.85f);
  bed.half_z = 1.02f;
  const Material frame = furniture_material(dice);
  const Material blanket = cloth(dice);
  Material sheet = paint(dice);
  sheet.grain = 0.12f;
  const float base = dice.range(0.22f, 0.32f), mattress = 0.1f, top = base + 2 * mattress;
  bed.height = top + dice.range(0.3f, 0.5f);
  bed.add_box({0, 0.5f * base + 0.03f, 0.02f}, {bed.half_x, 0.5f * base - 0.03f, bed.half_z - 0.02f}, frame);
  bed.add_box({0, 0.5f * bed.height, -bed.half_z + 0.02f}, {bed.half_x + 0.01f, 0.5f * bed.height, 0.02f}, frame);
  bed.part_label = PartLabel::kMattress;
  bed.add_box({0, base + mattress, 0.025f}, {bed.half_x - 0.03f, mattress - 0.001f, bed.half_z - 0.03f}, sheet);
  const float cut = dice.range(0.45f, 0.6f);  // distance of the blanket from the head
  bed.part_label = PartLabel::kBlanket;
  bed.add_box({0, base + mattress, 0.5f * cut + 0.01f},
              {bed.half_x - 0.015f, mattress + 0.02f, bed.half_z - 0.5f * cut - 0.01f}, blanket);
  bed.part_label = PartLabel::kPillow;
  for (const float side : {-1.0f, 1.0f})
    if (bed.half_x > 0.65f || side > 0)
      bed.add_ball({bed.half_x > 0.65f ? side * 0.5f * bed.half_x : 0.0f, top + 0.05f, -bed.half_z + 0.3f},
                   {0.3f, 0.09f, 0.2f}, sheet);
  bed.add_surface({0, top + 0.02f, 0.4f}, bed.half_x - 0.2f, 0.4f, 0.6f);
  return bed;
}

}  // namespace fernwood::generate
