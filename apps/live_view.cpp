// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "live_view.h"

#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/core/timer.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood {

namespace fs = std::filesystem;

namespace {

/// Share of the newest frame in the rate that is shown, so that it can be read.
constexpr double kNewShare = 0.1;

/// "saved0001", the first number that is free.
std::string free_name(const fs::path& folder) {
  for (int number = 1;; ++number) {
    const std::string name = format_text("saved%04d", number);
    if (!fs::exists(folder / (name + "_view.png"))) return name;
  }
}

}  // namespace

LiveView::LiveView(const fs::path& record_to, LiveViewOptions options, const ClassMap& classes,
                   const std::string& device)
    : MeasuringSink(record_to), options_(std::move(options)), classes_(classes), device_(device) {
  for (const char key : options_.keys) press(key);
}

void LiveView::press(int key) {
  choice_.press(key, classes_.size());
  wants_probabilities_ = choice_.probability_of >= 0;
}

bool LiveView::show(const LiveFrame& frame, const LiveReport& so_far) {
  MeasuringSink::show(frame, so_far);
  last_ = frame;
  status_ = status(so_far);
  choice_.step = false;
  draw();
  return !choice_.quit;
}

bool LiveView::idle() {
  if (!options_.window || !last_.captured.frame) return !choice_.quit;
  bool pressed = false;
  for (int key = options_.window->key(); key >= 0 && !choice_.quit; key = options_.window->key()) {
    press(key);
    pressed = true;
  }
  if (pressed && choice_.paused) draw();
  return !choice_.quit && options_.window->is_open();
}

void LiveView::draw() {
  const Array2<Rgb> picture = make_live_picture(last_.captured, last_.prediction, classes_, choice_,
                                                status_ + (choice_.paused ? "   PAUSED" : ""));
  if (options_.window) options_.window->show(picture);
  if (options_.video) options_.video->add(picture);
  if (choice_.save) save(picture);
  choice_.save = false;
}

void LiveView::save(const Array2<Rgb>& picture) {
  std::error_code failure;
  fs::create_directories(options_.save_to, failure);
  FW_CHECK(fs::is_directory(options_.save_to, failure), Runtime,
           options_.save_to.string() << ": the folder for saved frames cannot be made; name another with --save");
  const fs::path start = options_.save_to / free_name(options_.save_to);
  const Frame& frame = *last_.captured.frame;
  if (!frame.color.empty()) write_png(start.string() + "_colors.png", frame.color);
  if (!frame.depth_mm.empty()) write_png16(start.string() + "_depth.png", frame.depth_mm);
  write_labels(start.string() + "_labels.png", last_.prediction.labels, classes_);
  write_png(start.string() + "_view.png", picture);
}

std::string LiveView::status(const LiveReport& so_far) {
  const double now = seconds_now();
  const double period_s = now - std::exchange(last_shown_at_, now);
  if (so_far.num_shown == 1) period_s_ = period_s;
  if (so_far.num_shown > 1) period_s_ += kNewShare * (period_s - period_s_);
  return format_text("%5.1f frames/s   latency %.0f ms, 95 %% within %.0f ms   %zu dropped   ",
                     period_s_ > 0 ? 1 / period_s_ : 0, 1000 * so_far.latency.median_s(), 1000 * so_far.latency.p95_s(),
                     so_far.num_dropped) +
         device_;
}

}  // namespace fernwood
