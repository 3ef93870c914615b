// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/live/live.h"

#include <algorithm>
#include <array>
#include <utility>

#include "apps/shell/frame_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::apps {

namespace fs = std::filesystem;

namespace {

/// "saved0001", with the first free number.
std::string free_name(const fs::path& folder) {
  for (int number = 1;; ++number) {
    const std::string name = format_text("saved%04d", number);
    if (!fs::exists(folder / (name + "_view.png"))) return name;
  }
}

std::size_t deepest_of(const forest::Forest& forest) {
  int depth = 0;
  for (const forest::Tree& tree : forest.labelling_trees()) depth = std::max(depth, tree.depth());
  return static_cast<std::size_t>(depth);
}

}  // namespace

OptionTable<LiveViewOptions> LiveViewOptions::table() {
  using O = LiveViewOptions;
  static const std::string keys =
      std::string("Keys to press before the first frame; ") + kLiveKeys + "; with --steady " + kSteadyKey;
  static const std::array kRows = {
      option<&O::save>("save", "Folder for frames saved with the key s").takes("DIR"),
      option<&O::initial_keys>("initial-keys", keys),
      option<&O::at>("at", "Pixel that the key e explains until the mouse moves: column,row").takes("X,Y"),
  };
  return kRows;
}

void LiveViewOptions::check() const {
  if (!at.empty()) parse_pixel(at);
}

LiveView::LiveView(const fs::path& record_to, const LiveViewOptions& options, LiveViewOutputs outputs,
                   const forest::Forest& forest, const std::string& device)
    : MeasuringSink(record_to, forest),
      options_(options),
      outputs_(std::move(outputs)),
      forest_(forest),
      depth_(deepest_of(forest)),
      device_(device),
      status_("waiting for the first frame"),
      choice_(forest.classes.size(), forest.labelling_trees().size()),
      explainer_(forest) {
  for (const char key : options_.initial_keys) press(key);
  if (!options_.at.empty()) {
    const auto [x, y] = parse_pixel(options_.at);
    explainer_.point_at({x, y});
  }
  draw();
}

void LiveView::press(int key) {
  choice_.press(key);
  explanation_.reset();
  wants_probabilities_ = choice_.probability_of >= 0;
  if (outputs_.choose_single) outputs_.choose_single(choice_.single);
}

bool LiveView::show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) {
  MeasuringSink::show(frame, so_far);
  last_ = frame;
  status_ = status(so_far);
  choice_.step = false;
  explain();
  const Array2<image::Rgb> picture = draw();
  if (outputs_.video) outputs_.video->add(picture);
  return !choice_.quit;
}

bool LiveView::idle() {
  if (!outputs_.window) return !choice_.quit;
  bool pressed = false;
  for (int key = outputs_.window->key(); key >= 0 && !choice_.quit; key = outputs_.window->key()) {
    press(key);
    pressed = true;
  }
  follow_mouse();
  const bool is_still = choice_.paused || !trouble_.empty();
  if (explain() || (pressed && is_still)) draw();
  return !choice_.quit && outputs_.window->is_open();
}

void LiveView::follow_mouse() {
  const std::optional<Place> mouse = outputs_.window->mouse();
  if (!mouse || mouse == mouse_) return;
  mouse_ = mouse;
  if (const std::optional<Place> pixel = pixel_at(last_, choice_, *mouse)) explainer_.point_at(*pixel);
}

bool LiveView::explain() {
  const bool at_once = choice_.paused || !trouble_.empty();
  if (!choice_.explains() || !explainer_.update(last_.captured.frame, at_once)) return false;
  explanation_.reset();
  return true;
}

void LiveView::camera_lost(const std::string& why) {
  MeasuringSink::camera_lost(why);
  trouble_ = why;
  draw();
}

void LiveView::camera_back() {
  MeasuringSink::camera_back();
  trouble_.clear();
}

Array2<image::Rgb> LiveView::draw() {
  if (choice_.explains() && !explanation_)
    explanation_.emplace(TestChoice(choice_.explained_by, forest_.labelling_trees().size(), depth_),
                         forest_.preparation.channels, explainer_.explanation());
  const std::string status = trouble_.empty() ? status_ : trouble_;
  Array2<image::Rgb> picture =
      make_live_picture({last_, forest_.classes, choice_, choice_.explains() ? &*explanation_ : nullptr,
                         status + (choice_.paused ? "   PAUSED" : "")});
  if (outputs_.window) outputs_.window->show(picture);
  if (last_.captured.frame && std::exchange(choice_.save, false)) save(picture);
  return picture;
}

void LiveView::save(const Array2<image::Rgb>& picture) {
  make_folder(options_.save);
  const fs::path start = options_.save / free_name(options_.save);
  const image::Frame& frame = *last_.captured.frame;
  if (!frame.color.empty()) dataset::write_png(start.string() + "_colors.png", frame.color);
  if (!frame.depth_mm.empty()) dataset::write_png16(start.string() + "_depth.png", frame.depth_mm);
  dataset::write_labels(start.string() + "_labels.png", last_.prediction.labels, forest_.classes);
  dataset::write_png(start.string() + "_view.png", picture);
  sync_folder(options_.save);
}

std::string LiveView::status(const predict::LiveReport& so_far) {
  rate_.note(seconds_now());
  return format_text("%5.1f frames/s   latency %.0f ms, 95 %% within %.0f ms   %zu dropped   ", rate_.per_second(),
                     1000 * so_far.latency.median_s(), 1000 * so_far.latency.p95_s(), so_far.num_dropped) +
         device_ + (outputs_.choose_single ? std::string(last_.steady ? "   steady" : "   single") + " (t)" : "");
}

}  // namespace fernwood::apps
