// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/model_place.h"
#include "fernwood/forest/forest.h"

namespace fernwood {

/// Checks that a tree can be used without further checks: nodes in breadth-first order, each leaf once, features within
/// their ranges and channels, counts for every leaf and class. @param index  Of the tree, for messages.
/// @throws Error(kModel) naming tree, node, rule and value.
void check_tree(const Tree& tree, std::size_t index, const Forest& forest, const ModelPlace& place);

}  // namespace fernwood
