// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/project.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dataset/files/image_file.h"
#include "dataset/frame_file_names.h"
#include "dataset/taught_truth.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "teach/project_state.h"
#include "train/grow/level_formulas.h"

namespace fernwood::teach {

namespace fs = std::filesystem;

namespace {

static_assert(kMaxTaughtClasses == train::kMaxPairedClasses);

constexpr const char* kJournalTitle = "fernwood strokes 1";
/// Number of painted frames that are cached: 20 MB at 640 x 480.
constexpr std::size_t kMaxShown = 32;
constexpr std::size_t kMaxShownPixels = 32 * 640 * 480;

std::uint32_t key_of(image::Rgb color) {
  return std::uint32_t{color.r} << 16 | std::uint32_t{color.g} << 8 | std::uint32_t{color.b};
}

/// @throws Error(kData) unless a file named by a journal is a regular file.
void check_is_file(const fs::path& path, const std::string& place) {
  std::error_code unreadable;
  FW_CHECK(fs::is_regular_file(path, unreadable), Data,
           place << " tells of " << path.string() << ", which is not a file; put it back");
}

void check_truth_is_replaceable(const fs::path& folder, const std::string& frame) {
  check_replaceable(dataset::truth_file(folder, frame), NamedBy::kFernwood);
  check_replaceable(dataset::instances_file(folder, frame), NamedBy::kFernwood);
}

/// A journal may declare any size: memory is allocated only for the size of images that exist. Ground truth that could
/// not be written would end teaching later.
void check_pictures(const fs::path& folder, const FrameKept& kept, const std::string& place) {
  for (const auto& [is_there, suffix] :
       {std::pair(kept.has_color, "_colors.png"), std::pair(kept.has_depth, "_depth.png")}) {
    if (!is_there) continue;
    const fs::path path = folder / (kept.name + suffix);
    check_is_file(path, place);
    const dataset::ImageHeader header = dataset::read_image_header(path);
    FW_CHECK(header.height == kept.rows && header.width == kept.cols, Data,
             place << " says that " << path.string() << " has " << kept.cols << " x " << kept.rows << " pixels, it has "
                   << header.width << " x " << header.height << "; put the old file back");
    FW_CHECK(!header.is_png || dataset::can_hold(header, fs::file_size(path)), Data,
             path.string() << " cannot hold the " << header.width << " x " << header.height
                           << " pixels that it claims; put the old file back");
  }
  if (kept.num_maps > 0) check_is_file(folder / (kept.name + "_maps.npy"), place);
  check_truth_is_replaceable(folder, kept.name);
}

bool is_eraser(const DrawnStroke& stroke) { return stroke.classes.empty() && stroke.tool != Tool::kCut; }

void check_unlocked(const TaughtClass& one) {
  FW_CHECK(!one.is_locked, Usage, "class " << one.name << " is locked; unlock it first");
}

std::function<image::Frame()> reader_of(const fs::path& folder, FrameKept of) {
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
             stem << " has " << read.cols() << " x " << read.rows() << " pixels, and had " << kept.cols << " x "
                  << kept.rows << " when it was kept; put the old file back");
    FW_CHECK(read.maps.num_maps == kept.num_maps, Data,
             stem << "_maps.npy has " << read.maps.num_maps << " feature maps, and had " << kept.num_maps
                  << " when the frame was kept; put the old file back");
    return read;
  };
}

}  // namespace

ProjectState::ProjectState(const fs::path& place) : folder(place) {
  make_folder(folder);
  const fs::path path = folder / dataset::kStrokesFile;
  std::error_code unreadable;
  FW_CHECK(
      fs::exists(path, unreadable) || fs::is_empty(folder, unreadable), Data,
      folder.string() << " holds files, but no strokes.journal; choose a new folder, or one that was taught before");
  journal = std::make_unique<Journal>(path, kJournalTitle,
                                      [this](const std::string& text, std::size_t line) { replay(text, line); });
  for (const char* name : {"dataset.toml", "poses.txt", dataset::kTruthNoteFile})
    check_replaceable(folder / name, NamedBy::kFernwood);
}

void ProjectState::replay(const std::string& text, std::size_t line) {
  const std::string place = (folder / dataset::kStrokesFile).string() + ": line " + std::to_string(line);
  Event event = parse_event(text, place);
  try {
    check(event, *this);
  } catch (const Error& error) {
    throw Error(ErrorKind::kData, place + ": contradicts the lines before it: " + error.what());
  }
  if (const auto* kept = std::get_if<FrameKept>(&event)) check_pictures(folder, *kept, place);
  apply(std::move(event), *this);
}

