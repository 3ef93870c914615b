// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/truth.h"

#include <algorithm>

#include "core/json_text.h"
#include "fernwood/core/error.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

/// Maximum cost of painting that the server's thread may do for a frame, as computed by work_of(): about 12 ms.
constexpr std::uint64_t kMaxWorkHere = kMaxStrokeWork / 4;

Truth::OfFrame truth_in(const image::LabelImage& labels, std::size_t num_classes) {
  Truth::OfFrame truth = {std::make_shared<const PackedLabels>(labels), std::vector<bool>(num_classes)};
  for (const std::uint16_t label : labels)
    if (label != image::kVoid) truth.classes[label] = true;
  return truth;
}

}  // namespace

void Truth::follow(const ProjectChange& change) {
  if (change.what == ProjectChange::What::kStrokes) {
    truths_.erase(change.frame);
    tell(change.frame);
  } else if (change.what == ProjectChange::What::kClasses || change.what == ProjectChange::What::kClassNames) {
    if (change.what == ProjectChange::What::kClasses) {
      truths_.clear();
      ++num_class_changes_;
    }
    for (std::size_t frame = 0; frame < project_.num_frames(); ++frame)
      if (!project_.frame(frame).strokes.empty()) tell(frame);
  }
}

void Truth::tell(std::size_t frame) {
  server_.send_to_all(
      json_text(json{{"truth", frame}, {"strokes", project_.num_strokes(frame)}, {"version", project_.version()}}));
}

const Truth::OfFrame& Truth::of(std::size_t frame) {
  if (const auto known = truths_.find(frame); known != truths_.end()) return known->second;
  return truths_[frame] = truth_in(project_.labels(frame), project_.class_numbers().size());
}

bool Truth::paint_aside(std::size_t frame, std::function<void()> then) {
  if (project_.painting_work(frame) <= kMaxWorkHere) return false;
  const auto stamp = [this, frame] { return std::pair(project_.strokes_version(frame), num_class_changes_); };
  server_.do_aside([this, frame, stamp, asked = stamp(), num_classes = project_.class_numbers().size(),
                    read = project_.labels_reader(frame), then = std::move(then)]() -> std::function<void()> {
    return [this, frame, stamp, asked, then, truth = truth_in(read(), num_classes), read] {
      if (stamp() == asked) truths_[frame] = truth;
      then();  // `read` keeps it in the cache
    };
  });
  return true;
}

std::function<image::LabelImage()> Truth::drawn_reader(std::size_t frame) const {
  const auto known = truths_.find(frame);
  if (known == truths_.end()) return project_.labels_reader(frame);
  return [packed = known->second.labels] { return packed->unpacked(); };
}

std::function<image::LabelImage()> Truth::taught_reader(std::size_t frame) const {
  std::function<image::LabelImage()> drawn;
  if (project_.num_strokes(frame) > 0) drawn = drawn_reader(frame);
  if (project_.frame(frame).num_carried == 0) return drawn;
  return [drawn, carried = project_.carried_reader(frame)] {
    if (!drawn) return carried();
    image::LabelImage labels = drawn();
    fill_void(labels, carried());
    return labels;
  };
}

Truth::TaughtFrames Truth::taught_frames(bool carried_too) {
  auto taught = std::make_shared<ProjectFrames>();
  std::vector<std::size_t> frames;
  for (std::size_t frame = 0; frame < project_.num_frames(); ++frame) {
    const bool is_carried = carried_too && project_.frame(frame).num_carried > 0;
    if (project_.num_strokes(frame) == 0 && !is_carried) continue;
    if (!is_carried && std::ranges::none_of(of(frame).classes, [](bool has) { return has; })) continue;
    taught->add(project_, frame, carried_too ? taught_reader(frame) : drawn_reader(frame));
    frames.push_back(frame);
  }
  taught->config.classes = project_.class_infos();
  taught->name = project_.folder().string();
  return {std::move(taught), std::move(frames)};
}

void Truth::write() {
  if (std::exchange(is_writing_, true)) return;
  server_.post([this] { write_next(); });
}

void Truth::write_next() {
  const auto next = project_.next_written_frame();
  if (next && paint_aside(*next, [this] { write_next(); })) return;
  try {
    is_writing_ = project_.write_some_truth();
    if (is_writing_) server_.post([this] { write_next(); });
  } catch (const Error& error) {
    is_writing_ = false;  // the next request tries again; the journal has the strokes
    server_.send_to_all(ascii_json_text(json{{"problem", error.what()}}));
  }
}

}  // namespace fernwood::teach
