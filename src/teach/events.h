// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Events of strokes.journal: one JSON object for each action of a teacher. They are described in
// docs/reference/teach_project.md.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "core/append_file.h"
#include "core/json_field.h"
#include "fernwood/image/frame.h"
#include "fernwood/teach/project.h"

namespace fernwood::teach {

/// A durable, append-only list of texts: a text for which append() has returned survives a crash at any moment. A line
/// consists of a checksum of the text and of the line before, a space and the text, so that lost, damaged or exchanged
/// lines are detected. Only one process can have it open.
class Journal {
 public:
  /// Opens or creates the file. An incomplete last line is cut off and saved, see AppendFile::cut_off().
  /// @param title   The first line: kind and version of the journal.
  /// @param replay  Called with each text in order, and its line number, from 2.
  /// @throws Error(kData) for another kind of file or a damaged line, Error(kUsage) when another process has it open,
  ///         Error(kRuntime) when it cannot be read or written, and exceptions of `replay`.
  Journal(const std::filesystem::path& path, const std::string& title,
          const std::function<void(const std::string& text, std::size_t line)>& replay);

  /// @param text  Without a line feed. @throws Error(kResource) when the disk is full, Error(kRuntime) when writing
  ///        fails, and when the file was removed or replaced; none of the text is stored then.
  void append(const std::string& text);

  /// To be called before files beside the journal are written, see AppendFile::check_named().
  void check_named() const { file_->check_named(); }

  /// Number of bytes of an incomplete last line that were cut off.
  std::size_t torn_bytes() const { return torn_bytes_; }
  std::uint64_t size_bytes() const { return size_bytes_; }
  /// Checksum of the last line, which depends on all lines before it.
  std::uint64_t last_checksum() const { return last_checksum_; }

 private:
  void write(const std::string& bytes);

  std::filesystem::path path_;
  std::optional<AppendFile> file_;
  std::uint64_t size_bytes_ = 0, last_checksum_ = 0;
  std::size_t torn_bytes_ = 0;
};

/// {"class": 0, "name": "floor", "color": [7, 54, 66]}: a new class, or a changed name or colour.
struct ClassNamed {
  std::uint16_t number = 0;
  std::string name;
  image::Rgb color;
  std::string request_id = {};
};
/// {"lock": 0, "locked": true}
struct ClassLocked {
  std::uint16_t number = 0;
  bool is_locked = false;
};
/// {"merge": 1, "into": 0}
struct ClassMerged {
  std::uint16_t number = 0, into = 0;
  std::string request_id = {};
};
/// {"delete": 1}: strokes of the class, and of those merged into it, no longer count.
struct ClassDeleted {
  std::uint16_t number = 0;
  std::string request_id = {};
};
/// {"restore": 1}: a merged or deleted class is separate again, with all its strokes.
struct ClassRestored {
  std::uint16_t number = 0;
  std::string request_id = {};
};
/// {"stroke": 1, "frame": 0, "class": 0, "brush": 64, "points": [x, y, x, y ...], "protected": [2]}; see
/// write_stroke(). Here and below, "request" is the request id assigned by the page, if any.
struct StrokeDrawn {
  std::uint64_t number = 0;
  std::size_t frame = 0;
  Stroke stroke;
  std::string request_id = {};
};
/// {"undo": 1}
struct StrokeUndone {
  std::uint64_t number = 0;
  std::string request_id = {};
};
/// {"redo": 1}
struct StrokeRedone {
  std::uint64_t number = 0;
  std::string request_id = {};
};
/// {"done": 0, "is_done": true}: whether the teacher has finished a frame.
struct FrameDone {
  std::size_t frame = 0;
  bool is_done = false;
};
/// {"pose": 0, "room": "kitchen", "matrix": [12 numbers, row by row]}: pose of the camera that took a frame.
struct FramePosed {
  std::size_t frame = 0;
  std::string room;
  image::RigidMotion pose;
};
/// {"carry": 0, "is_carried": true}: whether labels drawn on a frame are carried to the others; null: for all frames,
/// overriding earlier events for single frames.
struct LabelsCarried {
  std::optional<std::size_t> frame;
  bool is_carried = false;
};
/// {"smooth": false}: whether labels of the model are smoothed.
struct LabelsSmoothed {
  bool is_smooth = true;
};
using Event = std::variant<FrameKept, ClassNamed, ClassLocked, ClassMerged, ClassDeleted, ClassRestored, StrokeDrawn,
                           StrokeUndone, StrokeRedone, FrameDone, FramePosed, LabelsCarried, LabelsSmoothed>;

inline constexpr std::uint64_t kMaxStrokes = std::uint64_t{1} << 48, kMaxPixels = std::uint64_t{1} << 28;

/// One line of JSON.
std::string to_text(const Event& event);
/// @param place  For messages: file and line. @throws Error(kData) for a text that to_text() does not produce.
Event parse_event(const std::string& text, const std::string& place);
/// @throws Error(kUsage) for an event that is not allowed in this state.
void check(const Event& event, const ProjectState& state);
/// Applies a recorded event, which check() has accepted.
ProjectChange apply(Event event, ProjectState& state);

// Members that lines of the journal and messages of a page have in common. All throw an Error of the field's kind.

inline constexpr std::uint64_t kMaxClassNumber = 65534;
/// [red, green, blue] from 0 to 255.
image::Rgb color_of(const JsonField& field);
std::uint16_t class_number_of(const JsonField& field);
/// The member "class": a class number, or kErase for null.
std::uint16_t class_id_of(const JsonField& event);
/// The member "request", empty if it is missing.
std::string request_id_of(const JsonField& event);
/// The area of a stroke, and this with its class and the protected ones: stroke.cpp.
Stroke area_of(const JsonField& event);
Stroke stroke_of(const JsonField& event);
/// "class", null for an eraser; "brush" and "points", or "polygon": [x, y ...], or "region": [begin, count ...].
/// Without "class": "labels": [class, begin, count ...], or "cut" and "points".
void write_stroke(const Stroke& stroke, nlohmann::json& line);

}  // namespace fernwood::teach
