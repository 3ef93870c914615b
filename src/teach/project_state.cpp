// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/project_state.h"

#include <algorithm>
#include <set>
#include <utility>

#include "dataset/files/image_file.h"
#include "dataset/frame_file_names.h"
#include "dataset/taught_truth.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
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
           place << ": tells of " << path.string() << ", which is not a file; put it back");
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
             place << ": says that " << path.string() << " has " << kept.cols << " x " << kept.rows
                   << " pixels, it has " << header.width << " x " << header.height << "; put the old file back");
    FW_CHECK(!header.is_png || dataset::can_hold(header, fs::file_size(path)), Data,
             path.string() << ": cannot hold the " << header.width << " x " << header.height
                           << " pixels that it claims; put the old file back");
  }
  if (kept.num_maps > 0) check_is_file(folder / (kept.name + "_maps.npy"), place);
  check_replaceable(dataset::truth_file(folder, kept.name), NamedBy::kFernwood);
}

DrawnStroke as_drawn(Stroke stroke, const FrameKept& frame) {
  DrawnStroke drawn = {std::move(stroke)};
  drawn.work = work_of(drawn, frame.rows, frame.cols);
  if (drawn.tool == Tool::kLabels) {
    const std::set<std::uint16_t> classes(drawn.run_classes.begin(), drawn.run_classes.end());
    drawn.classes.assign(classes.begin(), classes.end());
  } else if (drawn.class_id != kErase) {
    drawn.classes = {drawn.class_id};
  }
  return drawn;
}

}  // namespace

Project::State::State(const fs::path& place) : folder(place) {
  make_folder(folder);
  const fs::path path = folder / dataset::kStrokesFile;
  std::error_code unreadable;
  FW_CHECK(
      fs::exists(path, unreadable) || fs::is_empty(folder, unreadable), Data,
      folder.string() << ": holds files, but no strokes.journal; name a new folder, or one that was taught before");
  journal = std::make_unique<Journal>(path, kJournalTitle,
                                      [this](const std::string& text, std::size_t line) { replay(text, line); });
  for (const char* name : {"dataset.toml", "poses.txt", dataset::kTruthNoteFile})
    check_replaceable(folder / name, NamedBy::kFernwood);
}

void Project::State::replay(const std::string& text, std::size_t line) {
  const std::string place = (folder / dataset::kStrokesFile).string() + ": line " + std::to_string(line);
  Event event = parse_event(text, place);
  try {
    std::visit([this](const auto& what) { check(what); }, event);
  } catch (const Error& error) {
    throw Error(ErrorKind::kData, place + ": contradicts the lines before it: " + error.what());
  }
  if (const auto* kept = std::get_if<FrameKept>(&event)) check_pictures(folder, *kept, place);
  do_checked(std::move(event));
}

void Project::State::do_checked(Event event) {
  ++version;
  if (!std::holds_alternative<FrameDone>(event) && !std::holds_alternative<ClassLocked>(event)) {
    labels_version = version;
    carried_is_current = false;
  }
  std::visit([this](auto& what) { apply(std::move(what)); }, event);
}

void Project::State::commit(Event event) {
  std::visit(
      [](const auto& what) {
        if constexpr (requires { what.request_id; })
          FW_CHECK(is_request_id(what.request_id), Usage,
                   "a message has the id \"" << what.request_id.substr(0, 80)
                                             << "\"; give letters, digits and \"-\", 64 at most");
      },
      event);
  std::visit([this](const auto& what) { check(what); }, event);
  journal->append(to_text(event));
  do_checked(std::move(event));
}

const Project::State::TaughtFrame& Project::State::frame(std::size_t index) const {
  FW_CHECK(index < frames.size(), Usage,
           "there is no frame " << index << "; the project has " << frames.size() << ", counted from 0");
  return frames[index];
}

const TaughtClass& Project::State::known(std::uint16_t number) const {
  FW_CHECK(number < classes.size(), Usage,
           "there is no class " << number << "; the project has " << classes.size() << ", counted from 0");
  return classes[number];
}

const TaughtClass& Project::State::live(std::uint16_t number) const {
  const TaughtClass& one = known(number);
  FW_CHECK(!one.merged_into, Usage,
           "class " << number << " (" << one.name << ") was merged into another; take that, or restore it");
  FW_CHECK(!one.is_deleted, Usage,
           "class " << number << " (" << one.name << ") was deleted; take another, or restore it");
  return one;
}

DeletedClasses Project::State::deleted() const {
  if (num_deleted == 0 || known_deleted) return known_deleted;
  std::vector<bool> are_deleted(classes.size());
  for (const TaughtClass& one : classes) are_deleted[one.number] = classes[final_number(one.number)].is_deleted;
  return known_deleted = std::make_shared<const std::vector<bool>>(std::move(are_deleted));
}

