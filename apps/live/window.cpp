// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/live/window.h"

#include <cstdlib>

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

}  // namespace fernwood::apps
