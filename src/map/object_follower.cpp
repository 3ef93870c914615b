// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/map/object_follower.h"

#include "map/voxel_content.h"

namespace fernwood::map {

struct ObjectFollower::Work {
  explicit Work(bool poses) : has_poses(poses), locator(poses) {}

  /// Empty where the place of the camera is not known.
  std::optional<image::RigidMotion> locate(const predict::LiveFrame& frame) {
    if (has_poses || !frame.steady) return locator.locate(frame.captured, report);
    if (frame.steady->motion)
      last_pose = image::then(*frame.steady->motion, last_pose);
    else
      begin_anew();
    return last_pose;
  }

  void begin_anew() {
    last_pose = {};
    tracker = objects::ObjectTracker({}, tracker.next_id(), tracker.num_frames());
  }

  objects::ObjectTracker tracker;
  const bool has_poses;
  FrameLocator locator;
  RecordingReport report;  // of the locator; not shown
  image::RigidMotion last_pose;
};

ObjectFollower::ObjectFollower(bool has_poses) : work_(std::make_unique<Work>(has_poses)) {}

ObjectFollower::~ObjectFollower() = default;

FollowedObjects ObjectFollower::follow(const predict::LiveFrame& frame) {
  FollowedObjects followed{frame.prediction.objects, {}, work_->locate(frame)};
  if (!followed.pose) {
    followed.ids.assign(followed.found.objects.size(), objects::ObjectTracker::kNoId);
    return followed;
  }
  image::FrameImages images(*frame.captured.frame);
  images.pose = followed.pose;
  followed.ids = work_->tracker.update(followed.found, images, frame.captured.time_s);
  return followed;
}

const objects::ObjectTracker& ObjectFollower::tracker() const { return work_->tracker; }

}  // namespace fernwood::map
