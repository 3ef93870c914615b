// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the plug-ins window and video do for the program.

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

}  // namespace fernwood::apps