ProjectChange ProjectState::record(Event event) {
  check(event, *this);
  journal->append(to_text(event));
  return apply(std::move(event), *this);
}

void ProjectState::commit(Event event) {
  const ProjectChange change = record(std::move(event));
  if (changed) changed(change);
}

const FrameState& ProjectState::frame(std::size_t index) const {
  FW_CHECK(index < frames.size(), Usage,
           "there is no frame " << index << "; the project has " << frames.size() << ", counted from 0");
  return frames[index];
}

const FrameState& ProjectState::frame_of(std::uint64_t stroke) const {
  const auto known = frame_of_stroke.find(stroke);
  FW_CHECK(known != frame_of_stroke.end(), Usage, "there is no stroke " << stroke);
  return frames[known->second];
}

const TaughtClass& ProjectState::known(std::uint16_t number) const {
  FW_CHECK(number < classes.size(), Usage,
           "there is no class " << number << "; the project has " << classes.size() << ", counted from 0");
  return classes[number];
}

const TaughtClass& ProjectState::live(std::uint16_t number) const {
  const TaughtClass& one = known(number);
  FW_CHECK(!one.merged_into, Usage,
           "class " << number << " (" << one.name << ") was merged into another; take that, or restore it");
  FW_CHECK(!one.is_deleted, Usage,
           "class " << number << " (" << one.name << ") was deleted; take another, or restore it");
  return one;
}

DeletedClasses ProjectState::deleted() const {
  if (num_deleted == 0 || known_deleted) return known_deleted;
  std::vector<bool> are_deleted(classes.size());
  for (const TaughtClass& one : classes) are_deleted[one.number] = classes[final_number(one.number)].is_deleted;
  return known_deleted = std::make_shared<const std::vector<bool>>(std::move(are_deleted));
}

std::uint16_t ProjectState::final_number(std::uint16_t number) const {
  if (final_numbers.empty()) {
    final_numbers.resize(classes.size(), kErase);
    for (const TaughtClass& one : classes) {
      std::uint16_t last = one.number;
      while (final_numbers[last] == kErase && classes[last].merged_into) last = *classes[last].merged_into;
      if (final_numbers[last] != kErase) last = final_numbers[last];
      // All classes on the path are resolved, so that a chain of a thousand is traversed once.
      for (std::uint16_t way = one.number; final_numbers[way] == kErase;) {
        final_numbers[way] = last;
        if (classes[way].merged_into) way = *classes[way].merged_into;
      }
    }
  }
  return final_numbers[number];
}

void ProjectState::check_free(std::uint16_t number, const std::string& name, image::Rgb color) const {
  const auto same_name = class_of_name.find(name);
  FW_CHECK(same_name == class_of_name.end() || same_name->second == number, Usage,
           "there is a class " << name << " already; use another name");
  const auto same_color = class_of_color.find(key_of(color));
  FW_CHECK(same_color == class_of_color.end() || same_color->second == number, Usage,
           "class " << classes[same_color->second].name << " has that colour already; use " << name << " another");
}

void ProjectState::check_one_more_class() const {
  FW_CHECK(class_of_name.size() < kMaxTaughtClasses, Usage,
           "there are " << class_of_name.size() << " classes, and " << kMaxTaughtClasses
                        << " can be learnt; merge or delete some first");
}

void ProjectState::hide(const TaughtClass& one) {
  class_of_name.erase(one.name);
  class_of_color.erase(key_of(one.color));
}

void ProjectState::show(const TaughtClass& one) {
  class_of_name[one.name] = one.number;
  class_of_color[key_of(one.color)] = one.number;
}

ProjectChange ProjectState::classes_changed(ProjectChange::What what) {
  config_is_written = false;
  final_numbers.clear();
  known_deleted.reset();
  return {what};
}

ProjectChange ProjectState::meaning_changed() {
  classes_version = version;
  ++colors_version;
  return classes_changed(ProjectChange::What::kClasses);
}

void ProjectState::strokes_changed(FrameState& frame) const {
  frame.num_counting.reset();
  frame.written_colors.reset();
  frame.strokes_version = version;
}

void ProjectState::forget_painting(FrameState& frame) const {
  std::erase(shown, frame.painting.lock());
  frame.painting.reset();
}

void ProjectState::forget_paintings() {
  shown.clear();
  for (FrameState& one : frames) {
    one.painting.reset();
    one.num_counting.reset();
  }
}

