// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the pictures of `live` are drawn with; texts: window.h.

#include <cstddef>

#include "fernwood/image/frame.h"

namespace fernwood::apps {

inline constexpr image::Rgb kPaper{255, 255, 255}, kInk{40, 40, 40}, kFaint{180, 180, 180};
inline constexpr std::size_t kLineHeight = 22, kMargin = 8;
inline constexpr int kBaseLine = 15;  ///< Of a line's text, below the line's top.
inline constexpr int kSwatch = 14;    ///< Side of a square that shows a colour.
inline constexpr int kSwatchAt = (static_cast<int>(kLineHeight) - kSwatch) / 2;  ///< Below the line's top.

/// A rectangle of pixels, in or out of a picture; what is outside is not drawn.
struct Box {
  int x = 0, y = 0;  ///< Upper left pixel.
  int width = 0, height = 0;
};

void fill_box(Array2<image::Rgb>* picture, const Box& box, image::Rgb color);
/// Another picture in this one, which has room for it, from (x, y) on.
void draw_picture(Array2<image::Rgb>* picture, int x, int y, const Array2<image::Rgb>& other);

struct Stroke {
  image::Rgb color;
  float opacity = 1;  ///< [0, 1]
  bool dashed = false;
};

/// A line around a box, outside of it, with a dark rim that keeps it visible on any picture.
void draw_outline(Array2<image::Rgb>* picture, const Box& box, const Stroke& stroke);
/// Four rays around a pixel, which stays free.
void draw_cross(Array2<image::Rgb>* picture, int x, int y, image::Rgb color);

}  // namespace fernwood::apps
