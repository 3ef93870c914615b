// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// A test plug-in for windows without a screen. It writes the last picture and its texts to the files picture and texts
// of the folder FERNWOOD_TEST_WINDOW, and presses the keys of FERNWOOD_TEST_KEYS, one after each picture.

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include "apps/live/window.h"

namespace fernwood::apps {
namespace {

std::ofstream open_file(const char* name) {
  return std::ofstream(std::getenv("FERNWOOD_TEST_WINDOW") + std::string("/") + name, std::ios::binary);
}

class FakeWindow : public Window {
 public:
  void show(const Array2<image::Rgb>& picture) override {
    open_file("picture") << picture.rows() << ' ' << picture.cols() << '\n'
                         << std::string(reinterpret_cast<const char*>(picture.data()), 3 * picture.size());
    may_press_ = true;
  }
  int key() override {
    if (keys_.empty() || !std::exchange(may_press_, false)) return -1;
    const char key = keys_.front();
    keys_.erase(0, 1);
    return key;
  }
  bool is_open() override { return true; }

 private:
  std::string keys_ = std::getenv("FERNWOOD_TEST_KEYS");
  bool may_press_ = false;
};

}  // namespace
}  // namespace fernwood::apps

extern "C" {

const char* fernwood_plugin_version() { return FERNWOOD_VERSION; }

fernwood::apps::Window* fernwood_open_window(const char*) { return new fernwood::apps::FakeWindow; }

void fernwood_draw_texts(fernwood::Array2<fernwood::image::Rgb>*, const std::vector<fernwood::apps::Text>& texts) {
  std::ofstream file = fernwood::apps::open_file("texts");
  for (const fernwood::apps::Text& text : texts) file << text.text << '\n';
}
}
