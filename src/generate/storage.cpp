// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Shelves and cabinets.
#include "generate/furnish.h"

namespace fernwood::generate {
namespace {

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
