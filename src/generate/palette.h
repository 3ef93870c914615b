// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "generate/material.h"

namespace fernwood::generate {

// Random materials. Furniture, floors and things share woods, paints and cloths, so that colour alone does not tell a
// class.
Material wood(Dice& dice);
Material paint(Dice& dice);
Material cloth(Dice& dice);
Material plastic(Dice& dice);
Material toy(Dice& dice);    ///< Strong colours.
Material glass(Dice& dice);  ///< Dark colours, as bottles have.
Material cardboard(Dice& dice);
Material metal(Dice& dice);  ///< Legs and poles.
Material glossy_black(Dice& dice);

/// Wood, paint or plastic.
Material furniture_material(Dice& dice);
Material floor_material(Dice& dice);
Material wall_material(Dice& dice);

}  // namespace fernwood::generate
