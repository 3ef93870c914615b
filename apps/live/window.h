// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Drawing of the images of `live`, and the functions of the plug-ins window and video.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/image/frame.h"

namespace fernwood::apps {

/// A pixel of an image.
struct Place {
  int x = 0, y = 0;
  bool operator==(const Place&) const = default;
};

/// A line of text in an image.
struct Text {
  int x = 0, y = 0;  ///< Left end of its baseline, in pixels.
  std::string text;
  image::Rgb color;
};

/// A window on the screen; to be used only on the thread that created it.
class Window {
 public:
  virtual ~Window() = default;
  virtual void show(const Array2<image::Rgb>& picture) = 0;
  /// A key that was pressed, or -1; waits for about a millisecond and processes the window's events.
  virtual int key() = 0;
  /// Last position of the mouse in the image; empty before it has moved. Updated by key().
  virtual std::optional<Place> mouse() = 0;
  /// False when the user has closed it.
  virtual bool is_open() = 0;
};

/// A video file being written.
class VideoWriter {
 public:
  virtual ~VideoWriter() = default;
  /// @throws Error(kRuntime) when it cannot be written.
  virtual void add(const Array2<image::Rgb>& picture) = 0;
};

// Functions exported by the plug-ins.
using OpenWindow = Window*(const char* title);                                    // window: fernwood_open_window
using DrawTexts = void(Array2<image::Rgb>* picture, const std::vector<Text>& t);  // window: fernwood_draw_texts
using OpenVideo = VideoWriter*(const char* path, double rate_hz);                 // video: fernwood_open_video

/// @throws Error(kUsage) when this build has no window support, Error(kDevice) without a display.
std::unique_ptr<Window> open_window(const std::string& title);
/// Does nothing in a build without window support.
void draw_texts(Array2<image::Rgb>* picture, const std::vector<Text>& texts);
/// @throws Error(kUsage) when this build has no video support.
std::unique_ptr<VideoWriter> open_video(const std::string& path, double rate_hz);

inline constexpr image::Rgb kPaper{255, 255, 255}, kInk{40, 40, 40}, kFaint{180, 180, 180};
inline constexpr std::size_t kLineHeight = 22, kMargin = 8;
inline constexpr int kBaseLine = 15;  ///< Baseline of a line's text, below the line's top.
inline constexpr int kSwatch = 14;    ///< Side of a colour square.
inline constexpr int kSwatchAt = (static_cast<int>(kLineHeight) - kSwatch) / 2;  ///< Below the line's top.

/// A rectangle of pixels; parts outside an image are not drawn.
struct Box {
  int x = 0, y = 0;  ///< Upper left pixel.
  int width = 0, height = 0;
};

void fill_box(Array2<image::Rgb>* picture, const Box& box, image::Rgb color);
/// Copies another image into this one at (x, y), where it must fit.
void draw_picture(Array2<image::Rgb>* picture, int x, int y, const Array2<image::Rgb>& other);

struct Stroke {
  image::Rgb color;
  float opacity = 1;  ///< [0, 1]
  bool dashed = false;
};

/// Draws a line around the outside of a box, with a dark rim that keeps it visible on any image.
void draw_outline(Array2<image::Rgb>* picture, const Box& box, const Stroke& stroke);
/// Draws four rays around a pixel, which itself stays visible.
void draw_cross(Array2<image::Rgb>* picture, int x, int y, image::Rgb color);

}  // namespace fernwood::apps
