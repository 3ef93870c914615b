// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What a line of strokes.journal says: one object of JSON for everything that a teacher does.
// docs/reference/teach_project.md shows them.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/json_field.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/rigid_motion.h"
#include "fernwood/teach/stroke.h"

namespace fernwood::teach {

/// {"frame": "a", "rows": 480, "cols": 640, "color": true, "depth": true, "up": [x, y, z],
///  "camera": [cols, rows, fx, fy, cx, cy], "maps": 3}; "maps" only where it brings feature maps
struct FrameKept {
  std::string name;
  std::size_t rows = 0, cols = 0;
  bool has_color = false, has_depth = false;
  image::Vector3 up = image::kImageUp;
  std::optional<image::Camera> camera;
  std::size_t num_maps = 0;  ///< See image::SuppliedMaps.
};
/// {"class": 0, "name": "floor", "color": [7, 54, 66]}: a new class, or another name or colour of one. "said" as of a
/// stroke, here and with what else is done to a class.
struct ClassNamed {
  std::uint16_t number = 0;
  std::string name;
  image::Rgb color;
  std::string said = {};
};
/// {"lock": 0, "locked": true}
struct ClassLocked {
  std::uint16_t number = 0;
  bool is_locked = false;
};
/// {"merge": 1, "into": 0}
struct ClassMerged {
  std::uint16_t number = 0, into = 0;
  std::string said = {};
};
/// {"delete": 1}: strokes of the class, and of those merged into it, count no more.
struct ClassDeleted {
  std::uint16_t number = 0;
  std::string said = {};
};
/// {"restore": 1}: a class that was merged or deleted is one of its own again, with all that was drawn as it.
struct ClassRestored {
  std::uint16_t number = 0;
  std::string said = {};
};
/// {"stroke": 1, "frame": 0, "gives": 0, "brush": 64, "points": [x, y, x, y ...], "spares": [2]}, or "polygon": [x, y
/// ...] or "region": [begin, count ...] in place of "brush" and "points"; "gives" is null for an eraser. Or "labels":
/// [class, begin, count ...] without "gives". "said" is what
/// the page called its message, where it did.
struct StrokeDrawn {
  std::uint64_t number = 0;
  std::size_t frame = 0;
  Stroke stroke;
  std::string said = {};
};
/// {"undo": 1} and {"redo": 1}, and "said" as of a stroke.
struct StrokeUndone {
  std::uint64_t number = 0;
  bool is_redone = false;
  std::string said = {};
};
/// {"done": 0, "is_done": true}: whether the teacher has nothing more to draw on a frame.
struct FrameDone {
  std::size_t frame = 0;
  bool is_done = false;
};
/// {"pose": 0, "room": "kitchen", "matrix": [12 numbers, row by row]}: where the camera was that took a frame.
struct FramePosed {
  std::size_t frame = 0;
  std::string room;
  image::RigidMotion pose;
};
/// {"carry": 0, "is_carried": true}: whether what is drawn on a frame is carried to the others; null: on all frames,
/// whatever was said of single ones before.
struct LabelsCarried {
  std::optional<std::size_t> frame;
  bool is_carried = false;
};
using Event = std::variant<FrameKept, ClassNamed, ClassLocked, ClassMerged, ClassDeleted, ClassRestored, StrokeDrawn,
                           StrokeUndone, FrameDone, FramePosed, LabelsCarried>;

inline constexpr std::uint64_t kMostStrokes = std::uint64_t{1} << 48;

/// One line of JSON.
std::string to_text(const Event& event);
/// [red, green, blue] from 0 to 255. @throws Error of the field's kind.
image::Rgb color_of(const JsonField& field);
/// The member "gives" of a line: the number of a class, or kErase for null. @throws Error of the field's kind.
std::uint16_t class_id_of(const JsonField& event);
/// Whether a page may call a message so: letters, digits and "-", 64 at most; also nothing.
bool is_said(const std::string& said);
/// The member "said" of a line or a message, empty where there is none. @throws Error of the field's kind.
std::string request_id_of(const JsonField& event);
/// The members of a line that tell which pixels a stroke means, as messages of pages have them.
/// @throws Error of the field's kind.
Stroke area_of(const JsonField& event);
/// The same, and what it gives them.
Stroke stroke_of(const JsonField& event);

/// @param place  For messages: file and line. @throws Error(kData) for anything else than to_text() makes.
Event parse_event(const std::string& text, const std::string& place);

}  // namespace fernwood::teach
