// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the file of a forest consists of: its bytes, their header, and the rules that a forest keeps. See
// docs/reference/model_file.md.

#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model_container.h"
#include "fernwood/forest/forest.h"

namespace fernwood::forest {

/// The forest in the bytes of a model file. Allocates what the arrays in the file take and, whatever the header says,
/// some 40 bytes for each of its bytes, of which there are at most kMaxHeaderBytes.
/// @param name  Of the file, for messages. @throws Error(kModel).
Forest read_forest(std::span<const std::uint8_t> bytes, const std::string& name);

/// The bytes of a model file. @param name  Of the file, for messages.
/// @throws Error(kModel), before the first byte, when the forest breaks a rule that load_forest checks.
void write_forest(const Forest& forest, const std::string& name, std::ostream& out);

/// The arrays of a tree.
struct TreeArrays {
  ModelArray nodes, leaf_counts;
  std::optional<ModelArray> leaf_scores = {};  ///< Of boosted ones.

  std::uint64_t end() const { return leaf_scores ? leaf_scores->end() : leaf_counts.end(); }
};

/// Arrays that a tree of a kind has.
constexpr std::size_t num_arrays(ForestKind kind) { return kind == ForestKind::kBoosted ? 3 : 2; }

/// What the names of the arrays of a forest's trees begin with: "tree2", or of a stage before the last one
/// "context0.tree2".
std::string array_prefix(bool is_context, std::size_t stage, std::size_t index);

/// Where the arrays of a tree lie when the arrays before them end at `end`; without checksums.
TreeArrays place_arrays(ForestKind kind, const std::string& prefix, std::uint64_t num_nodes, std::uint64_t num_leaves,
                        std::uint64_t num_classes, std::uint64_t end);

/// The arrays of what finds the feature maps of frames, which stand before those of trees.
struct MapArrays {
  std::optional<ModelArray> backbone = {};  ///< Its file.
  int reduction = 1;                        ///< Of the backbone.
  std::optional<ModelArray> head = {};      ///< The weights of a linear head.

  std::size_t count() const { return std::size_t{backbone.has_value()} + std::size_t{head.has_value()}; }
  std::uint64_t end() const { return head ? head->end() : backbone ? backbone->end() : 0; }
};
/// Without checksums.
MapArrays place_map_arrays(const image::Preparation& preparation);
/// @throws Error(kModel) for a head that does not read the maps before it, or whose weights are too large.
void check_head(const image::Preparation& preparation, const ErrorContext& place);

/// The canonical JSON header: sorted keys, no white space, so that equal forests give equal bytes.
/// @param stages  [stage] Of each tree, in order. @throws Error(kModel) for texts that are not UTF-8 or not JSON.
std::string encode_header(const Forest& forest, const MapArrays& maps,
                          const std::vector<std::vector<TreeArrays>>& stages, const ErrorContext& place);

/// What a header says.
struct ModelHeader {
  Forest forest;                                ///< Its stages are there, their trees still missing.
  MapArrays maps;                               ///< Backbone and weights of the head are still missing.
  std::vector<std::vector<TreeArrays>> stages;  ///< [stage][tree]
  std::uint64_t data_bytes = 0;                 ///< Where the last array ends.
};
/// @throws Error(kModel) naming the field that breaks a rule. Arrays lie back to back, so none can be claimed twice.
ModelHeader decode_header(std::string_view text, const ErrorContext& place);

/// A tree for messages: "tree 2", or of a stage before the last "context stage 0, tree 2".
std::string tree_name(const Forest& forest, std::size_t stage, std::size_t index);

/// Checks that a tree can be used without further checks: nodes in breadth-first order, each leaf once, features within
/// their ranges and the channels of their stage, counts for every leaf and class.
/// @param name  Of the tree, for messages. @param num_channels  Those that its features may read: the first ones.
/// @throws Error(kModel) naming tree, node, rule and value.
void check_tree(const Tree& tree, const std::string& name, int num_channels, const Forest& forest,
                const ErrorContext& place);

/// Checks that the channels of a forest are those that its stages need, and all trees.
/// @throws Error(kModel) naming the rule and the values.
void check_forest(const Forest& forest, const ErrorContext& place);

/// The channels of a forest: sets, and with context stages the probabilities of its classes.
/// @throws Error(kModel) when there are too many.
image::ChannelLayout channels_of(const std::vector<std::string>& set_names, const image::ClassMap& classes,
                                 bool has_context, const ErrorContext& place);

}  // namespace fernwood::forest
