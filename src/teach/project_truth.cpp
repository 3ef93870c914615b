// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

#include "dataset/dataset_folder.h"
#include "dataset/frame_file_names.h"
#include "dataset/poses.h"
#include "dataset/taught_truth.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/image/labels.h"
#include "teach/fill.h"
#include "teach/frame_objects.h"
#include "teach/label_carrier.h"
#include "teach/project_state.h"

// The project folder as a data set: ground truth, classes, cameras and poses, and the note that says how new they are.

// Classes and ground truth that exist already, and names and colours that fit those of a project.

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
    const image::LabelImage labels = taught_labels(*index);
    dataset::write_png(file, dataset::colorize_labels(labels, {class_infos(), {}, {}}));
    const fs::path instances = dataset::instances_file(state_->folder, next.name);
    std::error_code is_not_there;
    if (has_instances(*index))
      dataset::write_png16(instances, objects_finder(*this, *index)(labels).numbers);
    else
      fs::remove(instances, is_not_there);
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

namespace {

constexpr double kFirstHueDeg = 173, kGoldenAngleDeg = 137.5;
/// Squared distance in RGB at which adjacent colours are distinguishable.
constexpr int kTellsApart = 60 * 60;
/// Of 255: darker labels do not show on dark pictures.
constexpr int kLeastBrightness = 70;
constexpr int kCandidates = 512;

/// [i] Hues far from the previous ones, with another lightness after each turn of the colour circle.
image::Rgb candidate(int i) {
  constexpr int kHuesOfATurn = 16;
  constexpr std::array kLightness = {0.39, 0.62, 0.27, 0.75};
  const double hue = std::fmod(kFirstHueDeg + i * kGoldenAngleDeg, 360) / 30;
  const double lightness = kLightness[static_cast<std::size_t>(i / kHuesOfATurn) % kLightness.size()];
  const double chroma = 0.6 * std::min(lightness, 1 - lightness);
  const auto value = [&](double shift) {
    const double k = std::fmod(shift + hue, 12);
    return static_cast<std::uint8_t>(
        std::lround(255 * (lightness - chroma * std::max(-1.0, std::min({k - 3, 9 - k, 1.0})))));
  };
  return {value(0), value(8), value(4)};
}

int squared_distance(image::Rgb a, image::Rgb b) {
  const int r = a.r - b.r, g = a.g - b.g, blue = a.b - b.b;
  return r * r + g * g + blue * blue;
}

int brightness(image::Rgb color) { return (299 * color.r + 587 * color.g + 114 * color.b) / 1000; }

/// Request id of a region of the imported truth, stable across restarts.
std::string request_of(std::size_t frame, std::size_t label) {
  return "truth-" + std::to_string(frame) + "-" + std::to_string(label);
}

}  // namespace

image::Rgb free_color_among(const std::vector<TaughtClass>& classes) {
  const auto nearest = [&](image::Rgb color) {
    int least = squared_distance(color, {});
    for (const TaughtClass& one : classes) least = std::min(least, squared_distance(color, one.color));
    return least;
  };
  for (const image::Rgb color : image::class_palette())
    if (brightness(color) >= kLeastBrightness && nearest(color) >= kTellsApart) return color;
  image::Rgb best;
  int farthest = 0;
  for (int i = 0; i < kCandidates; ++i) {
    const image::Rgb color = candidate(i);
    const int distance = nearest(color);
    if (distance >= kTellsApart) return color;
    if (distance > farthest) best = color, farthest = distance;
  }
  // More classes than candidate colours: any unused colour.
  for (int rgb = 1; farthest == 0; ++rgb) {
    best = {static_cast<std::uint8_t>(rgb), static_cast<std::uint8_t>(rgb >> 8), static_cast<std::uint8_t>(rgb >> 16)};
    farthest = nearest(best);
  }
  return best;
}

std::string frame_name_like(const std::string& name, const std::function<bool(const std::string&)>& is_taken) {
  std::string plain = name.empty() ? "frame" : dataset::file_name_of(name);
  std::ranges::replace(plain, '.', '_');
  std::string free = plain;
  for (int again = 2; is_taken(free); ++again) free = plain + "_" + std::to_string(again);
  return free;
}

std::vector<std::string> frame_names_of(const dataset::Dataset& data) {
  std::vector<std::string> names = data.names();
  std::set<std::string> taken(names.begin(), names.end());
  for (std::string& name : names)
    if (!dataset::is_file_name(name))
      name = *taken.insert(frame_name_like(name, [&](const auto& tried) { return taken.contains(tried); })).first;
  return names;
}

std::vector<std::uint16_t> take_classes(Project& project, const std::vector<image::ClassInfo>& classes) {
  const auto known_before = project.live_classes();
  const auto is_new = [&](const image::ClassInfo& info) {
    return std::ranges::find(known_before, info.name, &TaughtClass::name) == known_before.end();
  };
  // Checked before the first is added: a project with only some of them would be useless.
  const auto num_new = static_cast<std::size_t>(std::ranges::count_if(classes, is_new));
  FW_CHECK(num_new == 0 || known_before.size() + num_new <= kMaxTaughtClasses, Usage,
           num_new << " new classes and the " << known_before.size() << " of " << project.folder().string()
                   << " are more than the " << kMaxTaughtClasses
                   << " that can be learnt; merge classes of the data first");
  std::vector<std::uint16_t> numbers;
  for (const image::ClassInfo& info : classes) {
    const std::vector<TaughtClass> known = project.live_classes();
    const auto same = std::ranges::find(known, info.name, &TaughtClass::name);
    numbers.push_back(same != known.end() ? same->number : project.add_class(info.name, info.color));
  }
  return numbers;
}

void draw_truth(Project& project, std::size_t frame, const image::LabelImage& labels,
                const std::vector<std::uint16_t>& numbers) {
  for (std::size_t c = 0; c < numbers.size(); ++c) {
    const std::string request_id = request_of(frame, c);
    if (project.find_request(request_id)) continue;
    Stroke stroke = {.tool = Tool::kRegion, .class_id = numbers[c]};
    stroke.runs =
        runs_where(labels.rows(), labels.cols(), [&](std::size_t y, std::size_t x) { return labels(y, x) == c; });
    if (!stroke.runs.empty()) project.add_stroke(frame, std::move(stroke), request_id);
  }
}

bool has_drawn_truth(const Project& project, std::size_t frame, std::size_t num_classes) {
  for (std::size_t c = 0; c < num_classes; ++c)
    if (project.find_request(request_of(frame, c))) return true;
  return false;
}

}  // namespace fernwood::teach
