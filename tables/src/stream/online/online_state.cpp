// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// The state of an online tree in checkpoints.
#include <algorithm>

#include "fernwood/core/error.h"
#include "stream/online/online_tree.h"

namespace fernwood::stream {

void OnlineTree::pack(Packer& packer) const {
  packer.put(number_);
  packer.put(serial_);
  packer.put(num_subspaces_);
  packer.put(nodes_);
  packer.put(gains_);
  packer.put(leaves_);
  packer.put(attributes_);
  packer.put(edges_);
  packer.put(seen_);
  packer.put(own_);
  packer.put(counts_);
}

void OnlineTree::unpack(Unpacker& unpacker, const OnlineShape& shape) {
  unpacker.get(number_);
  unpacker.get(serial_);
  unpacker.get(num_subspaces_);
  unpacker.get(nodes_);
  unpacker.get(gains_);
  unpacker.get(leaves_);
  unpacker.get(attributes_);
  unpacker.get(edges_);
  unpacker.get(seen_);
  unpacker.get(own_);
  unpacker.get(counts_);
  const std::size_t size = leaves_.size(), rows = size * shape.subspace(), bins = shape.bins();
  bool fits = size > 0 && nodes_.size() == 2 * size - 1 && gains_.size() == nodes_.size() &&
              attributes_.size() == rows && edges_.size() == rows * bins && seen_.size() == size * shape.num_cells() &&
              own_.size() == seen_.size() && counts_.size() == rows * shape.row_size();
  std::vector<std::uint8_t> has_parent(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size() && fits; ++n) {
    const records::RecordNode& node = nodes_[n];
    const auto child = static_cast<std::size_t>(node.child);
    fits = n == 0 || has_parent[n];
    if (node.is_leaf()) {
      const auto leaf = static_cast<std::size_t>(node.leaf_index());
      fits = fits && leaf < size && leaves_[leaf].node == static_cast<std::int32_t>(n);
    } else {
      fits = fits && child > n && child + 1 < nodes_.size() && !has_parent[child] &&
             node.attribute < shape.layout.num_attributes && node.nan_left <= 1 && !is_nan(node.threshold);
      if (fits) has_parent[child] = has_parent[child + 1] = 1;
    }
  }
  const auto is_count = [&](std::int64_t count) { return count >= 0 && count < std::int64_t{1} << 32; };
  const auto are_counts = [&](const std::vector<std::int64_t>& counts) {
    if (!shape.of_targets()) return std::ranges::all_of(counts, is_count);
    for (std::size_t i = 0; i < counts.size(); i += 2) {
      const std::int64_t most = is_count(counts[i]) ? counts[i] * kMaxNumber : -1;
      if (counts[i + 1] > most || counts[i + 1] < -most) return false;
    }
    return true;
  };
  for (const Leaf& leaf : leaves_)
    fits = fits && leaf.depth >= 0 && leaf.depth <= kMaxDepth && is_count(leaf.weight) && is_count(leaf.tried_at) &&
           is_count(leaf.majority_right) && is_count(leaf.bayes_right);
  for (std::size_t row = 0; row < rows && fits; ++row) {
    const std::span<const float> edges = std::span(edges_).subspan(row * bins, bins);
    fits = std::ranges::none_of(edges, [](float edge) { return is_nan(edge); }) && std::ranges::is_sorted(edges) &&
           edges.back() == __builtin_huge_valf();
  }
  fits = fits && std::ranges::all_of(attributes_, [&](std::size_t a) { return a < shape.layout.num_attributes; }) &&
         are_counts(seen_) && are_counts(own_) && are_counts(counts_);
  FW_CHECK(fits, Model, "a tree of its forest is not valid");
}

}  // namespace fernwood::stream
