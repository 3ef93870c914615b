// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "fernwood/teach/project.h"
#include "teach/events.h"
#include "teach/journal.h"

namespace fernwood::teach {

/// Of the name of a frame or class.
constexpr std::size_t kMostNameBytes = 200;

/// What a project's journal says, and the journal.
struct Project::State {
  struct TaughtFrame {
    FrameKept kept;
    std::vector<NumberedStroke> strokes;  // in the order drawn, which is that of their numbers
    std::vector<NumberedStroke> undone;   // the last at the end
    bool is_written = false;              // its truth, as it is now
    bool is_done = false;                 // as the teacher says
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

  // What was written down; check() has passed it.
  void apply(FrameKept kept) { frames.emplace_back().kept = std::move(kept); }
  void apply(ClassNamed named);
  void apply(const ClassLocked& lock) { classes[lock.number].is_locked = lock.is_locked; }
  void apply(const ClassMerged& merged);
  void apply(const ClassDeleted& deleted);
  void apply(const ClassRestored& restored);
  void apply(StrokeDrawn drawn);
  void apply(const StrokeUndone& undone);
  void apply(const FrameDone& done) { frames[done.frame].is_done = done.is_done; }

  /// Checks, writes down and does.
  void commit(Event event);
  void replay(const std::string& text, std::size_t line);
  void do_checked(Event event);

  const TaughtFrame& frame(std::size_t index) const;
  const TaughtClass& known(std::uint16_t number) const;
  const TaughtClass& live(std::uint16_t number) const;
  /// Whether no live class has a name or a colour; `number` may.
  void check_free(std::uint16_t number, const std::string& name, image::Rgb color) const;
  /// After what a class is has changed: names, and the truth too, are to be written again.
  void classes_changed(std::uint16_t number, const std::string& said, bool truth_too = true);
  bool is_deleted(std::uint16_t number) const { return classes[final_number(number)].is_deleted; }
  bool any_deleted() const { return std::ranges::any_of(classes, &TaughtClass::is_deleted); }
  /// Whether a stroke is an eraser, or gives a class that is not deleted.
  bool counts(const Stroke& stroke) const;
  void paint_counting(const Stroke& stroke, image::LabelImage& labels) const;
  std::uint16_t final_number(std::uint16_t number) const;
  const image::LabelImage& numbers(std::size_t index) const;
  std::uint64_t next_stroke() const { return frame_of_stroke.empty() ? 1 : frame_of_stroke.rbegin()->first + 1; }

  std::filesystem::path folder;
  std::vector<TaughtFrame> frames;
  std::vector<TaughtClass> classes;
  std::map<std::uint64_t, std::size_t> frame_of_stroke;
  std::unordered_map<std::string, std::uint64_t> stroke_of_said;
  std::unordered_map<std::string, std::uint16_t> class_of_said;
  std::uint64_t version = 0, labels_version = 0;
  bool config_is_written = false;
  std::optional<std::uint64_t> noted_bytes;  // of the journal, that the truth is known to be made of
  // Frames that were asked for last, as class numbers, so that a stroke paints itself and not all before it.
  mutable std::map<std::size_t, image::LabelImage> shown;
  mutable std::deque<std::size_t> shown_order;  // the one that gives way first in front
  std::unique_ptr<Journal> journal;             // last: its replay fills the others
};

}  // namespace fernwood::teach
