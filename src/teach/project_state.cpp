// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/project_state.h"

#include <algorithm>
#include <cctype>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood::teach {

namespace fs = std::filesystem;

namespace {

constexpr const char* kJournalTitle = "fernwood strokes 1";
constexpr std::size_t kMostLiveClasses = 1000;
/// Frames that are kept painted: 20 MB of 640 x 480.
constexpr std::size_t kMostShown = 32;

bool is_file_name(const std::string& name) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.'; };
  return !name.empty() && name.size() <= kMostNameBytes && name[0] != '.' && std::ranges::all_of(name, is_plain);
}

}  // namespace

Project::State::State(const fs::path& place) : folder(place) {
  make_folder(folder);
  const fs::path path = folder / "strokes.journal";
  std::error_code unreadable;
  FW_CHECK(
      fs::exists(path, unreadable) || fs::is_empty(folder, unreadable), Data,
      folder.string() << ": holds files, but no strokes.journal; name a new folder, or one that was taught before");
  journal = std::make_unique<Journal>(path, kJournalTitle,
                                      [this](const std::string& text, std::size_t line) { replay(text, line); });
}

void Project::State::replay(const std::string& text, std::size_t line) {
  const std::string place = (folder / "strokes.journal").string() + ": line " + std::to_string(line);
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

const TaughtClass& Project::State::live(std::uint16_t number) const {
  FW_CHECK(number < classes.size(), Usage,
           "there is no class " << number << "; the project has " << classes.size() << ", counted from 0");
  FW_CHECK(!classes[number].merged_into, Usage,
           "class " << number << " (" << classes[number].name << ") was merged into another; take that");
  return classes[number];
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
  std::size_t num_live = 0;
  for (const TaughtClass& other : classes) {
    if (other.merged_into || other.number == named.number) continue;
    ++num_live;
    FW_CHECK(other.name != named.name, Usage, "there is a class " << named.name << " already; give another name");
    FW_CHECK(other.color != named.color, Usage,
             "class " << other.name << " has that colour already; give " << named.name << " another");
  }
  FW_CHECK(num_live < kMostLiveClasses, Usage, "there are " << num_live << " classes; merge some first");
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
    FW_CHECK(!changed.undone.empty() && changed.undone.back().stroke.number == undone.number, Usage,
             "stroke " << undone.number << " was not taken back last");
  else
    FW_CHECK(std::ranges::find(changed.strokes, undone.number, &NumberedStroke::number) != changed.strokes.end(), Usage,
             "stroke " << undone.number << " is taken back already");
}

void Project::State::apply(ClassNamed named) {
  if (named.number == classes.size()) classes.emplace_back().number = named.number;
  classes[named.number].name = std::move(named.name);
  if (classes[named.number].color != named.color)
    for (TaughtFrame& changed : frames) changed.is_written = false;
  classes[named.number].color = named.color;
  config_is_written = false;
}

void Project::State::apply(const ClassMerged& merged) {
  classes[merged.number].merged_into = merged.into;
  for (TaughtFrame& changed : frames) changed.is_written = false;
  config_is_written = false;
}

void Project::State::apply(StrokeDrawn drawn) {
  TaughtFrame& changed = frames[drawn.frame];
  if (const auto painted = shown.find(drawn.frame); painted != shown.end()) paint(drawn.stroke, painted->second);
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
    TakenBack& last = changed.undone.back();
    changed.strokes.insert(changed.strokes.begin() + static_cast<std::ptrdiff_t>(last.place), std::move(last.stroke));
    changed.undone.pop_back();
  } else {
    const auto found = std::ranges::find(changed.strokes, undone.number, &NumberedStroke::number);
    changed.undone.push_back({std::move(*found), static_cast<std::size_t>(found - changed.strokes.begin())});
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
  for (const NumberedStroke& drawn : asked.strokes) paint(drawn.stroke, numbers);
  shown_order.push_back(index);
  return shown[index] = std::move(numbers);
}

}  // namespace fernwood::teach
