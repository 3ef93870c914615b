// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/label_carrier.h"

#include <algorithm>

#include "core/json_text.h"
#include "fernwood/core/error.h"

namespace fernwood::teach {

namespace {

using nlohmann::json;

dataset::FramePose first_of_room(std::size_t frame) { return {"from " + std::to_string(frame), {}}; }

/// Pose of a frame that was registered to the previous one.
dataset::FramePose place_after(const dataset::FramePose& before, const std::optional<image::RigidMotion>& motion,
                               std::size_t frame) {
  if (!motion) return first_of_room(frame);
  return {before.room, then(image::inverse(*motion), before.pose)};
}

/// The part of a view of a frame whose labels differ from another view, and so may affect other frames; for different
/// poses, the whole second view.
std::shared_ptr<const LabelledView> changed_part(const std::shared_ptr<const LabelledView>& before,
                                                 const std::shared_ptr<const LabelledView>& now) {
  if (!before || !now || !(before->pose == now->pose)) return now;
  image::LabelImage numbers = now->numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint16_t& number = numbers.data()[i];
    const std::uint16_t was = before->numbers.data()[i];
    number = number == was ? image::kVoid : number == image::kVoid ? was : number;
  }
  return std::make_shared<const LabelledView>(now->pose, now->camera, now->depth_mm, std::move(numbers));
}

}  // namespace

std::optional<dataset::FramePose> LabelCarrier::place(std::size_t frame) const {
  if (project_.has_poses()) return project_.frame(frame).pose;
  if (frame < registered_.places.size()) return registered_.places[frame];
  return std::nullopt;
}

std::function<image::LabelImage()> LabelCarrier::numbers_of(std::size_t frame) const {
  return [live = project_.live_classes(), read = project_.labels_reader(frame)] {
    image::LabelImage labels = read();
    for (std::uint16_t& label : labels)
      if (label != image::kVoid) label = live[label].number;
    return labels;
  };
}

void LabelCarrier::note_changes() {
  if (seen_version_ == project_.version()) return;
  seen_version_ = project_.version();
  if (std::exchange(has_poses_, project_.has_poses()) != has_poses_) stamps_.clear();
  for (std::size_t frame = 0; frame < project_.num_frames(); ++frame) {
    const std::uint64_t stamp = project_.strokes_version(frame);
    const auto known = stamps_.find(frame);
    if (known != stamps_.end() && known->second == stamp) continue;
    stamps_[frame] = stamp;
    targets_.insert(frame);
    const bool is_source = project_.has_depth() && project_.is_carrying(frame) && project_.num_strokes(frame) > 0;
    if (is_source)
      stale_.insert(frame);
    else if (sources_.contains(frame))
      change_source(frame, nullptr);
    if (!is_source) stale_.erase(frame);
  }
}

void LabelCarrier::change_source(std::size_t frame, std::shared_ptr<const LabelledView> view) {
  const auto here = place(frame);
  const Source now = {here ? here->room : "", std::move(view)};
  const auto known = sources_.find(frame);
  const Source before = known == sources_.end() ? Source{} : known->second;
  const auto part = changed_part(before.view, now.view);
  const bool is_moved = !before.view || !now.view || !(before.view->pose == now.view->pose) || before.room != now.room;
  for (std::size_t other = 0; other < project_.num_frames(); ++other) {
    const auto there = place(other);
    const auto camera = cameras_.find(other);
    const auto sees = [&](const std::string& room, const std::shared_ptr<const LabelledView>& view) {
      if (!view || !there || there->room != room) return false;
      return camera == cameras_.end() || may_see(*view, there->pose, camera->second);
    };
    if (sees(now.room, part) || (is_moved && sees(before.room, before.view))) targets_.insert(other);
  }
  if (now.view)
    sources_[frame] = now;
  else
    sources_.erase(frame);
}

LabelCarrier::Step LabelCarrier::next_step() {
  if (reading_) stale_.insert(*std::exchange(reading_, std::nullopt));
  if (carrying_to_) targets_.insert(*std::exchange(carrying_to_, std::nullopt));
  note_changes();
  if (sources_.empty() && stale_.empty()) {
    for (std::size_t frame = 0; frame < project_.num_frames(); ++frame)
      if (project_.frame(frame).num_carried > 0) {
        project_.set_carried(frame, {});
        changed_.insert(frame);
      }
    targets_.clear();
    project_.set_carried_is_current(true);
    return {};
  }
  if (!project_.has_poses() && registered_.places.size() < project_.num_frames()) return locate_next();
  if (!stale_.empty()) return read_source(*stale_.begin());
  if (!targets_.empty()) return carry_to(*targets_.begin());
  project_.set_carried_is_current(true);
  return {};
}

void LabelCarrier::finish(const ProgressCallback& progress) {
  for (std::size_t done = 0; const Step step = next_step(); ++done) {
    const std::size_t unplaced = project_.has_poses() ? 0 : project_.num_frames() - registered_.places.size();
    if (progress) progress(done, done + 1 + num_left() + unplaced);
    step()();
  }
}

