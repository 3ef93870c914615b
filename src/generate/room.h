// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "generate/scene.h"

namespace fernwood::generate {

enum class Side { kBack, kLeft, kRight };

/// A place at the foot of a wall, facing into the room. @param along  x (back wall) or z (side walls), metres.
Pose wall_pose(const Room& room, Side side, float along);

/// Draws the room's size.
Room draw_room(Dice& dice);

/// Adds floor, walls and ceiling, and what belongs to them: skirting, doors, windows, pictures, a rug.
void add_room(Scene& scene, Dice& dice);

}  // namespace fernwood::generate
