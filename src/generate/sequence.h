// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Motion in a sequence: the camera, and objects. All of it is a function of time, so that each frame can be generated
// independently; see geometry.h for why its bits are the same everywhere.

#include <cstdint>
#include <vector>

#include "fernwood/image/camera.h"
#include "generate/furnish.h"
#include "generate/scene.h"

namespace fernwood::generate {

/// A hand-held camera that starts approximately at `start`, after `time_s` seconds: the hand moves within a metre,
/// looks around, and trembles.
Camera held_camera(const Camera& start, std::uint64_t seed, std::uint32_t scene_index, float time_s);

/// Transforms camera coordinates to room coordinates; scenes are left-handed, so y and z are exchanged.
image::RigidMotion pose_of(const Camera& camera);

/// An object that moves from one position to another and back, and rests at both.
struct MovingThing {
  Model model;
  Vec3 from, to, front;
  float move_s, rest_s, begin_s;  ///< One way; at each end; position in this cycle at the beginning.

  Pose pose_at(float time_s) const;
};

/// Draws objects with paths that cross the camera's view and touch neither furniture nor each other, if possible.
std::vector<MovingThing> draw_moving_things(const Scene& scene, const GenerateOptions& options,
                                            std::uint32_t scene_index);

/// The scene `time_s` seconds after the start of a sequence. @param scene  The result of make_scene().
Scene scene_at(Scene scene, const GenerateOptions& options, std::uint32_t scene_index, float time_s);

}  // namespace fernwood::generate
