// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/project.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <deque>
#include <map>
#include <unordered_map>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/frame_source.h"
#include "fernwood/dataset/image_io.h"
#include "teach/events.h"
#include "teach/journal.h"

namespace fernwood::teach {

namespace fs = std::filesystem;

namespace {

constexpr const char* kJournalTitle = "fernwood strokes 1";
constexpr std::size_t kMostNameBytes = 200, kMostLiveClasses = 1000;
/// Frames that are kept painted: 20 MB of 640 x 480.
constexpr std::size_t kMostShown = 32;

bool is_file_name(const std::string& name) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.'; };
  return !name.empty() && name.size() <= kMostNameBytes && name[0] != '.' && std::ranges::all_of(name, is_plain);
}

/// For dataset.toml; class names have no control characters.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::string frame_name_like(const std::string& name, const std::function<bool(const std::string&)>& is_taken) {
  std::string plain = name.substr(0, kMostNameBytes / 2);
  for (char& c : plain)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '_';
  if (plain.empty()) plain = "frame";
  std::string free = plain;
  for (int again = 2; is_taken(free); ++again) free = plain + "_" + std::to_string(again);
  return free;
}

struct Project::State {
  struct TakenBack {
    NumberedStroke stroke;
    std::size_t place = 0;  // among the frame's
  };
  struct TaughtFrame {
    FrameKept kept;
    std::vector<NumberedStroke> strokes;  // in the order drawn
    std::vector<TakenBack> undone;        // the last at the end
    bool is_written = false;              // its truth, as it is now
  };

  explicit State(const fs::path& place);

  // What may be done: throws Error(kUsage), and changes nothing.
  void check(const FrameKept& kept) const;
  void check(const ClassNamed& named) const;
  void check(const ClassLocked& lock) const { live(lock.number); }
  void check(const ClassMerged& merged) const;
  void check(const StrokeDrawn& drawn) const;
  void check(const StrokeUndone& undone) const;

  // What was written down; check() has passed it.
  void apply(FrameKept kept) { frames.push_back({std::move(kept), {}, {}, false}); }
  void apply(ClassNamed named);
  void apply(const ClassLocked& lock) { classes[lock.number].is_locked = lock.is_locked; }
  void apply(const ClassMerged& merged);
  void apply(StrokeDrawn drawn);
  void apply(const StrokeUndone& undone);

  /// Checks, writes down and does.
  void commit(Event event);
  void replay(const std::string& text, std::size_t line);

  const TaughtFrame& frame(std::size_t index) const;
  const TaughtClass& live(std::uint16_t number) const;
  std::uint16_t final_number(std::uint16_t number) const;
  const image::LabelImage& numbers(std::size_t index) const;
  std::uint64_t next_stroke() const { return frame_of_stroke.empty() ? 1 : frame_of_stroke.rbegin()->first + 1; }

  fs::path folder;
  std::vector<TaughtFrame> frames;
  std::vector<TaughtClass> classes;
  std::map<std::uint64_t, std::size_t> frame_of_stroke;
  std::unordered_map<std::string, std::uint64_t> stroke_of_said;
  std::uint64_t version = 0;
  bool config_is_written = false;
  // Frames that were asked for last, as class numbers, so that a stroke paints itself and not all before it.
  mutable std::map<std::size_t, image::LabelImage> shown;
  mutable std::deque<std::size_t> shown_order;  // the one that gives way first in front
  std::unique_ptr<Journal> journal;             // last: its replay fills the others
};

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
  std::visit([this](auto& what) { apply(std::move(what)); }, event);
  ++version;
}

