// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

#include "core/model_place.h"
#include "fernwood/forest/forest.h"

namespace fernwood::forest {

/// A tree for messages: "tree 2", or of a stage before the last "context stage 0, tree 2".
std::string tree_name(const Forest& forest, std::size_t stage, std::size_t index);

/// Checks that a tree can be used without further checks: nodes in breadth-first order, each leaf once, features within
/// their ranges and the channels of their stage, counts for every leaf and class.
/// @param name  Of the tree, for messages. @param num_channels  Those that its features may read: the first ones.
/// @throws Error(kModel) naming tree, node, rule and value.
void check_tree(const Tree& tree, const std::string& name, int num_channels, const Forest& forest,
                const ModelPlace& place);

/// Checks that the channels of a forest are those that its stages need, and all trees.
/// @throws Error(kModel) naming the rule and the values.
void check_forest(const Forest& forest, const ModelPlace& place);

/// The channels of a forest: sets, and with context stages the probabilities of its classes.
/// @throws Error(kModel) when there are too many.
image::ChannelLayout channels_of(const std::vector<std::string>& set_names, const image::ClassMap& classes,
                                 bool has_context, const ModelPlace& place);

}  // namespace fernwood::forest