LabelCarrier::Step LabelCarrier::told_of_failure(std::size_t frame, Step step) {
  return [this, frame, step = std::move(step)]() -> std::function<void()> {
    try {
      return step();
    } catch (const Error& error) {
      return [this, frame, sentence = std::string(error.what())] {
        problems_.push_back(sentence);
        reading_.reset();
        carrying_to_.reset();
        if (registered_.places.size() == frame) registered_.places.push_back(first_of_room(frame));
        registered_.surfaces.reset();
      };
    }
  };
}

LabelCarrier::Step LabelCarrier::locate_next() {
  const std::size_t frame = registered_.places.size();
  return told_of_failure(frame, [this, frame, read = project_.depth_reader(frame), before = registered_.surfaces]() {
    const image::Frame here = read();
    auto surfaces = std::make_shared<const image::FrameSurfaces>(surfaces_of(depth_view(here)));
    std::optional<image::RigidMotion> motion;
    if (before) motion = register_surfaces(*before, *surfaces);
    return [this, frame, surfaces, motion] {
      registered_.places.push_back(frame == 0 ? first_of_room(0)
                                              : place_after(registered_.places.back(), motion, frame));
      registered_.surfaces = surfaces;
      targets_.insert(frame);
    };
  });
}

LabelCarrier::Step LabelCarrier::read_source(std::size_t frame) {
  stale_.erase(frame);
  reading_ = frame;
  const auto there = place(frame);
  const auto note = [this, frame](std::shared_ptr<const LabelledView> view) {
    reading_.reset();
    change_source(frame, std::move(view));
  };
  if (!there) return [note] { return [note] { note(nullptr); }; };
  return told_of_failure(
      frame, [this, frame, note, there = *there, read = project_.depth_reader(frame), numbers = numbers_of(frame)]() {
        image::Frame here = read();
        const image::Camera camera = depth_view(here).camera;
        auto view = std::make_shared<const LabelledView>(there.pose, camera, std::move(here.depth_mm), numbers());
        if (view->labelled.empty()) view.reset();
        return [this, frame, note, camera, view] {
          cameras_[frame] = camera;
          note(view);
        };
      });
}

LabelCarrier::Step LabelCarrier::carry_to(std::size_t frame) {
  targets_.erase(frame);
  carrying_to_ = frame;
  const auto there = place(frame);
  std::vector<std::size_t> frames;
  std::vector<std::shared_ptr<const LabelledView>> views;
  for (const auto& [other, source] : sources_) {
    const auto place_of_other = place(other);
    if (other == frame || !there || !place_of_other || place_of_other->room != there->room || !source.view) continue;
    frames.push_back(other);
    views.push_back(source.view);
  }
  const auto note = [this, frame](const CarriedLabels& found) {
    carrying_to_.reset();
    const std::size_t num_before = project_.frame(frame).num_carried;
    project_.set_carried(frame, found);
    if (num_before + project_.frame(frame).num_carried > 0) changed_.insert(frame);
  };
  if (views.empty()) return [note] { return [note] { note({}); }; };
  // Strokes drawn or erased on this frame take precedence over carried labels.
  std::function<image::LabelImage()> read_drawn, read_erased;
  if (!project_.frame(frame).strokes.empty()) {
    read_drawn = project_.labels_reader(frame);
    read_erased = project_.erased_reader(frame);
  }
  return told_of_failure(frame, [=, this, read = project_.depth_reader(frame)]() {
    const image::Frame here = read();
    std::vector<const LabelledView*> from;
    for (const auto& view : views) from.push_back(view.get());
    HandedLabels handed = carry_labels(from, depth_view(here), there->pose);
    CarriedLabels carried = {std::move(handed.numbers)};
    for (const auto& read_marked : {read_drawn, read_erased}) {
      if (!read_marked) continue;
      const image::LabelImage marked = read_marked();
      for (std::size_t i = 0; i < carried.numbers.size(); ++i)
        if (marked.data()[i] != image::kVoid) carried.numbers.data()[i] = image::kVoid;
    }
    for (std::size_t i = 0; i < frames.size(); ++i)
      if (handed.num_pixels[i] > 0) carried.sources.push_back(frames[i]);
    return [this, frame, note, camera = depth_view(here).camera, carried = std::move(carried)] {
      cameras_[frame] = camera;
      note(carried);
    };
  });
}

void Carrying::go_on() {
  if (has_step_) return;
  const LabelCarrier::Step step = carrier_.next_step();
  tell_changes();
  if (!step) {
    const bool has_changed = std::exchange(has_changed_, false);
    if (!std::exchange(has_begun_, false) && !has_changed) return;
    server_.send_to_all(json_text(json{{"carried_all", has_changed}, {"left", 0}}));
    return finished_(has_changed);
  }
  has_step_ = has_begun_ = true;
  server_.do_aside([this, step]() -> std::function<void()> {
    return [this, note = step()] {
      note();
      has_step_ = false;
      go_on();
    };
  });
}

void Carrying::tell_changes() {
  for (const std::size_t frame : carrier_.take_changed()) {
    has_changed_ = true;
    server_.send_to_all(json_text(
        json{{"carried", frame}, {"share", share_carried(project_.frame(frame))}, {"left", carrier_.num_left()}}));
  }
  for (const std::string& sentence : carrier_.take_problems())
    server_.send_to_all(ascii_json_text(json{{"problem", sentence}}));
}

}  // namespace fernwood::teach
