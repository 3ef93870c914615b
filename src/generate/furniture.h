// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "generate/model.h"

namespace fernwood::generate {

// Furniture of random design; see Model for its coordinates.
Model make_table(Dice& dice);
Model make_low_table(Dice& dice);  ///< Goes before a sofa.
Model make_chair(Dice& dice);
Model make_shelf(Dice& dice);    ///< Open, with books.
Model make_cabinet(Dice& dice);  ///< Closed, with doors or drawers; class shelf.
Model make_sofa(Dice& dice);
Model make_bed(Dice& dice);  ///< Class sofa; its head at -z.

}  // namespace fernwood::generate
