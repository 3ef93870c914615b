// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What moves in a sequence: the camera, and things. All of it is a function of the time, so that any frame can be made
// alone; see geometry.h for why its bits are the same everywhere.

#include <cstdint>
#include <vector>

#include "fernwood/image/rigid_motion.h"
#include "generate/furnish.h"
#include "generate/scene.h"

namespace fernwood::generate {

/// Where somebody holds the camera after some seconds who begins about where `start` is: the hand wanders within a
/// metre, looks around, and trembles.
Camera held_camera(const Camera& start, std::uint64_t seed, std::uint32_t scene_index, float time_s);

/// From places as the camera sees them to places in the room; scenes have a left hand, so y and z are exchanged.
image::RigidMotion pose_of(const Camera& camera);

/// A thing that goes from one place to another and back, and rests at both.
struct MovingThing {
  Model model;
  Vec3 from, to, front;
  float move_s, rest_s, begin_s;  ///< One way; at each end; how far it is in this when the sequence begins.

  Pose pose_at(float time_s) const;
};

/// Invents things and ways for them which cross what the camera sees and touch neither furniture nor each other, if
/// there is such a way.
std::vector<MovingThing> draw_moving_things(const Scene& scene, const GenerateOptions& options,
                                            std::uint32_t scene_index);

/// The scene after some seconds of a sequence. @param scene  As make_scene() makes it.
Scene scene_at(Scene scene, const GenerateOptions& options, std::uint32_t scene_index, float time_s);

}  // namespace fernwood::generate
