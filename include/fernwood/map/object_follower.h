// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Objects of labelled frames that keep their identities from frame to frame.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fernwood/image/camera.h"
#include "fernwood/objects/object_tracker.h"
#include "fernwood/objects/objects.h"
#include "fernwood/predict/live.h"

namespace fernwood::map {

struct FollowedObjects {
  objects::FrameObjects found;
  std::vector<std::uint32_t> ids;          ///< [number - 1] ObjectTracker::kNoId if the camera's place is not known.
  std::optional<image::RigidMotion> pose;  ///< Of the camera; by estimated motion, the room is that of the first frame.
};

/// Tracks the objects of frames, one after another (predict::LiveOptions::finder). Poses are those of the frames;
/// without them, the camera's motion is that of steady labels (predict::SteadyFrame), or is estimated from depth. Where
/// the motion is not known, the list begins anew, with new ids. May be used from only one thread at a time.
class ObjectFollower {
 public:
  /// @param has_poses  Whether the source has poses.
  explicit ObjectFollower(bool has_poses);
  ~ObjectFollower();

  FollowedObjects follow(const predict::LiveFrame& frame);
  const objects::ObjectTracker& tracker() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace fernwood::map
