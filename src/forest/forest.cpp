// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/forest/forest.h"

namespace fernwood::forest {

std::string to_string(ForestKind kind) { return kind == ForestKind::kForest ? "forest" : "ferns"; }

}  // namespace fernwood::forest
