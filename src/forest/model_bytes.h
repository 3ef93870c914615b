// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The content of a model file: its bytes, their header, and the rules that a forest must meet. See
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

/// Reads a forest from the bytes of a model file. Allocates the size of the arrays in the file and, whatever the header
/// contains, about 40 bytes for each byte of the header, which has at most kMaxHeaderBytes.
/// @throws Error(kModel).
Forest read_forest(std::span<const std::uint8_t> bytes, const ErrorContext& place);
/// @param name  File name for messages.
inline Forest read_forest(std::span<const std::uint8_t> bytes, const std::string& name) {
  return read_forest(bytes, loading(name));
}

/// Writes the bytes of a model file. @param name  File name for messages.
/// @throws Error(kModel), before the first byte is written, if the forest violates a rule that load_forest checks.
void write_forest(const Forest& forest, const std::string& name, std::ostream& out);

/// The arrays of a tree.
struct TreeArrays {
  ModelArray nodes, leaf_counts;
  std::optional<ModelArray> leaf_scores = {};  ///< For boosted trees.

  std::uint64_t end() const { return leaf_scores ? leaf_scores->end() : leaf_counts.end(); }
};

/// Number of arrays of a tree of a kind.
constexpr std::size_t num_arrays(ForestKind kind) { return kind == ForestKind::kBoosted ? 3 : 2; }

/// Prefix of the names of a tree's arrays: "tree2", or for a stage before the last one "context0.tree2".
std::string array_prefix(bool is_context, std::size_t stage, std::size_t index);

/// Positions of the arrays of a tree if the arrays before them end at `end`; without checksums.
TreeArrays place_arrays(ForestKind kind, const std::string& prefix, std::uint64_t num_nodes, std::uint64_t num_leaves,
                        std::uint64_t num_classes, std::uint64_t end);

/// The arrays for the computation of feature maps, which precede those of trees.
struct MapArrays {
  std::optional<ModelArray> backbone = {};  ///< The content of its file.
  int reduction = 1;                        ///< The backbone's reduction.
  std::optional<ModelArray> head = {};      ///< The weights of a linear head.

  std::size_t count() const { return std::size_t{backbone.has_value()} + std::size_t{head.has_value()}; }
  std::uint64_t end() const { return head ? head->end() : backbone ? backbone->end() : 0; }
};
/// Positions of these arrays, without checksums.
MapArrays place_map_arrays(const image::Preparation& preparation);
/// @throws Error(kModel) for a head that does not read the preceding maps, or whose weights are too large.
void check_head(const image::Preparation& preparation, const ErrorContext& place);

/// Encodes the canonical JSON header: sorted keys, no white space, so that equal forests give equal bytes.
/// @param stages  [stage] Arrays of each tree, in order. @throws Error(kModel) for texts that are not UTF-8 or not
/// JSON.
std::string encode_header(const Forest& forest, const MapArrays& maps,
                          const std::vector<std::vector<TreeArrays>>& stages, const ErrorContext& place);

/// The content of a header.
struct ModelHeader {
  Forest forest;                                ///< With its stages, but without their trees.
  MapArrays maps;                               ///< The data of backbone and head are not loaded.
  std::vector<std::vector<TreeArrays>> stages;  ///< [stage][tree]
  std::uint64_t data_bytes = 0;                 ///< End of the last array.
};
/// @throws Error(kModel) that names the violating field. Arrays must be contiguous, so that they cannot overlap.
ModelHeader decode_header(std::string_view text, const ErrorContext& place);

/// Name of a tree for messages: "tree 2", or for a stage before the last "context stage 0, tree 2".
std::string tree_name(const Forest& forest, std::size_t stage, std::size_t index);

/// Checks that a tree can be used without further checks: nodes in breadth-first order, each leaf once, features within
/// their ranges and the channels of their stage, counts for every leaf and class.
/// @param name  Name of the tree for messages. @param num_channels  Number of channels that its features may read, from
/// the first on.
/// @throws Error(kModel) that names tree, node, rule and value.
void check_tree(const Tree& tree, const std::string& name, int num_channels, const Forest& forest,
                const ErrorContext& place);

/// Checks that a forest has the channels that its stages need, and checks all trees.
/// @throws Error(kModel) that names the rule and the values.
void check_forest(const Forest& forest, const ErrorContext& place);

/// The channels of a forest: its sets, and with context stages the probabilities of its classes.
/// @throws Error(kModel) when there are too many.
image::ChannelLayout channels_of(const std::vector<std::string>& set_names, const image::ClassMap& classes,
                                 bool has_context, const ErrorContext& place);

}  // namespace fernwood::forest