std::shared_ptr<Painting> ProjectState::painting(std::size_t index) const {
  const FrameState& asked = frame(index);
  if (auto known = asked.painting.lock()) return known;
  std::size_t num_pixels = asked.rows * asked.cols;
  for (const auto& painting : shown) num_pixels += painting->num_pixels();
  while (!shown.empty() && (shown.size() >= kMaxShown || num_pixels > kMaxShownPixels)) {
    num_pixels -= shown.front()->num_pixels();
    shown.pop_front();
  }
  const auto painting = std::make_shared<Painting>(asked.rows, asked.cols, deleted());
  for (const auto& drawn : asked.strokes) painting->add(drawn.second);
  asked.painting = painting;
  shown.push_back(painting);
  return painting;
}

std::vector<std::uint16_t> ProjectState::live_indices() const {
  std::vector<std::uint16_t> index(classes.size(), image::kVoid);
  std::uint16_t next = 0;
  for (const TaughtClass& one : classes)
    if (one.is_live()) index[one.number] = next++;
  std::vector<std::uint16_t> of_all(classes.size());
  for (const TaughtClass& one : classes) of_all[one.number] = index[final_number(one.number)];
  return of_all;
}

Project::Project(const fs::path& folder) : state_(std::make_unique<ProjectState>(folder)) {}
Project::~Project() = default;

void Project::follow(std::function<void(const ProjectChange&)> changed) { state_->changed = std::move(changed); }

const fs::path& Project::folder() const { return state_->folder; }
std::uint64_t Project::version() const { return state_->version; }
std::uint64_t Project::labels_version() const { return state_->labels_version; }
std::size_t Project::torn_bytes() const { return state_->journal->torn_bytes(); }
bool Project::has_frame(const std::string& name) const { return state_->frame_names.contains(name); }
std::size_t Project::num_frames() const { return state_->frames.size(); }
const TaughtFrame& Project::frame(std::size_t frame) const { return state_->frame(frame); }
bool Project::counts(const DrawnStroke& stroke) const { return teach::counts(stroke, state_->deleted()); }
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
  const FrameState& asked = state_->frame(frame);
  if (!state_->deleted()) return asked.strokes.size();
  if (!asked.num_counting)
    asked.num_counting = static_cast<std::size_t>(
        std::ranges::count_if(asked.strokes, [this](const auto& drawn) { return counts(*drawn.second); }));
  return *asked.num_counting;
}

std::vector<image::ClassInfo> Project::class_infos() const {
  std::vector<image::ClassInfo> infos;
  for (const TaughtClass& one : live_classes()) infos.push_back({one.name, one.color});
  return infos;
}

std::vector<std::uint16_t> Project::class_numbers() const {
  std::vector<std::uint16_t> numbers;
  for (const TaughtClass& one : live_classes()) numbers.push_back(one.number);
  return numbers;
}

std::vector<std::uint16_t> Project::live_indices() const { return state_->live_indices(); }

std::size_t Project::add_frame(const std::string& name, const image::Frame& frame,
                               const std::optional<dataset::FramePose>& pose) {
  const FrameKept kept = {name,     frame.rows(), frame.cols(),       !frame.color.empty(), !frame.depth_mm.empty(),
                          frame.up, frame.camera, frame.maps.num_maps};
  check(kept, *state_);
  state_->journal->check_named();
  check_truth_is_replaceable(state_->folder, name);
  dataset::write_frame(state_->folder, name, frame);
  sync_folder(state_->folder);
  if (pose) {
    state_->record(kept);  // only after its files are complete and synced
    state_->commit(FramePosed{num_frames() - 1, pose->room, pose->pose});
  } else {
    state_->commit(kept);
  }
  return num_frames() - 1;
}

std::function<image::Frame()> Project::frame_reader(std::size_t frame) const {
  return reader_of(state_->folder, state_->frame(frame));
}

std::function<image::Frame()> Project::depth_reader(std::size_t frame) const {
  FrameKept depth = state_->frame(frame);
  depth.has_color = false;
  depth.num_maps = 0;
  return reader_of(state_->folder, std::move(depth));
}

void Project::mark_done(std::size_t frame, bool is_done) {
  if (state_->frame(frame).is_done != is_done) state_->commit(FrameDone{frame, is_done});
}

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
    if (stroke.tool == Tool::kCut) break;
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
  state_->commit(StrokeUndone{number, request_id});
  return number;
}