std::uint16_t Project::State::final_number(std::uint16_t number) const {
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

void Project::State::check(const FrameKept& kept) const {
  FW_CHECK(dataset::is_file_name(kept.name), Usage,
           "a frame's name is \"" << printable(kept.name)
                                  << "\"; give letters, digits, \"_\", \"-\" and \".\", less than " << kMaxNameBytes);
  FW_CHECK(!frame_names.contains(kept.name), Usage, "there is a frame " << kept.name << " already; give another name");
  FW_CHECK(kept.rows > 0 && kept.cols > 0 && (kept.has_color || kept.has_depth), Usage,
           "frame " << kept.name << " has no pixel; give colour or depth");
  FW_CHECK(kept.cols <= kMaxFramePixels && kept.rows <= kMaxFramePixels / kept.cols, Usage,
           "frame " << kept.name << " has " << kept.cols << " x " << kept.rows << " pixels, more than the "
                    << kMaxFramePixels << " that a picture may have; scale it down");
  FW_CHECK(image::is_direction(kept.up), Usage, "up of frame " << kept.name << " is not a direction; give one");
  const std::string problem = kept.camera ? image::problem_of(*kept.camera) : "";
  FW_CHECK(problem.empty(), Usage, "frame " << kept.name << ": the camera's " << problem);
  if (frames.empty()) return;
  const FrameKept& first = frames[0].kept;
  FW_CHECK(first.num_maps == kept.num_maps, Usage,
           "frame " << kept.name << " has " << kept.num_maps << " feature maps, and the first has " << first.num_maps
                    << "; frames of a project have the same");
  FW_CHECK(first.has_color == kept.has_color && first.has_depth == kept.has_depth, Usage,
           "frame " << kept.name << " has " << (kept.has_color ? "" : "no ") << "colour and "
                    << (kept.has_depth ? "" : "no ") << "depth, unlike the first; frames of a project have the same");
}

void Project::State::check(const ClassNamed& named) const {
  FW_CHECK(named.number <= classes.size() && named.number != kErase, Usage,
           "there is no class " << named.number << "; the next new one is " << classes.size());
  if (named.number < classes.size()) live(named.number);
  FW_CHECK(
      !named.name.empty() && named.name.size() <= kMaxNameBytes && printable(named.name) == named.name &&
          named.name.find_first_of("\n\t") == std::string::npos,
      Usage,
      "a class's name is \"" << named.name << "\"; give 1 to " << kMaxNameBytes << " bytes without control characters");
  FW_CHECK(is_utf8(named.name), Usage, "a class's name is not UTF-8; give it in that");
  FW_CHECK(named.color != image::Rgb{}, Usage, "class " << named.name << " is black, which means void; give a colour");
  check_free(named.number, named.name, named.color);
}

void Project::State::check_free(std::uint16_t number, const std::string& name, image::Rgb color) const {
  const auto same_name = class_of_name.find(name);
  FW_CHECK(same_name == class_of_name.end() || same_name->second == number, Usage,
           "there is a class " << name << " already; give another name");
  const auto same_color = class_of_color.find(key_of(color));
  FW_CHECK(same_color == class_of_color.end() || same_color->second == number, Usage,
           "class " << classes[same_color->second].name << " has that colour already; give " << name << " another");
}

void Project::State::check(const ClassRestored& restored) const {
  const TaughtClass& one = known(restored.number);
  FW_CHECK(
      !one.is_live(), Usage,
      "class " << one.number << " (" << one.name << ") was neither merged nor deleted; there is nothing to restore");
  check_free(one.number, one.name, one.color);
}

void Project::State::check(const ClassMerged& merged) const {
  live(merged.number);
  live(merged.into);
  FW_CHECK(merged.number != merged.into, Usage, "class " << merged.number << " cannot be merged into itself");
}

void Project::State::check(const StrokeDrawn& drawn) const {
  const FrameKept& kept = frame(drawn.frame).kept;
  FW_CHECK(drawn.number == next_stroke(), Usage,
           "a stroke has the number " << drawn.number << ", not " << next_stroke());
  if (drawn.stroke.class_id != kErase) live(drawn.stroke.class_id);
  for (const std::uint16_t number : drawn.stroke.run_classes) live(number);
  for (const std::uint16_t number : drawn.stroke.protected_classes)
    FW_CHECK(number < classes.size(), Usage, "class " << number << ", to be protected, does not exist");
  drawn.stroke.check(kept.rows, kept.cols);
  FW_CHECK(
      work_of(drawn.stroke, kept.rows, kept.cols) <= kMaxFrameWork - frame(drawn.frame).work, Usage,
      "the strokes of frame " << kept.name << " take more work than the " << kMaxFrameWork
                              << " pixels that may be painted for a frame; take some back, or draw with fewer points");
}

void Project::State::check(const StrokeUndone& undone) const {
  const auto known = frame_of_stroke.find(undone.number);
  FW_CHECK(known != frame_of_stroke.end(), Usage, "there is no stroke " << undone.number);
  const TaughtFrame& changed = frames[known->second];
  if (undone.is_redone)
    FW_CHECK(changed.undone.contains(undone.number), Usage,
             "stroke " << undone.number << " was not taken back, or was drawn over since");
  else
    FW_CHECK(changed.strokes.contains(undone.number), Usage, "stroke " << undone.number << " is taken back already");
}

void Project::State::apply(FrameKept kept) {
  frame_names.insert(kept.name);
  frames.emplace_back().kept = std::move(kept);
  frames.back().strokes_version = version;
}

void Project::State::apply(ClassNamed named) {
  const bool is_new = named.number == classes.size();
  if (is_new)
    classes.emplace_back().number = named.number;
  else
    hide(classes[named.number]);
  TaughtClass& one = classes[named.number];
  one.name = std::move(named.name);
  const bool is_recolored = one.color != named.color;
  one.color = named.color;
  show(one);
  classes_changed(named.number, named.request_id, is_recolored);
}

void Project::State::check_one_more_class() const {
  FW_CHECK(class_of_name.size() < kMaxTaughtClasses, Usage,
           "there are " << class_of_name.size() << " classes, and " << kMaxTaughtClasses
                        << " can be learnt; merge or delete some first");
}

void Project::State::hide(const TaughtClass& one) {
  class_of_name.erase(one.name);
  class_of_color.erase(key_of(one.color));
}

void Project::State::show(const TaughtClass& one) {
  class_of_name[one.name] = one.number;
  class_of_color[key_of(one.color)] = one.number;
}

void Project::State::classes_changed(std::uint16_t number, const std::string& request_id, bool truth_too) {
  if (truth_too) ++colors_version;
  config_is_written = false;
  final_numbers.clear();
  known_deleted.reset();
  if (!request_id.empty()) class_of_request_id[request_id] = number;
}

void Project::State::apply(const ClassMerged& merged) {
  hide(classes[merged.number]);
  classes[merged.number].merged_into = merged.into;
  classes_version = version;
  classes_changed(merged.number, merged.request_id);
}

void Project::State::apply(const ClassDeleted& deleted) {
  hide(classes[deleted.number]);
  classes[deleted.number].is_deleted = true;
  ++num_deleted;
  forget_paintings();
  classes_version = version;
  classes_changed(deleted.number, deleted.request_id);
}

void Project::State::apply(const ClassRestored& restored) {
  TaughtClass& one = classes[restored.number];
  one.merged_into.reset();
  num_deleted -= std::exchange(one.is_deleted, false);
  show(one);
  forget_paintings();
  classes_version = version;
  classes_changed(restored.number, restored.request_id);
}

void Project::State::apply(StrokeDrawn drawn) {
  TaughtFrame& changed = frames[drawn.frame];
  const auto stroke = std::make_shared<const DrawnStroke>(as_drawn(std::move(drawn.stroke), changed.kept));
  if (const auto painting = changed.painting.lock()) painting->add(stroke);
  if (!drawn.request_id.empty()) stroke_of_request[drawn.request_id] = drawn.number;
  frame_of_stroke[drawn.number] = drawn.frame;
  for (const auto& [number, undone] : changed.undone) changed.work -= undone.stroke->work;
  changed.undone.clear();
  changed.undone_order.clear();
  changed.work += stroke->work;
  changed.strokes.emplace(drawn.number, stroke);
  changed.num_counting.reset();
  changed.written_colors.reset();
  changed.strokes_version = version;
}

void Project::State::apply(const StrokeUndone& undone) {
  const std::size_t index = frame_of_stroke.at(undone.number);
  TaughtFrame& changed = frames[index];
  if (undone.is_redone) {
    const auto found = changed.undone.find(undone.number);
    changed.undone_order.erase(found->second.since);
    changed.strokes.emplace(undone.number, std::move(found->second.stroke));
    changed.undone.erase(found);
  } else {
    const auto found = changed.strokes.find(undone.number);
    changed.undone_order.emplace(version, undone.number);
    changed.undone.emplace(undone.number, UndoneStroke{std::move(found->second), version});
    changed.strokes.erase(found);
  }
  changed.written_colors.reset();
  changed.strokes_version = version;
  changed.num_counting.reset();
  std::erase(shown, changed.painting.lock());
  changed.painting.reset();
  if (!undone.request_id.empty()) stroke_of_request[undone.request_id] = undone.number;
}

void Project::State::forget_paintings() {
  shown.clear();
  for (TaughtFrame& one : frames) {
    one.painting.reset();
    one.num_counting.reset();
  }
}

std::shared_ptr<Painting> Project::State::painting(std::size_t index) const {
  const TaughtFrame& asked = frame(index);
  if (auto known = asked.painting.lock()) return known;
  std::size_t num_pixels = asked.kept.rows * asked.kept.cols;
  for (const auto& painting : shown) num_pixels += painting->num_pixels();
  while (!shown.empty() && (shown.size() >= kMaxShown || num_pixels > kMaxShownPixels)) {
    num_pixels -= shown.front()->num_pixels();
    shown.pop_front();
  }
  const auto painting = std::make_shared<Painting>(asked.kept.rows, asked.kept.cols, deleted());
  for (const auto& drawn : asked.strokes) painting->add(drawn.second);
  asked.painting = painting;
  shown.push_back(painting);
  return painting;
}

}  // namespace fernwood::teach
