// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fernwood/teach/project.h"
#include "teach/events.h"
#include "teach/painting.h"

namespace fernwood::teach {

/// Maximum length of the name of a frame or class.
constexpr std::size_t kMaxNameBytes = 200;
/// Maximum size of a frame: that of images.
constexpr std::uint64_t kMaxFramePixels = std::uint64_t{1} << 25;
/// Maximum cost of the strokes of a frame, as computed by work_of(): 10,000 brush strokes over 640 x 480 pixels, or
/// about two seconds of a background thread whenever the frame is repainted.
constexpr std::uint64_t kMaxFrameWork = std::uint64_t{1} << 31;

/// A frame with what is derived from its events.
struct FrameState : TaughtFrame {
  struct UndoneStroke {
    std::shared_ptr<const DrawnStroke> stroke;
    std::uint64_t since = 0;  // key in undone_order
  };
  std::map<std::uint64_t, UndoneStroke> undone;         // [number]
  std::map<std::uint64_t, std::uint64_t> undone_order;  // [version when it was undone] its number
  std::uint64_t work = 0;                               // of all these and of `strokes`
  mutable std::optional<std::size_t> num_counting;      // number of strokes that count, once computed
  mutable std::weak_ptr<Painting> painting;             // of strokes, while in use
  std::optional<std::uint64_t> written_colors;          // colors_version of its truth on disk, if that is current
  std::uint64_t truth_checksum = 0;                     // of that file, as written
  std::optional<bool> carries;                          // overrides carries_all
  std::uint64_t strokes_version = 0;                    // of labels carried from it and to it
  std::shared_ptr<const PackedLabels> carried;          // class numbers; null: none
};

/// The state recorded in a project's journal, which events check and change (events.cpp), and the journal.
struct ProjectState {
  explicit ProjectState(const std::filesystem::path& place);

  /// Checks, records and applies an event.
  ProjectChange record(Event event);
  /// The same, and tells those that follow the project.
  void commit(Event event);
  void replay(const std::string& text, std::size_t line);

  // These throw Error(kUsage) for what does not exist.
  const FrameState& frame(std::size_t index) const;
  const FrameState& frame_of(std::uint64_t stroke) const;
  const TaughtClass& known(std::uint16_t number) const;
  const TaughtClass& live(std::uint16_t number) const;
  /// Throws if a live class other than `number` has the name or the colour.
  void check_free(std::uint16_t number, const std::string& name, image::Rgb color) const;
  /// @throws Error(kUsage) if one more live class could not be learnt.
  void check_one_more_class() const;
  /// Removes a class from the indices by name and colour before it changes, or adds it to them.
  void hide(const TaughtClass& one);
  void show(const TaughtClass& one);
  // To be called after a change: of a class's name or colour, of what its strokes mean, of the strokes of a frame, of
  // strokes that were painted, and after classes were deleted or restored.
  ProjectChange classes_changed(ProjectChange::What what);
  ProjectChange meaning_changed();
  void strokes_changed(FrameState& frame) const;
  void forget_painting(FrameState& frame) const;
  void forget_paintings();
  void note_request(const std::string& id, std::uint64_t stroke) { stroke_of_request[id] = stroke; }
  void note_request(const std::string& id, std::uint16_t class_number) { class_of_request_id[id] = class_number; }
  DeletedClasses deleted() const;
  std::uint16_t final_number(std::uint16_t number) const;
  std::shared_ptr<Painting> painting(std::size_t index) const;
  // Files that are derived from the journal: project_truth.cpp.
  /// Writes poses.txt, for tools that read the project as a recording; only if all poses are in one room.
  void write_poses() const;
  /// To be called before a file of the truth is written, and after all were written.
  void truth_changes();
  void note_truth();

  std::vector<std::uint16_t> live_indices() const;
  std::uint64_t next_stroke() const { return frame_of_stroke.empty() ? 1 : frame_of_stroke.rbegin()->first + 1; }

  std::filesystem::path folder;
  std::function<void(const ProjectChange&)> changed = {};  // tells those that follow the project
  std::vector<FrameState> frames;
  std::vector<TaughtClass> classes;
  std::map<std::uint64_t, std::size_t> frame_of_stroke;
  std::unordered_map<std::string, std::uint64_t> stroke_of_request;
  std::unordered_map<std::string, std::uint16_t> class_of_request_id;
  // Live classes by name and colour. A journal may have any number of lines, so the time for one must not depend on
  // those before it.
  std::unordered_map<std::string, std::uint16_t> class_of_name;
  std::unordered_map<std::uint32_t, std::uint16_t> class_of_color;
  std::size_t num_deleted = 0;
  std::unordered_set<std::string> frame_names;
  // Derived from the classes; empty until requested.
  mutable std::vector<std::uint16_t> final_numbers;  // [class]
  mutable DeletedClasses known_deleted;
  std::uint64_t version = 0, labels_version = 0, colors_version = 0;
  std::uint64_t classes_version = 0;  // version of the last merge, deletion or restoration of a class
  std::size_t num_poses = 0;
  bool carries_all = false, is_smooth = true;
  bool carried_is_current = false;
  bool config_is_written = false;
  std::optional<std::uint64_t> noted_bytes;  // size of the journal for which the truth is known to be current
  bool note_is_gone = false;                 // false: a note of an earlier run may exist
  // Frames requested last, so that a new stroke paints only itself and not all before it; the next one to be dropped is
  // in front.
  mutable std::deque<std::shared_ptr<Painting>> shown;
  std::unique_ptr<Journal> journal;  // last: its replay fills the other members
};

/// A colour for a new class, distinguishable from those of all classes, including merged and deleted ones, which may be
/// restored, and from black, which is void.
image::Rgb free_color_among(const std::vector<TaughtClass>& classes);

}  // namespace fernwood::teach
