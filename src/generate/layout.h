// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "generate/scene.h"

namespace fernwood::generate {

/// Puts furniture on the floor where the camera sees it and nothing overlaps, and things on the furniture.
/// Every scene holds a table with chairs or a sofa, something with shelves, and a few things on the floor.
void furnish(Scene& scene, Dice& furniture, Dice& things);

}  // namespace fernwood::generate
