// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstddef>
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
#include "teach/journal.h"
#include "teach/packed_labels.h"
#include "teach/painting.h"

namespace fernwood::teach {

/// Of the name of a frame or class.
constexpr std::size_t kMostNameBytes = 200;
/// Of a frame: what pictures may have.
constexpr std::uint64_t kMostFramePixels = std::uint64_t{1} << 25;
/// Of the strokes of a frame, as work_of() counts: 10,000 strokes of a brush over 640 x 480 pixels, or some two seconds
/// of a thread beside whenever the frame is painted anew.
constexpr std::uint64_t kMostFrameWork = std::uint64_t{1} << 31;

/// What a project's journal says, and the journal.
struct Project::State {
  struct UndoneStroke {
    std::shared_ptr<const DrawnStroke> stroke;
    std::uint64_t since = 0;  // of undone_order
  };
  struct TaughtFrame {
    FrameKept kept;
    Strokes strokes;                                      // in the order drawn, which is that of their numbers
    std::map<std::uint64_t, UndoneStroke> undone;         // [number]
    std::map<std::uint64_t, std::uint64_t> undone_order;  // [version when it was taken back] its number
    std::uint64_t work = 0;                               // of all these
    mutable std::optional<std::size_t> num_counting;      // of strokes, as far as they were counted
    mutable std::weak_ptr<Painting> painting;             // of strokes, while somebody holds it
    std::optional<std::uint64_t> written_colors;          // colors_version of its truth on disk, as it is now
    std::uint64_t truth_checksum = 0;                     // of that file, as it was written
    bool is_done = false;                                 // as the teacher says
    std::optional<dataset::FramePose> pose;
    std::optional<bool> carries;                  // unlike carries_all
    std::uint64_t strokes_version = 0;            // of what is carried from it and to it
    std::shared_ptr<const PackedLabels> carried;  // numbers of classes; null: nothing
    std::size_t num_carried = 0;
    std::vector<std::size_t> carried_from;
  };

  explicit State(const std::filesystem::path& place);

  // What may be done: throws Error(kUsage), and changes nothing.
  void check(const FrameKept& kept) const;
  void check(const ClassNamed& named) const;
  void check(const ClassLocked& lock) const { live(lock.number); }
  void check(const ClassMerged& merged) const;
  void check(const ClassDeleted& deleted) const { live(deleted.number); }
  void check(const ClassRestored& restored) const;
  void check(const StrokeDrawn& drawn) const;
  void check(const StrokeUndone& undone) const;
  void check(const FrameDone& done) const { frame(done.frame); }
  void check(const FramePosed& posed) const;
  void check(const LabelsCarried& carried) const;

  // What was written down; check() has passed it.
  void apply(FrameKept kept);
  void apply(ClassNamed named);
  void apply(const ClassLocked& lock) { classes[lock.number].is_locked = lock.is_locked; }
  void apply(const ClassMerged& merged);
  void apply(const ClassDeleted& deleted);
  void apply(const ClassRestored& restored);
  void apply(StrokeDrawn drawn);
  void apply(const StrokeUndone& undone);
  void apply(const FrameDone& done) { frames[done.frame].is_done = done.is_done; }
  void apply(const FramePosed& posed);
  void apply(const LabelsCarried& carried);

  /// Checks, writes down and does.
  void commit(Event event);
  void replay(const std::string& text, std::size_t line);
  void do_checked(Event event);

  const TaughtFrame& frame(std::size_t index) const;
  const TaughtClass& known(std::uint16_t number) const;
  const TaughtClass& live(std::uint16_t number) const;
  /// Whether no live class has a name or a colour; `number` may.
  void check_free(std::uint16_t number, const std::string& name, image::Rgb color) const;
  /// @throws Error(kUsage) where one live class more could not be learnt.
  void check_one_more_class() const;
  /// Takes a class out of what is found by name and colour, before it changes, or puts it there.
  void hide(const TaughtClass& one);
  void show(const TaughtClass& one);
  /// After what a class is has changed: names, and the truth too, are to be written again.
  void classes_changed(std::uint16_t number, const std::string& said, bool truth_too = true);
  DeletedClasses deleted() const;
  /// After classes were deleted, or are no more.
  void forget_paintings();
  /// Whether the truth of a frame is on disk as it is now.
  bool is_written(const TaughtFrame& one) const { return one.written_colors == colors_version; }
  std::uint16_t final_number(std::uint16_t number) const;
  std::shared_ptr<Painting> painting(std::size_t index) const;
  /// poses.txt, for tools that take the project as a recording; only where all poses are of one room.
  void write_poses() const;
  /// Before a file of the truth is written, and when all are.
  void truth_changes();
  void note_truth();
  /// What reads the images that a frame is said to have.
  static std::function<image::Frame()> reader_of(const std::filesystem::path& folder, FrameKept of);
  /// [number] The index among live classes of what a class became, kVoid where that was deleted.
  std::vector<std::uint16_t> live_indices() const;
  std::uint64_t next_stroke() const { return frame_of_stroke.empty() ? 1 : frame_of_stroke.rbegin()->first + 1; }

  std::filesystem::path folder;
  std::vector<TaughtFrame> frames;
  std::vector<TaughtClass> classes;
  std::map<std::uint64_t, std::size_t> frame_of_stroke;
  std::unordered_map<std::string, std::uint64_t> stroke_of_request;
  std::unordered_map<std::string, std::uint16_t> class_of_request_id;
  // Of live classes. A journal may have any number of lines: none may take longer for those before it.
  std::unordered_map<std::string, std::uint16_t> class_of_name;
  std::unordered_map<std::uint32_t, std::uint16_t> class_of_color;
  std::size_t num_deleted = 0;
  std::unordered_set<std::string> frame_names;
  // Of classes; empty until they are asked for.
  mutable std::vector<std::uint16_t> final_numbers;  // [class]
  mutable DeletedClasses known_deleted;
  std::uint64_t version = 0, labels_version = 0, colors_version = 0;
  std::uint64_t classes_version = 0;  // version when a class was merged, deleted or restored last
  std::size_t num_poses = 0;
  bool carries_all = false;
  bool carried_is_current = false;
  bool config_is_written = false;
  std::optional<std::uint64_t> noted_bytes;  // of the journal, that the truth is known to be made of
  bool note_is_gone = false;                 // that of an earlier run may be there
  // Frames that were asked for last, so that a stroke paints itself and not all before it; the one that gives way first
  // in front.
  mutable std::deque<std::shared_ptr<Painting>> shown;
  std::unique_ptr<Journal> journal;  // last: its replay fills the others
};

}  // namespace fernwood::teach
