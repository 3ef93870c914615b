// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// The project folder as a data set: ground truth, classes, cameras and poses, and the note that says how new they are.
#include <algorithm>

#include "dataset/dataset_folder.h"
#include "dataset/poses.h"
#include "dataset/taught_truth.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "teach/label_carrier.h"
#include "teach/project_state.h"

namespace fernwood::teach {

namespace fs = std::filesystem;

void ProjectState::write_poses() const {
  std::string lines;
  const std::string* room = nullptr;
  for (const FrameState& one : frames) {
    if (!one.pose) continue;
    if (room && *room != one.pose->room) {
      std::error_code is_not_there;
      std::filesystem::remove(folder / "poses.txt", is_not_there);
      return;
    }
    room = &one.pose->room;
    lines += dataset::pose_line(one.name, one.pose->pose);
  }
  if (!room) return;
  write_file_atomically(folder / "poses.txt", NamedBy::kFernwood,
                        [&](std::ostream& file) { file << dataset::kMatrixPoses << lines; });
}

void Project::write_truth() {
  while (write_some_truth()) {
  }
}

bool Project::write_some_truth() {
  if (is_carrying() && !state_->carried_is_current) return false;  // carried labels are part of the truth
  if (!state_->config_is_written) {
    dataset::DatasetConfig config;
    config.classes = class_infos();
    for (const FrameState& taught : state_->frames)
      if (taught.camera) config.frame_cameras.emplace(taught.name, *taught.camera);
    dataset::settle_cameras(config.frame_cameras.size(), config);
    state_->truth_changes();
    dataset::write_frame_cameras(state_->folder, config.frame_cameras);
    write_file_atomically(state_->folder / "dataset.toml", NamedBy::kFernwood,
                          [&](std::ostream& file) { file << dataset::config_text(config); });
    state_->write_poses();
    state_->config_is_written = true;
    return true;
  }
  if (const auto index = next_written_frame()) {
    FrameState& next = state_->frames[*index];
    const fs::path file = dataset::truth_file(state_->folder, next.name);
    state_->truth_changes();
    dataset::write_png(file, dataset::colorize_labels(taught_labels(*index), {class_infos(), {}, {}}));
    const std::vector<std::uint8_t> bytes = read_file(file);
    next.truth_checksum = checksum(bytes.data(), bytes.size());
    next.written_colors = state_->colors_version;
    return true;
  }
  state_->note_truth();
  return false;
}

void ProjectState::truth_changes() {
  journal->check_named();
  if (!std::exchange(note_is_gone, true)) dataset::forget_truth(folder);
  noted_bytes.reset();
}

void ProjectState::note_truth() {
  if (noted_bytes == journal->size_bytes()) return;
  journal->check_named();
  dataset::TruthNote note = {journal->size_bytes(), journal->last_checksum()};
  for (const FrameState& taught : frames) note.pictures.emplace_back(taught.name, taught.truth_checksum);
  sync_folder(folder);  // a note that survives its subject would validate outdated truth
  dataset::note_truth(folder, note);
  note_is_gone = false;
  noted_bytes = note.journal_bytes;
}

std::optional<std::size_t> Project::next_written_frame() const {
  if ((is_carrying() && !state_->carried_is_current) || !state_->config_is_written) return std::nullopt;
  const auto next = std::ranges::find_if(
      state_->frames, [this](const FrameState& taught) { return taught.written_colors != state_->colors_version; });
  if (next == state_->frames.end()) return std::nullopt;
  return static_cast<std::size_t>(next - state_->frames.begin());
}

void bring_truth_up_to_date(const fs::path& folder, const ProgressCallback& progress) {
  if (!dataset::truth_lags(folder)) return;
  std::optional<Project> project;
  try {
    project.emplace(folder);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kUsage) return;  // the project is open elsewhere; readers are warned
    throw;
  }
  LabelCarrier(*project).finish(progress);
  project->write_truth();
}

}  // namespace fernwood::teach