std::optional<std::uint64_t> Project::redo(std::size_t frame, const std::string& request_id) {
  std::optional<std::uint64_t> number;
  const FrameState& taught = state_->frame(frame);
  for (auto one = taught.undone_order.rbegin(); one != taught.undone_order.rend() && !number; ++one)
    if (counts(*taught.undone.at(one->second).stroke)) number = one->second;
  if (number) state_->commit(StrokeRedone{*number, request_id});
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

void Project::set_pose(std::size_t frame, const dataset::FramePose& pose) {
  if (state_->frame(frame).pose != pose) state_->commit(FramePosed{frame, pose.room, pose.pose});
}

bool Project::has_poses() const { return state_->num_poses > 0; }
bool Project::has_depth() const { return !state_->frames.empty() && state_->frames[0].has_depth; }

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

void Project::smooth(bool is_smooth) {
  if (state_->is_smooth != is_smooth) state_->commit(LabelsSmoothed{is_smooth});
}

bool Project::is_smooth() const { return state_->is_smooth; }

std::uint64_t Project::strokes_version(std::size_t frame) const {
  return std::max(state_->frame(frame).strokes_version, state_->classes_version);
}

bool Project::has_instances(std::size_t frame) const {
  const FrameState& asked = state_->frame(frame);
  return asked.has_depth && (asked.is_done || std::ranges::any_of(asked.strokes, [](const auto& drawn) {
                               return drawn.second->tool == Tool::kCut;
                             }));
}

std::function<Array2<std::uint8_t>()> Project::cuts_reader(std::size_t frame) const {
  const FrameState& asked = state_->frame(frame);
  std::vector<std::shared_ptr<const DrawnStroke>> strokes;  // from the first cut on, with erasers
  for (const auto& [number, stroke] : asked.strokes)
    if (stroke->tool == Tool::kCut || (is_eraser(*stroke) && !strokes.empty())) strokes.push_back(stroke);
  return [rows = asked.rows, cols = asked.cols, strokes = std::move(strokes)] {
    if (strokes.empty()) return Array2<std::uint8_t>();
    image::LabelImage drawn(rows, cols, kErase);
    for (const auto& stroke : strokes) {
      Stroke mark = *stroke;
      mark.class_id = is_eraser(*stroke) ? kErase : 0;
      if (mark.tool == Tool::kCut) mark.tool = Tool::kBrush;
      mark.protected_classes.clear();
      paint(mark, drawn);
    }
    Array2<std::uint8_t> cuts(rows, cols);
    std::ranges::transform(drawn, cuts.begin(), [](std::uint16_t mark) { return std::uint8_t{mark != kErase}; });
    return cuts;
  };
}

std::function<image::LabelImage()> Project::erased_reader(std::size_t frame) const {
  const FrameState& asked = state_->frame(frame);
  const auto blank = [rows = asked.rows, cols = asked.cols] { return image::LabelImage(rows, cols, image::kVoid); };
  if (std::ranges::none_of(asked.strokes, [&](const auto& drawn) { return is_eraser(*drawn.second); })) return blank;
  std::vector<std::shared_ptr<const DrawnStroke>> strokes;
  for (const auto& drawn : asked.strokes)
    if (counts(*drawn.second) && drawn.second->tool != Tool::kCut) strokes.push_back(drawn.second);
  return [blank, strokes = std::move(strokes), painting = state_->painting(frame)] {
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
  FrameState& changed = state_->frames[frame];
  changed.num_carried =
      carried.numbers.size() - static_cast<std::size_t>(std::ranges::count(carried.numbers, image::kVoid));
  changed.carried = changed.num_carried > 0 ? std::make_shared<const PackedLabels>(carried.numbers) : nullptr;
  changed.carried_from = carried.sources;
  changed.written_colors.reset();
}

void Project::set_carried_is_current(bool is_current) { state_->carried_is_current = is_current; }

std::function<image::LabelImage()> Project::carried_reader(std::size_t frame) const {
  const FrameState& asked = state_->frame(frame);
  if (!asked.carried)
    return [rows = asked.rows, cols = asked.cols] { return image::LabelImage(rows, cols, image::kVoid); };
  return [packed = asked.carried, live_index = state_->live_indices()] {
    image::LabelImage labels = packed->unpacked();
    for (std::uint16_t& label : labels)
      if (label != image::kVoid) label = live_index[label];
    return labels;
  };
}

image::LabelImage Project::taught_labels(std::size_t index) const {
  image::LabelImage labels = this->labels(index);
  if (frame(index).num_carried > 0) fill_void(labels, carried_reader(index)());
  return labels;
}

}  // namespace fernwood::teach
