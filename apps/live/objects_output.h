// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>

#include "fernwood/core/array.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "fernwood/map/object_follower.h"
#include "fernwood/objects/objects.h"
#include "fernwood/predict/live.h"
#include "fernwood/recordings/frame_source.h"

namespace fernwood::apps {

/// Objects in `fernwood live`.
struct LiveObjectArguments {
  bool finds = false, prints = false;
  objects::ObjectOptions options;
};

/// Follows the objects of frames for the outputs after it, publishes them, and prints them as lines of JSON.
class ObjectsOutput : public predict::LiveOutput {
 public:
  using Publish = std::function<void(const recordings::CapturedFrame& frame, const map::FollowedObjects& objects)>;

  /// @param classes  Must outlive this object. @throws Error(kData) for a source without depth.
  ObjectsOutput(const LiveObjectArguments& arguments, const image::ClassMap& classes,
                const recordings::FrameSource& source, Publish publish);
  bool show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) override;

  /// Those of the last frame.
  const map::FollowedObjects& last() const { return last_; }
  /// The list of objects, in which those of the last frame have their ids.
  const objects::ObjectTracker& tracker() const { return follower_.tracker(); }
  /// Draws the outlines of the last frame's objects, in colours by their ids.
  void draw(Array2<image::Rgb>& picture) const;

 private:
  const bool prints_;
  const image::ClassMap& classes_;
  map::ObjectFollower follower_;
  const Publish publish_;
  map::FollowedObjects last_;
};

}  // namespace fernwood::apps
