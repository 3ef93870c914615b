// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "apps/live/outputs.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/plugin.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::apps {

namespace {

constexpr int kEscape = 27;
constexpr const char* kLiveKeys = "space pause  n step  1-9 0 classes  q quit";

constexpr image::Rgb kPaper{255, 255, 255}, kInk{40, 40, 40}, kFaint{180, 180, 180};
constexpr std::size_t kLineHeight = 22, kMargin = 8, kEntryWidth = 150, kSwatch = 14;
constexpr std::size_t kBaseLine = 15;  // of a line's text, below the line's top
constexpr std::size_t kMinWidth = 640;
constexpr double kPixelsPerCharacter = 7.2;
constexpr std::size_t kLongestClassName = 13;

/// The window's library terminates the program without a display, so this is checked before.
void check_screen() {
  if (std::getenv("QT_QPA_PLATFORM") != nullptr) return;
  const char* const display = std::getenv("DISPLAY");
  FW_CHECK(display != nullptr && platform::is_display_reachable(display), Device,
           "there is no screen for the window (DISPLAY is " << (display ? display : "not set")
                                                            << "); use --serve to see it in a browser, --headless to "
                                                               "measure without, or run it where a screen is");
}

/// Colour, depth and labels over colour side by side, as far as the frame has them.
Array2<image::Rgb> draw_views(const predict::LiveFrame& shown, const image::ClassMap& classes,
                              const std::vector<bool>& hidden) {
  if (!shown.captured.frame) return {};
  const image::Frame& frame = *shown.captured.frame;
  image::LabelImage labels = shown.prediction.labels;
  for (std::uint16_t& label : labels)
    if (label < hidden.size() && hidden[label]) label = image::kVoid;
  return make_panel(frame, {}, dataset::overlay_labels(frame, labels, classes));
}

/// Lines of at most `longest` characters, broken at spaces.
std::vector<std::string> wrapped(std::string text, std::size_t longest) {
  std::vector<std::string> lines;
  while (text.size() > longest) {
    const std::size_t space = text.rfind(' ', longest);
    const std::size_t end = space == std::string::npos || space == 0 ? longest : space;
    lines.push_back(text.substr(0, end));
    text.erase(0, end + (end == space));
  }
  lines.push_back(text);
  return lines;
}

/// The views, and below them lines of text and the legend, whose numbers are the keys that hide classes.
Array2<image::Rgb> draw_page(const Array2<image::Rgb>& views, const std::string& status, const image::ClassMap& classes,
                             const std::vector<bool>& hidden) {
  const std::size_t cols = std::max(views.cols(), kMinWidth);
  const auto longest = static_cast<std::size_t>(static_cast<double>(cols - 2 * kMargin) / kPixelsPerCharacter);
  const std::vector<std::string> lines = wrapped(status, longest);
  const std::size_t per_line = (cols - kMargin) / kEntryWidth, keys_at = views.rows() + lines.size() * kLineHeight;
  const std::size_t legend_at = keys_at + kLineHeight;
  Array2<image::Rgb> page(legend_at + (classes.size() + per_line - 1) / per_line * kLineHeight, cols, kPaper);
  for (std::size_t row = 0; row < views.rows(); ++row) std::copy_n(views.row(row), views.cols(), page.row(row));

  std::vector<Text> texts;
  const auto add_text = [&](std::size_t x, std::size_t y, const std::string& text, image::Rgb color) {
    texts.push_back({static_cast<int>(x), static_cast<int>(y + kBaseLine), text, color});
  };
  for (std::size_t i = 0; i < lines.size(); ++i) add_text(kMargin, views.rows() + i * kLineHeight, lines[i], kInk);
  add_text(kMargin, keys_at, kLiveKeys, kFaint);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const image::ClassInfo& info = classes.classes[c];
    const std::size_t x = kMargin + c % per_line * kEntryWidth, y = legend_at + c / per_line * kLineHeight;
    for (std::size_t row = 0; row < kSwatch; ++row)
      std::fill_n(page.row(y + (kLineHeight - kSwatch) / 2 + row) + x, kSwatch, hidden[c] ? kFaint : info.color);
    add_text(x + kSwatch + kMargin, y, std::to_string(c + 1) + " " + info.name.substr(0, kLongestClassName),
             hidden[c] ? kFaint : kInk);
  }
  draw_texts(&page, texts);
  return page;
}

}  // namespace

std::unique_ptr<Window> open_window(const std::string& title) {
  const auto open = find_plugin<OpenWindow>("window", "fernwood_open_window");
  FW_CHECK(open != nullptr, Usage,
           "this fernwood has no windows (there is no plug-in fernwood_window.so); use --serve to see it in a "
           "browser, --headless to measure without, or build it with libopencv-dev and -DFERNWOOD_WINDOW=ON");
  check_screen();
  return std::unique_ptr<Window>(open(title.c_str()));
}

void draw_texts(Array2<image::Rgb>* picture, const std::vector<Text>& texts) {
  static DrawTexts* const draw = find_plugin<DrawTexts>("window", "fernwood_draw_texts");
  if (draw != nullptr) draw(picture, texts);
}

WindowOutput::WindowOutput(std::unique_ptr<Window> window, const image::ClassMap& classes, const std::string& device,
                           ChooseSingle choose_single)
    : window_(std::move(window)),
      classes_(classes),
      device_(device),
      choose_single_(std::move(choose_single)),
      hidden_(classes.size()) {
  draw();
}

void WindowOutput::press(int key) {
  if (key == ' ') is_paused_ = !is_paused_;
  if (key == 'n') is_paused_ = steps_ = true;
  if (key == 'q' || key == kEscape) quits_ = true;
  if (key == 't') {
    is_single_ = !is_single_;
    if (choose_single_) choose_single_(is_single_);
  }
  if (key < '0' || key > '9') return;
  const auto c = static_cast<std::size_t>(key == '0' ? 9 : key - '1');
  if (c < hidden_.size()) hidden_[c] = !hidden_[c];
}

bool WindowOutput::show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) {
  last_ = frame;
  steps_ = false;
  rate_.note(seconds_now());
  status_ = format_text("%5.1f frames/s   latency %.0f ms, 95 %% within %.0f ms   %zu dropped   ", rate_.per_second(),
                        1000 * so_far.latency.median_s(), 1000 * so_far.latency.p95_s(), so_far.num_dropped) +
            device_ + (choose_single_ ? std::string(last_.steady ? "   steady" : "   single") + " (t)" : "");
  draw();
  return !quits_;
}

bool WindowOutput::idle() {
  bool is_pressed = false;
  for (int key = window_->key(); key >= 0 && !quits_; key = window_->key()) {
    press(key);
    is_pressed = true;
  }
  if (is_pressed && (is_paused_ || !trouble_.empty())) draw();
  return !quits_ && window_->is_open();
}

void WindowOutput::trouble(const std::string& why) {
  trouble_ = why;
  if (!why.empty()) draw();
}

void WindowOutput::draw() {
  const std::string status = (trouble_.empty() ? status_ : trouble_) + (is_paused_ ? "   PAUSED" : "");
  window_->show(draw_page(draw_views(last_, classes_, hidden_), status, classes_, hidden_));
}

}  // namespace fernwood::apps
