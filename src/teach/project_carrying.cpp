// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Where frames were taken, and what is carried between those that see the same places.
#include <algorithm>

#include "dataset/poses.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "teach/project_state.h"

namespace fernwood::teach {

void Project::State::check(const FramePosed& posed) const {
  const FrameKept& kept = frame(posed.frame).kept;
  const std::string problem = image::problem_of(posed.pose);
  FW_CHECK(problem.empty(), Usage, "the pose of frame " << kept.name << ": " << problem);
  FW_CHECK(dataset::is_room_name(posed.room), Usage,
           "the room of frame " << kept.name << " is called \"" << posed.room << "\"; give at most "
                                << dataset::kMaxRoomBytes << " bytes of UTF-8 without control characters");
}

void Project::State::check(const LabelsCarried& carried) const {
  if (carried.frame) frame(*carried.frame);
  FW_CHECK(!carried.is_carried || (!frames.empty() && frames[0].kept.has_depth), Usage,
           "frames have no depth, by which labels are carried from frame to frame; draw on each");
}

void Project::State::apply(const FramePosed& posed) {
  TaughtFrame& changed = frames[posed.frame];
  num_poses += !changed.pose;
  changed.pose = {posed.room, posed.pose};
  changed.strokes_version = version;
  config_is_written = false;
}

void Project::State::apply(const LabelsCarried& carried) {
  if (carried.frame) {
    frames[*carried.frame].carries = carried.is_carried;
    frames[*carried.frame].strokes_version = version;
    return;
  }
  carries_all = carried.is_carried;
  for (TaughtFrame& one : frames) {
    one.carries.reset();
    one.strokes_version = version;
  }
}

std::vector<std::uint16_t> Project::State::live_indices() const {
  std::vector<std::uint16_t> index(classes.size(), image::kVoid);
  std::uint16_t next = 0;
  for (const TaughtClass& one : classes)
    if (one.is_live()) index[one.number] = next++;
  std::vector<std::uint16_t> of_all(classes.size());
  for (const TaughtClass& one : classes) of_all[one.number] = index[final_number(one.number)];
  return of_all;
}

void Project::State::write_poses() const {
  std::string lines;
  const std::string* room = nullptr;
  for (const TaughtFrame& one : frames) {
    if (!one.pose) continue;
    if (room && *room != one.pose->room) {
      std::error_code is_not_there;
      std::filesystem::remove(folder / "poses.txt", is_not_there);
      return;
    }
    room = &one.pose->room;
    lines += dataset::pose_line(one.kept.name, one.pose->pose);
  }
  if (!room) return;
  write_file_atomically(folder / "poses.txt", NamedBy::kFernwood,
                        [&](std::ostream& file) { file << dataset::kMatrixPoses << lines; });
}

void Project::set_pose(std::size_t frame, const dataset::FramePose& pose) {
  if (this->pose(frame) != pose) state_->commit(FramePosed{frame, pose.room, pose.pose});
}

std::optional<dataset::FramePose> Project::pose(std::size_t frame) const { return state_->frame(frame).pose; }
bool Project::has_poses() const { return state_->num_poses > 0; }
bool Project::has_depth() const { return !state_->frames.empty() && state_->frames[0].kept.has_depth; }

void Project::carry(std::optional<std::size_t> frame, bool is_carried) {
  const bool is_so =
      frame ? is_carrying(*frame) == is_carried
            : state_->carries_all == is_carried &&
                  std::ranges::none_of(state_->frames, [](const auto& one) { return one.carries.has_value(); });
  if (!is_so) state_->commit(LabelsCarried{frame, is_carried});
}

bool Project::is_carrying(std::size_t frame) const {
  return state_->frame(frame).carries.value_or(state_->carries_all);
}

bool Project::is_carrying() const {
  return state_->carries_all ||
         std::ranges::any_of(state_->frames, [](const auto& one) { return one.carries.value_or(false); });
}

std::uint64_t Project::strokes_version(std::size_t frame) const {
  return std::max(state_->frame(frame).strokes_version, state_->classes_version);
}

std::function<image::LabelImage()> Project::erased_reader(std::size_t frame) const {
  const State::TaughtFrame& asked = state_->frame(frame);
  const auto is_eraser = [](const DrawnStroke& stroke) { return stroke.classes.empty(); };
  const auto blank = [rows = asked.kept.rows, cols = asked.kept.cols] {
    return image::LabelImage(rows, cols, image::kVoid);
  };
  if (std::ranges::none_of(asked.strokes, [&](const auto& drawn) { return is_eraser(*drawn.second); })) return blank;
  std::vector<std::shared_ptr<const DrawnStroke>> strokes;
  for (const auto& drawn : asked.strokes)
    if (counts(*drawn.second)) strokes.push_back(drawn.second);
  return [blank, is_eraser, strokes = std::move(strokes), painting = state_->painting(frame)] {
    image::LabelImage erased = blank();
    for (const auto& drawn : strokes) {
      Stroke mark = *drawn;
      mark.class_id = is_eraser(*drawn) ? 0 : kErase;
      if (mark.tool == Tool::kLabels) mark.tool = Tool::kRegion;
      mark.protected_classes.clear();
      paint(mark, erased);
    }
    const image::LabelImage left = painting->numbers();  // labels left by an eraser
    for (std::size_t i = 0; i < erased.size(); ++i)
      if (left.data()[i] != kErase) erased.data()[i] = image::kVoid;
    return erased;
  };
}

void Project::set_carried(std::size_t frame, const CarriedLabels& carried) {
  state_->frame(frame);  // throws if it does not exist
  State::TaughtFrame& changed = state_->frames[frame];
  changed.num_carried =
      carried.numbers.size() - static_cast<std::size_t>(std::ranges::count(carried.numbers, image::kVoid));
  changed.carried = changed.num_carried > 0 ? std::make_shared<const PackedLabels>(carried.numbers) : nullptr;
  changed.carried_from = carried.sources;
  changed.written_colors.reset();
}

void Project::set_carried_is_current(bool is_current) { state_->carried_is_current = is_current; }
std::size_t Project::num_carried(std::size_t frame) const { return state_->frame(frame).num_carried; }
const std::vector<std::size_t>& Project::carried_from(std::size_t frame) const {
  return state_->frame(frame).carried_from;
}

std::function<image::LabelImage()> Project::carried_reader(std::size_t frame) const {
  const State::TaughtFrame& asked = state_->frame(frame);
  if (!asked.carried)
    return [rows = asked.kept.rows, cols = asked.kept.cols] { return image::LabelImage(rows, cols, image::kVoid); };
  return [packed = asked.carried, live_index = state_->live_indices()] {
    image::LabelImage labels = packed->unpacked();
    for (std::uint16_t& label : labels)
      if (label != image::kVoid) label = live_index[label];
    return labels;
  };
}

image::LabelImage Project::taught_labels(std::size_t frame) const {
  image::LabelImage labels = this->labels(frame);
  if (num_carried(frame) > 0) fill_void(labels, carried(frame));
  return labels;
}

}  // namespace fernwood::teach
