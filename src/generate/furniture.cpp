// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Tables and chairs, sofas and beds, shelves and cabinets.
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

constexpr float kBoard = 0.012f;  // half thickness

/// Rows of books on a board whose upper side is at y, between the side walls.
void add_books(Model& shelf, Dice& dice, float y, float headroom, const Material& covers) {
  shelf.part_label = PartLabel::kBooks;
  const float end = shelf.half_x - 2 * kBoard - 0.01f;
  float x = -end + dice.range(0.0f, 0.1f);
  while (x < end - 0.1f) {
    float half = dice.range(0.06f, 0.2f);
    if (x + 2 * half > end) half = 0.5f * (end - x);
    const float height = headroom * dice.range(0.55f, 0.9f), depth = shelf.half_z * dice.range(0.6f, 0.85f);
    Material books = covers;
    books.seed = dice.word();
    books.scale_m = dice.range(0.02f, 0.045f);
    // The pattern runs along the longer side, so a block of books must be wider than high.
    const float half_height = 0.5f * height < half ? 0.5f * height : 0.98f * half;
    shelf.add_box({x + half, y + half_height, -0.02f}, {half, half_height, depth}, books);
    x += 2 * half + (dice.chance(0.4f) ? dice.range(0.08f, 0.25f) : 0.004f);
  }
}

void add_carcass(Model& model, const Material& material) {
  const float h = 0.5f * model.height;
  for (const float side : {-1.0f, 1.0f})
    model.add_box({side * (model.half_x - kBoard), h, 0}, {kBoard, h, model.half_z}, material);
  model.add_box({0, h, -model.half_z + 0.006f}, {model.half_x - 2 * kBoard, h - 0.002f, 0.005f}, material);
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

Model make_shelf(Dice& dice) {
  Model shelf(kShelf, PartLabel::kShelf);
  shelf.half_x = dice.range(0.35f, 0.65f);
  shelf.half_z = dice.range(0.14f, 0.19f);
  const int rows = dice.between(2, 5);
  const float pitch = dice.range(0.32f, 0.40f);
  shelf.height = 0.08f + static_cast<float>(rows) * pitch + 2 * kBoard;
  const Material board = furniture_material(dice);
  add_carcass(shelf, board);
  Material covers = cloth(dice);
  covers.pattern = Pattern::kBooks;
  covers.grain = 0.05f;
  const float inner = shelf.half_x - 2 * kBoard;
  for (int row = 0; row <= rows; ++row) {
    const float y = 0.08f + static_cast<float>(row) * pitch;
    shelf.part_label = PartLabel::kShelf;
    shelf.add_box({0, y, 0}, {inner, kBoard, shelf.half_z - 0.004f}, board);
    if (row == rows) break;
    if (dice.chance(0.75f))
      add_books(shelf, dice, y + kBoard, pitch - 2 * kBoard, covers);
    else
      shelf.add_surface({0, y + kBoard, 0.03f}, inner - 0.02f, shelf.half_z - 0.05f, pitch - 2 * kBoard);
  }
  if (shelf.height < 1.5f) shelf.add_surface({0, shelf.height - kBoard, 0}, inner, shelf.half_z - 0.02f, 0.5f);
  return shelf;
}

Model make_cabinet(Dice& dice) {
  Model cabinet(kShelf, PartLabel::kCabinet);
  cabinet.half_x = dice.range(0.4f, 0.8f);
  cabinet.half_z = dice.range(0.2f, 0.3f);
  const bool tall = dice.chance(0.4f);
  cabinet.height = tall ? dice.range(1.5f, 2.1f) : dice.range(0.7f, 1.1f);
  const Material body = furniture_material(dice);
  const bool same = dice.chance(0.6f);
  const Material front = same ? body : paint(dice);
  const Material knob = metal(dice);
  cabinet.add_box({0, 0.5f * cabinet.height, -0.01f}, {cabinet.half_x, 0.5f * cabinet.height, cabinet.half_z - 0.01f},
                  body);
  cabinet.part_label = PartLabel::kCabinetFront;
  const int columns = dice.between(1, 3), rows = tall ? dice.between(1, 2) : dice.between(1, 4);
  const float w = (cabinet.half_x - 0.02f) / static_cast<float>(columns);
  const float h = (0.5f * cabinet.height - 0.05f) / static_cast<float>(rows);
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < rows; ++r) {
      const float x = -cabinet.half_x + 0.02f + w * static_cast<float>(2 * c + 1);
      const float y = 0.07f + h * static_cast<float>(2 * r + 1);
      cabinet.add_box({x, y, cabinet.half_z - 0.01f}, {w - 0.006f, h - 0.006f, 0.009f}, front);
      cabinet.add_ball({x + 0.7f * w, y + 0.3f * h, cabinet.half_z + 0.01f}, {0.015f, 0.015f, 0.015f}, knob);
    }
  if (!tall) cabinet.add_surface({0, cabinet.height, 0}, cabinet.half_x - 0.02f, cabinet.half_z - 0.03f, 0.8f);
  return cabinet;
}

}  // namespace fernwood::generate
