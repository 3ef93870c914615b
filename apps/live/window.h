// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the pictures of `live` are drawn with, and what the plug-ins window and video do for them.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/image/frame.h"

namespace fernwood::apps {

/// A pixel of a picture.
struct Place {
  int x = 0, y = 0;
  bool operator==(const Place&) const = default;
};

/// A line of text in a picture.
struct Text {
  int x = 0, y = 0;  ///< Left end of its base line, pixels.
  std::string text;
  image::Rgb color;
};

/// A window on the screen; to be used on the thread that made it.
class Window {
 public:
  virtual ~Window() = default;
  virtual void show(const Array2<image::Rgb>& picture) = 0;
  /// A key that was pressed, or -1; looks for one for about a millisecond, which also keeps the window alive.
  virtual int key() = 0;
  /// Where in the picture the mouse was when it moved last; nothing before that. Known after a look for keys.
  virtual std::optional<Place> mouse() = 0;
  /// False when the user has closed it.
  virtual bool is_open() = 0;
};

/// A video file that is being written.
class VideoWriter {
 public:
  virtual ~VideoWriter() = default;
  /// @throws Error(kRuntime) when it cannot be written.
  virtual void add(const Array2<image::Rgb>& picture) = 0;
};

// The functions that the plug-ins export.
using OpenWindow = Window*(const char* title);                                    // window: fernwood_open_window
using DrawTexts = void(Array2<image::Rgb>* picture, const std::vector<Text>& t);  // window: fernwood_draw_texts
using OpenVideo = VideoWriter*(const char* path, double rate_hz);                 // video: fernwood_open_video

/// @throws Error(kUsage) when this build has no windows, Error(kDevice) when there is no screen.
std::unique_ptr<Window> open_window(const std::string& title);
/// Does nothing in a build without windows.
void draw_texts(Array2<image::Rgb>* picture, const std::vector<Text>& texts);
/// @throws Error(kUsage) when this build has no video.
std::unique_ptr<VideoWriter> open_video(const std::string& path, double rate_hz);

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
