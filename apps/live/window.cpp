// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/live/window.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/plugin.h"

namespace fernwood::apps {

namespace {

/// The window's library terminates the program without a display, so this is checked before.
void check_screen() {
  if (std::getenv("QT_QPA_PLATFORM") != nullptr) return;
  const char* const display = std::getenv("DISPLAY");
  FW_CHECK(display != nullptr && platform::is_display_reachable(display), Device,
           "there is no screen for the window (DISPLAY is " << (display ? display : "not set")
                                                            << "); give --serve to see it in a browser, --headless to "
                                                               "measure without, or run it where a screen is");
}

constexpr image::Rgb kRim{0, 0, 0};
constexpr float kRimOpacity = 0.65f;
constexpr int kDash = 4;  // length of a dash and of a gap, in pixels
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

/// The border pixels of a box.
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

std::unique_ptr<Window> open_window(const std::string& title) {
  const auto open = find_plugin<OpenWindow>("window", "fernwood_open_window");
  FW_CHECK(open != nullptr, Usage,
           "this fernwood has no windows (there is no plug-in fernwood_window.so); give --serve to see it in a "
           "browser, --headless to measure without, or build it with libopencv-dev and -DFERNWOOD_WINDOW=ON");
  check_screen();
  return std::unique_ptr<Window>(open(title.c_str()));
}

void draw_texts(Array2<image::Rgb>* picture, const std::vector<Text>& texts) {
  static DrawTexts* const draw = find_plugin<DrawTexts>("window", "fernwood_draw_texts");
  if (draw != nullptr) draw(picture, texts);
}

std::unique_ptr<VideoWriter> open_video(const std::string& path, double rate_hz) {
  const auto open = find_plugin<OpenVideo>("video", "fernwood_open_video");
  FW_CHECK(open != nullptr, Usage,
           "this fernwood writes no video (there is no plug-in fernwood_video.so); leave --out away, or build it with "
           "libopencv-dev and -DFERNWOOD_VIDEO=ON");
  return std::unique_ptr<VideoWriter>(open(path.c_str(), rate_hz));
}

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
