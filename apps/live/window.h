// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The functions of the plug-in window.

#include <memory>
#include <string>
#include <vector>

#include "fernwood/image/frame.h"

namespace fernwood::apps {

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
  /// False when the user has closed it.
  virtual bool is_open() = 0;
};

// Functions exported by the plug-in.
using OpenWindow = Window*(const char* title);                                    // fernwood_open_window
using DrawTexts = void(Array2<image::Rgb>* picture, const std::vector<Text>& t);  // fernwood_draw_texts

/// @throws Error(kUsage) when this build has no window support, Error(kDevice) without a display.
std::unique_ptr<Window> open_window(const std::string& title);
/// Does nothing in a build without window support.
void draw_texts(Array2<image::Rgb>* picture, const std::vector<Text>& texts);

}  // namespace fernwood::apps
