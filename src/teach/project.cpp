// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/project.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

#include "dataset/dataset_folder.h"
#include "dataset/frame_file_names.h"
#include "dataset/taught_truth.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "teach/label_carrier.h"
#include "teach/project_state.h"

namespace fernwood::teach {

namespace fs = std::filesystem;

namespace {

void check_unlocked(const TaughtClass& one) {
  FW_CHECK(!one.is_locked, Usage, "class " << one.name << " is locked; unlock it first");
}

}  // namespace

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

Project::Project(const fs::path& folder) : state_(std::make_unique<State>(folder)) {}
Project::~Project() = default;

const fs::path& Project::folder() const { return state_->folder; }
std::uint64_t Project::version() const { return state_->version; }
std::uint64_t Project::labels_version() const { return state_->labels_version; }
std::size_t Project::torn_bytes() const { return state_->journal->torn_bytes(); }
bool Project::has_frame(const std::string& name) const { return state_->frame_names.contains(name); }
std::size_t Project::num_frames() const { return state_->frames.size(); }
const std::string& Project::frame_name(std::size_t frame) const { return state_->frame(frame).kept.name; }
std::size_t Project::frame_rows(std::size_t frame) const { return state_->frame(frame).kept.rows; }
std::size_t Project::frame_cols(std::size_t frame) const { return state_->frame(frame).kept.cols; }
bool Project::counts(const DrawnStroke& stroke) const { return teach::counts(stroke, state_->deleted()); }
const Strokes& Project::strokes(std::size_t frame) const { return state_->frame(frame).strokes; }
const std::vector<TaughtClass>& Project::classes() const { return state_->classes; }

std::string Project::too_many_classes() const {
  const std::size_t num_live = state_->class_of_name.size();
  if (num_live <= kMaxTaughtClasses) return {};
  return "there are " + std::to_string(num_live) + " classes, and " + std::to_string(kMaxTaughtClasses) +
         " can be learnt; merge or delete some, then the model learns";
}

std::vector<TaughtClass> Project::live_classes() const {
  std::vector<TaughtClass> live;
  std::ranges::copy_if(state_->classes, std::back_inserter(live), &TaughtClass::is_live);
  return live;
}

std::size_t Project::num_strokes(std::size_t frame) const {
  const State::TaughtFrame& asked = state_->frame(frame);
  if (!state_->deleted()) return asked.strokes.size();
  if (!asked.num_counting)
    asked.num_counting = static_cast<std::size_t>(
        std::ranges::count_if(asked.strokes, [this](const auto& drawn) { return counts(*drawn.second); }));
  return *asked.num_counting;
}

std::size_t Project::add_frame(const std::string& name, const image::Frame& frame) {
  const FrameKept kept = {name,     frame.rows(), frame.cols(),       !frame.color.empty(), !frame.depth_mm.empty(),
                          frame.up, frame.camera, frame.maps.num_maps};
  state_->check(kept);
  state_->journal->check_named();
  check_replaceable(dataset::truth_file(state_->folder, name), NamedBy::kFernwood);
  dataset::write_frame(state_->folder, name, frame);
  sync_folder(state_->folder);
  state_->commit(kept);  // only after its files are complete and synced
  return num_frames() - 1;
}

std::function<image::Frame()> Project::frame_reader(std::size_t frame) const {
  return State::reader_of(state_->folder, state_->frame(frame).kept);
}

std::function<image::Frame()> Project::depth_reader(std::size_t frame) const {
  FrameKept depth = state_->frame(frame).kept;
  depth.has_color = false;
  depth.num_maps = 0;
  return State::reader_of(state_->folder, std::move(depth));
}

std::function<image::Frame()> Project::State::reader_of(const fs::path& folder, FrameKept of) {
  return [kept = std::move(of), folder] {
    const std::string stem = (folder / kept.name).string();
    image::Frame read;
    if (kept.has_color) read.color = dataset::read_color(stem + "_colors.png");
    if (kept.has_depth) read.depth_mm = dataset::read_depth(stem + "_depth.png");
    if (kept.num_maps > 0) read.maps = dataset::read_maps(stem + "_maps.npy");
    read.camera = kept.camera;
    read.up = kept.up;
    if (!kept.has_color && !kept.has_depth) return read;
    FW_CHECK(read.rows() == kept.rows && read.cols() == kept.cols, Data,
             stem << ": has " << read.cols() << " x " << read.rows() << " pixels, and had " << kept.cols << " x "
                  << kept.rows << " when it was kept; put the old file back");
    FW_CHECK(read.maps.num_maps == kept.num_maps, Data,
             stem << "_maps.npy: has " << read.maps.num_maps << " feature maps, and had " << kept.num_maps
                  << " when the frame was kept; put the old file back");
    return read;
  };
}

void Project::mark_done(std::size_t frame, bool is_done) {
  if (this->is_done(frame) != is_done) state_->commit(FrameDone{frame, is_done});
}

bool Project::is_done(std::size_t frame) const { return state_->frame(frame).is_done; }

std::uint16_t Project::add_class(const std::string& name, image::Rgb color, const std::string& request_id) {
  state_->check_one_more_class();
  const auto number = static_cast<std::uint16_t>(state_->classes.size());
  state_->commit(ClassNamed{number, name, color, request_id});
  return number;
}

void Project::change_class(std::uint16_t number, const std::string& name, image::Rgb color,
                           const std::string& request_id) {
  state_->live(number);
  state_->commit(ClassNamed{number, name, color, request_id});
}

void Project::lock_class(std::uint16_t number, bool locked) { state_->commit(ClassLocked{number, locked}); }

void Project::merge_class(std::uint16_t number, std::uint16_t into, const std::string& request_id) {
  check_unlocked(state_->live(number));
  state_->commit(ClassMerged{number, into, request_id});
}

void Project::delete_class(std::uint16_t number, const std::string& request_id) {
  check_unlocked(state_->live(number));
  state_->commit(ClassDeleted{number, request_id});
}

void Project::restore_class(std::uint16_t number, const std::string& request_id) {
  state_->check_one_more_class();
  state_->commit(ClassRestored{number, request_id});
}

std::optional<std::uint16_t> Project::class_of_request(const std::string& request_id) const {
  const auto known = state_->class_of_request_id.find(request_id);
  return known == state_->class_of_request_id.end() ? std::nullopt : std::optional(known->second);
}

std::uint16_t Project::merged_class(std::uint16_t number) const {
  return state_->final_number(state_->known(number).number);
}

image::Rgb Project::free_color() const { return free_color_among(state_->classes); }

std::uint64_t Project::add_stroke(std::size_t frame, Stroke stroke, const std::string& request_id) {
  stroke.protected_classes.clear();
  for (const TaughtClass& one : state_->classes) {
    const TaughtClass& shown_as = state_->classes[state_->final_number(one.number)];
    if (shown_as.is_locked && !shown_as.is_deleted && shown_as.number != stroke.class_id)
      stroke.protected_classes.push_back(one.number);
  }
  const std::uint64_t number = state_->next_stroke();
  state_->commit(StrokeDrawn{number, frame, std::move(stroke), request_id});
  return number;
}

std::optional<std::uint64_t> Project::undo(std::size_t frame, std::optional<std::uint64_t> stroke,
                                           const std::string& request_id) {
  std::optional<std::uint64_t> newest;
  const Strokes& drawn = state_->frame(frame).strokes;
  for (auto one = drawn.rbegin(); one != drawn.rend() && !newest; ++one)
    if (counts(*one->second)) newest = one->first;
  if (!stroke && !newest) return std::nullopt;
  const std::uint64_t number = stroke ? *stroke : *newest;
  const auto known = state_->frame_of_stroke.find(number);
  FW_CHECK(known == state_->frame_of_stroke.end() || known->second == frame, Usage,
           "stroke " << number << " is of frame " << known->second << ", not of " << frame);
  state_->commit(StrokeUndone{number, false, request_id});
  return number;
}

std::optional<std::uint64_t> Project::redo(std::size_t frame, const std::string& request_id) {
  std::optional<std::uint64_t> number;
  const State::TaughtFrame& taught = state_->frame(frame);
  for (auto one = taught.undone_order.rbegin(); one != taught.undone_order.rend() && !number; ++one)
    if (counts(*taught.undone.at(one->second).stroke)) number = one->second;
  if (number) state_->commit(StrokeUndone{*number, true, request_id});
  return number;
}

std::optional<std::uint64_t> Project::find_request(const std::string& request_id) const {
  const auto known = state_->stroke_of_request.find(request_id);
  return known == state_->stroke_of_request.end() ? std::nullopt : std::optional(known->second);
}

std::function<image::LabelImage()> Project::labels_reader(std::size_t frame) const {
  return [painting = state_->painting(frame), live_index = state_->live_indices()] {
    image::LabelImage labels = painting->numbers();
    for (std::uint16_t& label : labels)  // a label of a class that was added later
      label = label < live_index.size() ? live_index[label] : image::kVoid;
    return labels;
  };
}

std::uint64_t Project::painting_work(std::size_t frame) const {
  const auto known = state_->frame(frame).painting.lock();
  return known ? known->work_left() : state_->frame(frame).work;
}

void Project::write_truth() {
  while (write_some_truth()) {
  }
}

bool Project::write_some_truth() {
  if (is_carrying() && !state_->carried_is_current) return false;  // carried labels are part of the truth
  if (!state_->config_is_written) {
    dataset::DatasetConfig config;
    for (const TaughtClass& one : live_classes()) config.classes.push_back({one.name, one.color});
    for (const State::TaughtFrame& taught : state_->frames)
      if (taught.kept.camera) config.frame_cameras.emplace(taught.kept.name, *taught.kept.camera);
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
    State::TaughtFrame& next = state_->frames[*index];
    image::ClassMap classes;
    for (const TaughtClass& one : live_classes()) classes.classes.push_back({one.name, one.color});
    const fs::path file = dataset::truth_file(state_->folder, next.kept.name);
    state_->truth_changes();
    dataset::write_png(file, dataset::colorize_labels(taught_labels(*index), classes));
    const std::vector<std::uint8_t> bytes = read_file(file);
    next.truth_checksum = checksum(bytes.data(), bytes.size());
    next.written_colors = state_->colors_version;
    return true;
  }
  state_->note_truth();
  return false;
}

void Project::State::truth_changes() {
  journal->check_named();
  if (!std::exchange(note_is_gone, true)) dataset::forget_truth(folder);
  noted_bytes.reset();
}

void Project::State::note_truth() {
  if (noted_bytes == journal->size_bytes()) return;
  journal->check_named();
  dataset::TruthNote note = {journal->size_bytes(), journal->last_checksum()};
  for (const TaughtFrame& taught : frames) note.pictures.emplace_back(taught.kept.name, taught.truth_checksum);
  sync_folder(folder);  // a note that survives its subject would validate outdated truth
  dataset::note_truth(folder, note);
  note_is_gone = false;
  noted_bytes = note.journal_bytes;
}

std::optional<std::size_t> Project::next_written_frame() const {
  if ((is_carrying() && !state_->carried_is_current) || !state_->config_is_written) return std::nullopt;
  const auto next =
      std::ranges::find_if(state_->frames, [this](const auto& taught) { return !state_->is_written(taught); });
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
