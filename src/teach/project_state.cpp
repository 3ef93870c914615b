// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/project_state.h"

#include <algorithm>

#include "dataset/taught_truth.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/core/utf8.h"

namespace fernwood::teach {

namespace fs = std::filesystem;

namespace {

constexpr const char* kJournalTitle = "fernwood strokes 1";
constexpr std::size_t kMostLiveClasses = 1000;
/// Frames that are kept painted: 20 MB of 640 x 480.
constexpr std::size_t kMostShown = 32;

bool is_file_name(const std::string& name) {
  const auto is_plain = [](char c) { return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.'; };
  return !name.empty() && name.size() <= kMostNameBytes && name[0] != '.' && std::ranges::all_of(name, is_plain);
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
}

void Project::State::replay(const std::string& text, std::size_t line) {
  const std::string place = (folder / dataset::kStrokesFile).string() + ": line " + std::to_string(line);
  Event event = parse_event(text, place);
  try {
    std::visit([this](const auto& what) { check(what); }, event);
  } catch (const Error& error) {
    throw Error(ErrorKind::kData, place + ": contradicts the lines before it: " + error.what());
  }
  do_checked(std::move(event));
}

void Project::State::do_checked(Event event) {
  ++version;
  if (!std::holds_alternative<FrameDone>(event) && !std::holds_alternative<ClassLocked>(event))
    labels_version = version;
  std::visit([this](auto& what) { apply(std::move(what)); }, event);
}

void Project::State::commit(Event event) {
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

bool Project::State::counts(const Stroke& stroke) const {
  const auto is_gone = [this](std::uint16_t number) { return is_deleted(number); };
  if (!any_deleted()) return true;
  if (stroke.tool == Tool::kLabels) return !std::ranges::all_of(stroke.run_classes, is_gone);
  return stroke.gives == kErases || !is_gone(stroke.gives);
}

void Project::State::paint_counting(const Stroke& stroke, image::LabelImage& labels) const {
  if (!counts(stroke)) return;
  if (stroke.tool != Tool::kLabels || !any_deleted()) return paint(stroke, labels);
  Stroke left = stroke;
  left.runs.clear();
  left.run_classes.clear();
  for (std::size_t i = 0; i < stroke.runs.size(); ++i)
    if (!is_deleted(stroke.run_classes[i])) {
      left.runs.push_back(stroke.runs[i]);
      left.run_classes.push_back(stroke.run_classes[i]);
    }
  paint(left, labels);
}

std::uint16_t Project::State::final_number(std::uint16_t number) const {
  while (classes[number].merged_into) number = *classes[number].merged_into;
  return number;
}

void Project::State::check(const FrameKept& kept) const {
  FW_CHECK(is_file_name(kept.name), Usage,
           "a frame's name is \"" << printable(kept.name)
                                  << "\"; give letters, digits, \"_\", \"-\" and \".\", at most " << kMostNameBytes);
  for (const TaughtFrame& other : frames)
    FW_CHECK(other.kept.name != kept.name, Usage, "there is a frame " << kept.name << " already; give another name");
  FW_CHECK(kept.rows > 0 && kept.cols > 0, Usage, "frame " << kept.name << " has no pixel; give colour or depth");
  FW_CHECK(image::is_direction(kept.up), Usage, "up of frame " << kept.name << " is no direction; give one");
  const std::string problem = kept.camera ? image::problem_of(*kept.camera) : "";
  FW_CHECK(problem.empty(), Usage, "frame " << kept.name << ": the camera's " << problem);
  if (frames.empty()) return;
  const FrameKept& first = frames[0].kept;
  FW_CHECK(first.has_color == kept.has_color && first.has_depth == kept.has_depth, Usage,
           "frame " << kept.name << " has " << (kept.has_color ? "" : "no ") << "colour and "
                    << (kept.has_depth ? "" : "no ") << "depth, unlike the first; frames of a project have the same");
}

void Project::State::check(const ClassNamed& named) const {
  FW_CHECK(named.number <= classes.size(), Usage,
           "there is no class " << named.number << "; the next new one is " << classes.size());
  if (named.number < classes.size()) live(named.number);
  FW_CHECK(!named.name.empty() && named.name.size() <= kMostNameBytes && printable(named.name) == named.name &&
               named.name.find_first_of("\n\t") == std::string::npos,
           Usage,
           "a class's name is \"" << printable(named.name) << "\"; give 1 to " << kMostNameBytes
                                  << " bytes without control characters");
  FW_CHECK(is_utf8(named.name), Usage, "a class's name is no UTF-8; give it in that");
  FW_CHECK(named.color != image::Rgb{}, Usage, "class " << named.name << " is black, which means void; give a colour");
  check_free(named.number, named.name, named.color);
}

void Project::State::check_free(std::uint16_t number, const std::string& name, image::Rgb color) const {
  std::size_t num_live = 0;
  for (const TaughtClass& other : classes) {
    if (!other.is_live() || other.number == number) continue;
    ++num_live;
    FW_CHECK(other.name != name, Usage, "there is a class " << name << " already; give another name");
    FW_CHECK(other.color != color, Usage,
             "class " << other.name << " has that colour already; give " << name << " another");
  }
  FW_CHECK(num_live < kMostLiveClasses, Usage, "there are " << num_live << " classes; merge some first");
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
  if (drawn.stroke.gives != kErases) live(drawn.stroke.gives);
  for (const std::uint16_t number : drawn.stroke.run_classes) live(number);
  for (const std::uint16_t number : drawn.stroke.spares)
    FW_CHECK(number < classes.size(), Usage, "there is no class " << number << " to be spared");
  drawn.stroke.check(kept.rows, kept.cols);
}

void Project::State::check(const StrokeUndone& undone) const {
  const auto known = frame_of_stroke.find(undone.number);
  FW_CHECK(known != frame_of_stroke.end(), Usage, "there is no stroke " << undone.number);
  const TaughtFrame& changed = frames[known->second];
  if (undone.is_redone)
    FW_CHECK(std::ranges::find(changed.undone, undone.number, &NumberedStroke::number) != changed.undone.end(), Usage,
             "stroke " << undone.number << " was not taken back, or was drawn over since");
  else
    FW_CHECK(std::ranges::find(changed.strokes, undone.number, &NumberedStroke::number) != changed.strokes.end(), Usage,
             "stroke " << undone.number << " is taken back already");
}

void Project::State::apply(ClassNamed named) {
  if (named.number == classes.size()) classes.emplace_back().number = named.number;
  classes[named.number].name = std::move(named.name);
  const bool is_recolored = classes[named.number].color != named.color;
  classes[named.number].color = named.color;
  classes_changed(named.number, named.said, is_recolored);
}

void Project::State::classes_changed(std::uint16_t number, const std::string& said, bool truth_too) {
  if (truth_too)
    for (TaughtFrame& changed : frames) changed.is_written = false;
  config_is_written = false;
  if (!said.empty()) class_of_said[said] = number;
}

void Project::State::apply(const ClassMerged& merged) {
  classes[merged.number].merged_into = merged.into;
  classes_changed(merged.number, merged.said);
}

void Project::State::apply(const ClassDeleted& deleted) {
  classes[deleted.number].is_deleted = true;
  shown.clear();
  shown_order.clear();
  classes_changed(deleted.number, deleted.said);
}

void Project::State::apply(const ClassRestored& restored) {
  classes[restored.number].merged_into.reset();
  classes[restored.number].is_deleted = false;
  shown.clear();
  shown_order.clear();
  classes_changed(restored.number, restored.said);
}

void Project::State::apply(StrokeDrawn drawn) {
  TaughtFrame& changed = frames[drawn.frame];
  if (const auto painted = shown.find(drawn.frame); painted != shown.end())
    paint_counting(drawn.stroke, painted->second);
  if (!drawn.said.empty()) stroke_of_said[drawn.said] = drawn.number;
  frame_of_stroke[drawn.number] = drawn.frame;
  changed.strokes.push_back({drawn.number, std::move(drawn.stroke)});
  changed.undone.clear();
  changed.is_written = false;
}

void Project::State::apply(const StrokeUndone& undone) {
  const std::size_t index = frame_of_stroke.at(undone.number);
  TaughtFrame& changed = frames[index];
  if (undone.is_redone) {
    const auto found = std::ranges::find(changed.undone, undone.number, &NumberedStroke::number);
    const auto place = std::ranges::lower_bound(changed.strokes, undone.number, {}, &NumberedStroke::number);
    changed.strokes.insert(place, std::move(*found));
    changed.undone.erase(found);
  } else {
    const auto found = std::ranges::find(changed.strokes, undone.number, &NumberedStroke::number);
    changed.undone.push_back(std::move(*found));
    changed.strokes.erase(found);
  }
  changed.is_written = false;
  shown.erase(index);
  std::erase(shown_order, index);
  if (!undone.said.empty()) stroke_of_said[undone.said] = undone.number;
}

const image::LabelImage& Project::State::numbers(std::size_t index) const {
  const TaughtFrame& asked = frame(index);
  if (const auto painted = shown.find(index); painted != shown.end()) return painted->second;
  if (shown.size() >= kMostShown) {
    shown.erase(shown_order.front());
    shown_order.pop_front();
  }
  image::LabelImage numbers(asked.kept.rows, asked.kept.cols, kErases);
  for (const NumberedStroke& drawn : asked.strokes) paint_counting(drawn.stroke, numbers);
  shown_order.push_back(index);
  return shown[index] = std::move(numbers);
}

}  // namespace fernwood::teach
