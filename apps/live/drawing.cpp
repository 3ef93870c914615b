// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/live/drawing.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fernwood::apps {

namespace {

constexpr image::Rgb kRim{0, 0, 0};
constexpr float kRimOpacity = 0.65f;
constexpr int kDash = 4;  // pixels, and as many between two
constexpr int kCrossGap = 3, kCrossArm = 9;

void mix(Array2<image::Rgb>* picture, int x, int y, image::Rgb color, float opacity) {
  if (x < 0 || y < 0 || x >= static_cast<int>(picture->cols()) || y >= static_cast<int>(picture->rows())) return;
  image::Rgb& pixel = (*picture)(static_cast<std::size_t>(y), static_cast<std::size_t>(x));
  const auto between = [opacity](std::uint8_t below, std::uint8_t above) {
    const float mixed = static_cast<float>(below) + opacity * static_cast<float>(above - below);
    return static_cast<std::uint8_t>(std::lround(mixed));
  };
  pixel = {between(pixel.r, color.r), between(pixel.g, color.g), between(pixel.b, color.b)};
}

Box grown(const Box& box, int by) { return {box.x - by, box.y - by, box.width + 2 * by, box.height + 2 * by}; }

/// The pixels of a box that lie at its border.
void draw_border(Array2<image::Rgb>* picture, const Box& box, const Stroke& stroke) {
  const auto draw = [&](int x, int y) {
    if (!stroke.dashed || (x + y) / kDash % 2 == 0) mix(picture, x, y, stroke.color, stroke.opacity);
  };
  for (int x = box.x; x < box.x + box.width; ++x) {
    draw(x, box.y);
    draw(x, box.y + box.height - 1);
  }
  for (int y = box.y + 1; y < box.y + box.height - 1; ++y) {
    draw(box.x, y);
    draw(box.x + box.width - 1, y);
  }
}

}  // namespace

void fill_box(Array2<image::Rgb>* picture, const Box& box, image::Rgb color) {
  const auto inside = [](int value, std::size_t end) { return std::clamp(value, 0, static_cast<int>(end)); };
  const int left = inside(box.x, picture->cols()), right = inside(box.x + box.width, picture->cols());
  const int bottom = inside(box.y + box.height, picture->rows());
  for (int y = inside(box.y, picture->rows()); y < bottom; ++y)
    if (left < right) std::fill_n(picture->row(static_cast<std::size_t>(y)) + left, right - left, color);
}

void draw_picture(Array2<image::Rgb>* picture, int x, int y, const Array2<image::Rgb>& other) {
  for (std::size_t row = 0; row < other.rows(); ++row)
    std::copy_n(other.row(row), other.cols(), picture->row(static_cast<std::size_t>(y) + row) + x);
}

void draw_outline(Array2<image::Rgb>* picture, const Box& box, const Stroke& stroke) {
  draw_border(picture, grown(box, 2), {kRim, kRimOpacity * stroke.opacity, stroke.dashed});
  draw_border(picture, grown(box, 1), stroke);
}

void draw_cross(Array2<image::Rgb>* picture, int x, int y, image::Rgb color) {
  for (int r = kCrossGap; r < kCrossArm; ++r)
    for (const auto& [dx, dy] : {std::pair{r, 0}, {-r, 0}, {0, r}, {0, -r}})
      for (const int aside : {-1, 1})
        mix(picture, x + dx + (dx == 0) * aside, y + dy + (dy == 0) * aside, kRim, kRimOpacity);
  for (int r = kCrossGap; r < kCrossArm; ++r)
    for (const auto& [dx, dy] : {std::pair{r, 0}, {-r, 0}, {0, r}, {0, -r}}) mix(picture, x + dx, y + dy, color, 1);
}

}  // namespace fernwood::apps
