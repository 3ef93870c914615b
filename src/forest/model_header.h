// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model_container.h"
#include "fernwood/forest/forest.h"

namespace fernwood::forest {

/// The two arrays of a tree.
struct TreeArrays {
  ModelArray nodes, leaf_counts;
};

/// What the names of the arrays of a forest's trees begin with: "tree2", or of a stage before the last one
/// "context0.tree2".
std::string array_prefix(bool is_context, std::size_t stage, std::size_t index);

/// Where the arrays of a tree lie when the arrays before them end at `end`; without checksums.
TreeArrays place_arrays(const std::string& prefix, std::uint64_t num_nodes, std::uint64_t num_leaves,
                        std::uint64_t num_classes, std::uint64_t end);

/// The canonical JSON header: sorted keys, no white space, so that equal forests give equal bytes.
/// @param stages  [stage] Of each tree, in order. @throws Error(kModel) for texts that are not UTF-8 or not JSON.
std::string encode_header(const Forest& forest, const std::vector<std::vector<TreeArrays>>& stages,
                          const ModelPlace& place);

/// What a header says.
struct ModelHeader {
  Forest forest;                                ///< Its trees are still missing; context_stages has a place for each.
  std::vector<std::vector<TreeArrays>> stages;  ///< [stage][tree]
  std::uint64_t data_bytes = 0;                 ///< Where the last array ends.
};
/// @throws Error(kModel) naming the field that breaks a rule. Arrays lie back to back, so none can be claimed twice.
ModelHeader decode_header(std::string_view text, const ModelPlace& place);

}  // namespace fernwood::forest
