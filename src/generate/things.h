// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "generate/model.h"

namespace fernwood::generate {

// Things that stand on furniture or on the floor; see Model for their coordinates.
Model make_box(Dice& dice, float max_half, float max_height);
Model make_ball(Dice& dice, float radius);
Model make_bottle(Dice& dice, float height);

// Things of no class.
Model make_floor_lamp(Dice& dice);
Model make_plant(Dice& dice);
Model make_screen(Dice& dice);  ///< A television: dark and glossy.

}  // namespace fernwood::generate
