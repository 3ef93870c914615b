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
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/progress.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/labels.h"
#include "fernwood/teach/project.h"
#include "fernwood/web/web_server.h"
#include "image/registration.h"

namespace fernwood::teach {

/// A frame with labels, and the pose of its camera in the room.
struct LabelledView {
  /// @param pose     From camera coordinates to room coordinates.
  /// @param numbers  [rows][cols] class numbers, kVoid where unlabelled.
  LabelledView(image::RigidMotion pose, const image::Camera& camera, Array2<std::uint16_t> depth_mm,
               image::LabelImage numbers);
  image::DepthView depth() const { return {depth_mm, camera}; }

  image::RigidMotion pose;
  image::Camera camera;  ///< For the frame's size.
  Array2<std::uint16_t> depth_mm;
  image::LabelImage numbers;
  std::vector<std::uint32_t> labelled;  ///< Pixels whose label and depth are known, ascending.
  image::Vector3 least, most;           ///< Bounding box of their points, in camera coordinates.
};

/// Maximum number of source frames for a target: those of whose labels most are visible there.
inline constexpr std::size_t kMaxSources = 16;

/// Labels that a frame receives from others.
struct HandedLabels {
  image::LabelImage numbers;            ///< [rows][cols] class numbers, kVoid where no label is received.
  std::vector<std::size_t> num_pixels;  ///< [source] Pixels for which it agrees with the result.
};
/// False if no labelled point is within the camera's image, occluded or not; otherwise usually true.
bool may_see(const LabelledView& from, const image::RigidMotion& pose, const image::Camera& camera);

/// Transfers labels of some frames to another that sees the same surface: where its depth agrees with the source's
/// depth of that point to within image::kVisibleShare. If sources disagree on a pixel, the class with the most sources
/// wins; on a tie, the class of the source that saw the point from nearest, in whole mm; then that of the first such
/// source. A source is ignored if more of its surface is seen through than confirmed: then the poses are wrong, or the
/// room has changed. The result does not depend on the number of threads.
/// @param pose  Pose of `to` in the common room.
HandedLabels carry_labels(std::span<const LabelledView* const> from, const image::DepthView& to,
                          const image::RigidMotion& pose);

/// Keeps the labels carried from frames with strokes to the others (Project::carry()) up to date with the strokes, one
/// step at a time. Poses are those of the project; without them, each frame is registered to the previous one in the
/// order of the project, and a frame that does not fit the previous one starts a room of its own.
class LabelCarrier {
 public:
  /// @param project  Must outlive this object.
  explicit LabelCarrier(Project& project) : project_(project) {}

  /// The next step: work of at most a frame for any thread, which returns work for the project's thread. No other step
  /// may begin before both are done, unless this one is abandoned. Empty when all labels are carried; the project is
  /// then notified.
  using Step = std::function<std::function<void()>()>;
  Step next_step();
  /// Executes all steps. @param progress  Called before each one; the total grows where a step leads to others.
  void finish(const ProgressCallback& progress = {});

  /// Frames whose carried labels may have changed since the last call.
  std::set<std::size_t> take_changed() { return std::exchange(changed_, {}); }
  std::vector<std::string> take_problems() { return std::exchange(problems_, {}); }
  std::size_t num_left() const { return targets_.size() + stale_.size(); }
  /// Pose of a frame, as given or registered.
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
  /// Replaces the view of a source: frames that have received its labels, or may receive them, are recomputed.
  void change_source(std::size_t frame, std::shared_ptr<const LabelledView> view);
  Step locate_next();
  Step read_source(std::size_t frame);
  Step carry_to(std::size_t frame);
  Step told_of_failure(std::size_t frame, Step step);
  /// A function, for any thread, that returns the class numbers drawn on a frame.
  std::function<image::LabelImage()> numbers_of(std::size_t frame) const;

  Project& project_;
  std::optional<std::uint64_t> seen_version_;
  bool has_poses_ = false;
  std::map<std::size_t, Source> sources_;
  std::map<std::size_t, std::uint64_t> stamps_;       // [frame] of strokes and pose, at the last check
  std::set<std::size_t> stale_, targets_;             // sources to read; frames to carry labels to
  std::optional<std::size_t> reading_, carrying_to_;  // of the current step, which may be abandoned
  std::map<std::size_t, image::Camera> cameras_;      // of the frames read so far
  Registered registered_;
  std::set<std::size_t> changed_;
  std::vector<std::string> problems_;
};

/// Share of a frame's pixels with carried labels.
inline double share_carried(const TaughtFrame& frame) {
  return static_cast<double>(frame.num_carried) / static_cast<double>(frame.rows * frame.cols);
}

/// Executes the steps of a LabelCarrier while pages are served, on another thread, and tells pages.
class Carrying {
 public:
  /// @param finished  Called when no step is left, and whether any carried label has changed since the last call.
  Carrying(Project& project, web::WebServer& server, std::function<void(bool has_changed)> finished)
      : project_(project), server_(server), finished_(std::move(finished)) {}

  /// To be called after any change; does nothing while a step is in progress, which is followed by the next one.
  void go_on();
  /// See LabelCarrier::finish(); when the server has ended.
  void finish(const ProgressCallback& progress) { carrier_.finish(progress); }

 private:
  Project& project_;
  web::WebServer& server_;
  const std::function<void(bool has_changed)> finished_;
  LabelCarrier carrier_{project_};
  bool has_step_ = false;
  bool has_begun_ = false;    // since `finished` was called
  bool has_changed_ = false;  // likewise
};

}  // namespace fernwood::teach
