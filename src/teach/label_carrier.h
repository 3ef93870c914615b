// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/teach/project.h"
#include "teach/carry_labels.h"

namespace fernwood::teach {

/// Keeps what is carried from frames with strokes to the others (Project::carry()) as new as the strokes, a step at a
/// time. Poses are those of the project; where it has none, frames are registered one to the next, in the order of the
/// project, and each that does not fit the one before begins a room of its own.
class LabelCarrier {
 public:
  /// @param project  Outlives this.
  explicit LabelCarrier(Project& project) : project_(project) {}

  /// What is to be done next: work for any thread, a frame's at most, and then what that returns on the project's. No
  /// other step begins before, unless this one is given up. Empty when all is carried, which the project is told.
  using Step = std::function<std::function<void()>()>;
  Step next_step();
  /// All steps.
  void finish();

  /// Frames whose carried labels may be others since this was asked last.
  std::set<std::size_t> take_changed() { return std::exchange(changed_, {}); }
  std::vector<std::string> take_problems() { return std::exchange(problems_, {}); }
  std::size_t num_left() const { return targets_.size() + stale_.size(); }
  /// Where a frame is, as given or registered.
  std::optional<dataset::FramePose> place(std::size_t frame) const;

 private:
  struct Source {
    std::string room;
    std::shared_ptr<const LabelledView> view;
  };
  struct Registered {
    std::shared_ptr<const image::FrameSurfaces> surfaces;  // of the last frame
    std::vector<dataset::FramePose> places;                // [frame]
  };

  void note_changes();
  /// What a source shows is another now: frames that have seen it, or may, are to be done again.
  void change_source(std::size_t frame, std::shared_ptr<const LabelledView> view);
  Step locate_next();
  Step read_source(std::size_t frame);
  Step carry_to(std::size_t frame);
  Step told_of_failure(std::size_t frame, Step step);
  /// What gives, on any thread, numbers of classes that were drawn on a frame.
  std::function<image::LabelImage()> numbers_of(std::size_t frame) const;

  Project& project_;
  std::optional<std::uint64_t> seen_version_;
  bool has_poses_ = false;
  std::map<std::size_t, Source> sources_;
  std::map<std::size_t, std::uint64_t> stamps_;       // [frame] of strokes and pose, when it was looked at last
  std::set<std::size_t> stale_, targets_;             // sources to be read; frames to be carried to
  std::optional<std::size_t> reading_, carrying_to_;  // what a step has in hand, which may never come back
  std::map<std::size_t, image::Camera> cameras_;      // of frames that were read
  Registered registered_;
  std::set<std::size_t> changed_;
  std::vector<std::string> problems_;
};

}  // namespace fernwood::teach
