// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_tree.h"

#include <algorithm>

#include "records/grow/finish_tree.h"

namespace fernwood {

StreamTree::StreamTree(std::size_t num_classes) : num_classes_(num_classes) { add_node(0); }

void StreamTree::add_node(int depth) {
  nodes_.emplace_back();
  set_slot(static_cast<std::int32_t>(nodes_.size() - 1), kNoSlot);
  counts_.resize(nodes_.size() * num_classes_);
  depths_.push_back(static_cast<std::uint8_t>(depth));
}

void StreamTree::add_classes(std::size_t num_classes) {
  std::vector<std::uint64_t> counts(nodes_.size() * num_classes);
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    std::copy_n(counts_.data() + n * num_classes_, num_classes_, counts.data() + n * num_classes);
  counts_ = std::move(counts);
  num_classes_ = num_classes;
}

void StreamTree::clear_counts(std::int32_t leaf) {
  std::fill_n(counts_.data() + static_cast<std::size_t>(leaf) * num_classes_, num_classes_, 0);
}

void StreamTree::add_counts(std::int32_t leaf, std::span<const std::uint32_t> counts) {
  std::uint64_t* const seen = counts_.data() + static_cast<std::size_t>(leaf) * num_classes_;
  for (std::size_t c = 0; c < num_classes_; ++c) seen[c] += counts[c];
}

void StreamTree::split(std::int32_t leaf, const Split& split, std::span<const std::uint32_t> left,
                       std::span<const std::uint32_t> all) {
  const auto child = static_cast<std::int32_t>(nodes_.size());
  node(leaf) = {split.threshold, child, split.attribute, split.unknown_left};
  for (int side = 0; side < 2; ++side) add_node(depth(leaf) + 1);
  ++num_leaves_;
  const std::uint64_t* const seen = counts_.data() + static_cast<std::size_t>(leaf) * num_classes_;
  std::uint64_t* const shares = counts_.data() + static_cast<std::size_t>(child) * num_classes_;
  for (std::size_t c = 0; c < num_classes_; ++c) {
    if (all[c] == 0) continue;
    // Where a leaf has seen more than the split was found from, the rest is shared alike.
    const double share = static_cast<double>(left[c]) / static_cast<double>(all[c]);
    shares[c] = seen[c] == all[c] ? left[c] : static_cast<std::uint64_t>(static_cast<double>(seen[c]) * share + 0.5);
    shares[num_classes_ + c] = seen[c] - shares[c];
  }
}

void StreamTree::cut(std::int32_t index, std::span<const std::uint64_t> counts) {
  // Leaves below have been counted as one by the nodes between.
  set_slot(index, kNoSlot);
  --num_leaves_;
  std::ranges::copy(counts,
                    counts_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(index) * num_classes_));
}

RecordTree StreamTree::finish(int fraction_bits) const {
  return finish_tree(nodes_, num_classes_, fraction_bits,
                     [&](std::size_t n) { return counts_.data() + n * num_classes_; });
}

void StreamTree::pack(Packer& packer) const {
  packer.put(std::uint64_t{num_classes_});
  packer.put(std::uint64_t{num_leaves_});
  packer.put(nodes_);
  packer.put(counts_);
  packer.put(depths_);
}

void StreamTree::unpack(Unpacker& unpacker) {
  num_classes_ = unpacker.get<std::uint64_t>();
  num_leaves_ = unpacker.get<std::uint64_t>();
  unpacker.get(nodes_);
  unpacker.get(counts_);
  unpacker.get(depths_);
}

}  // namespace fernwood