void Project::State::commit(Event event) {
  std::visit([this](const auto& what) { check(what); }, event);
  journal->append(to_text(event));
  std::visit([this](auto& what) { apply(std::move(what)); }, event);
  ++version;
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

Project::Project(const fs::path& folder) : state_(std::make_unique<State>(folder)) {}
Project::~Project() = default;

const fs::path& Project::folder() const { return state_->folder; }
std::uint64_t Project::version() const { return state_->version; }
std::size_t Project::torn_bytes() const { return state_->journal->torn_bytes(); }
std::size_t Project::num_frames() const { return state_->frames.size(); }
const std::string& Project::frame_name(std::size_t frame) const { return state_->frame(frame).kept.name; }
std::size_t Project::num_strokes(std::size_t frame) const { return state_->frame(frame).strokes.size(); }
const std::vector<NumberedStroke>& Project::strokes(std::size_t frame) const { return state_->frame(frame).strokes; }
const std::vector<TaughtClass>& Project::classes() const { return state_->classes; }

std::vector<TaughtClass> Project::live_classes() const {
  std::vector<TaughtClass> live;
  std::ranges::copy_if(state_->classes, std::back_inserter(live), [](const auto& one) { return !one.merged_into; });
  return live;
}

std::size_t Project::add_frame(const std::string& name, const image::Frame& frame) {
  const FrameKept kept = {name,     frame.rows(), frame.cols(), !frame.color.empty(), !frame.depth_mm.empty(),
                          frame.up, frame.camera};
  state_->check(kept);
  dataset::write_frame(state_->folder, name, frame);
  state_->commit(kept);  // when its files are whole
  return num_frames() - 1;
}

std::function<image::Frame()> Project::frame_reader(std::size_t frame) const {
  return [kept = state_->frame(frame).kept, folder = state_->folder] {
    const std::string stem = (folder / kept.name).string();
    image::Frame read;
    if (kept.has_color) read.color = dataset::read_color(stem + "_colors.png");
    if (kept.has_depth) read.depth_mm = dataset::read_depth(stem + "_depth.png");
    read.camera = kept.camera;
    read.up = kept.up;
    FW_CHECK(read.rows() == kept.rows && read.cols() == kept.cols, Data,
             stem << ": has " << read.cols() << " x " << read.rows() << " pixels, and had " << kept.cols << " x "
                  << kept.rows << " when it was kept; put the old file back");
    return read;
  };
}

std::uint16_t Project::add_class(const std::string& name, image::Rgb color) {
  const auto number = static_cast<std::uint16_t>(state_->classes.size());
  state_->commit(ClassNamed{number, name, color});
  return number;
}

void Project::change_class(std::uint16_t number, const std::string& name, image::Rgb color) {
  state_->live(number);
  state_->commit(ClassNamed{number, name, color});
}

void Project::lock_class(std::uint16_t number, bool locked) { state_->commit(ClassLocked{number, locked}); }

void Project::merge_class(std::uint16_t number, std::uint16_t into) { state_->commit(ClassMerged{number, into}); }

std::uint64_t Project::add_stroke(std::size_t frame, Stroke stroke, const std::string& said) {
  stroke.spares.clear();
  for (const TaughtClass& one : state_->classes) {
    const TaughtClass& shown_as = state_->classes[state_->final_number(one.number)];
    if (shown_as.is_locked && shown_as.number != stroke.gives) stroke.spares.push_back(one.number);
  }
  const std::uint64_t number = state_->next_stroke();
  state_->commit(StrokeDrawn{number, frame, std::move(stroke), said});
  return number;
}

std::optional<std::uint64_t> Project::undo(std::size_t frame, std::optional<std::uint64_t> stroke,
                                           const std::string& said) {
  const auto& strokes = state_->frame(frame).strokes;
  if (strokes.empty()) return std::nullopt;
  const std::uint64_t number = stroke.value_or(strokes.back().number);
  const auto known = state_->frame_of_stroke.find(number);
  FW_CHECK(known == state_->frame_of_stroke.end() || known->second == frame, Usage,
           "stroke " << number << " is of frame " << known->second << ", not of " << frame);
  state_->commit(StrokeUndone{number, false, said});
  return number;
}

std::optional<std::uint64_t> Project::redo(std::size_t frame, const std::string& said) {
  const auto& undone = state_->frame(frame).undone;
  if (undone.empty()) return std::nullopt;
  const std::uint64_t number = undone.back().stroke.number;
  state_->commit(StrokeUndone{number, true, said});
  return number;
}

std::optional<std::uint64_t> Project::was_said(const std::string& said) const {
  const auto known = state_->stroke_of_said.find(said);
  return known == state_->stroke_of_said.end() ? std::nullopt : std::optional(known->second);
}

image::LabelImage Project::labels(std::size_t frame) const {
  std::vector<std::uint16_t> live_index(state_->classes.size());
  std::uint16_t next = 0;
  for (const TaughtClass& one : state_->classes)
    if (!one.merged_into) live_index[one.number] = next++;
  image::LabelImage labels = state_->numbers(frame);
  for (std::uint16_t& label : labels)
    if (label != kErases) label = live_index[state_->final_number(label)];
  return labels;
}

void Project::write_truth() {
  if (!state_->config_is_written) {
    write_file_atomically(state_->folder / "dataset.toml", [&](std::ostream& file) {
      for (const State::TaughtFrame& taught : state_->frames)
        if (taught.kept.camera) {
          file << "camera = " << image::to_string(*taught.kept.camera) << "\n";
          break;
        }
      for (const TaughtClass& one : live_classes())
        file << "\n[[classes]]\nname = " << quoted(one.name) << "\ncolor = [" << int{one.color.r} << ", "
             << int{one.color.g} << ", " << int{one.color.b} << "]\n";
    });
    state_->config_is_written = true;
  }
  image::ClassMap classes;
  for (const TaughtClass& one : live_classes()) classes.classes.push_back({one.name, one.color});
  for (std::size_t index = 0; index < num_frames(); ++index) {
    State::TaughtFrame& taught = state_->frames[index];
    if (taught.is_written) continue;
    dataset::write_png((state_->folder / taught.kept.name).string() + "_ground_truth.png",
                       dataset::colorize_labels(labels(index), classes));
    taught.is_written = true;
  }
}

}  // namespace fernwood::teach
