// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/forest/forest.h"

namespace fernwood::predict {

/// A Node in 16 bytes, aligned, so that a GPU reads it with one load. In breadth-first order the index of a left child
/// is odd, so that half of it suffices.
struct alignas(16) PackedNode {
  std::uint32_t word;       ///< Bits 0-21: (child - 1) / 2 or leaf index; 22-25: channel_a, or kPackedMapChannel;
                            ///< 26-29: channel_b, or kNoPackedChannel; 31: leaf.
  std::uint32_t threshold;  ///< Bits of a float.
  std::uint32_t a, b;       ///< Bytes of a Region.
};
static_assert(sizeof(PackedNode) == 16);

inline constexpr int kPackedIndexBits = 22, kPackedChannelBits = 4;
inline constexpr std::uint32_t kNoPackedChannel = (1u << kPackedChannelBits) - 1;
/// Not used by a channel: at most 14 channels can be packed.
inline constexpr std::uint32_t kPackedMapChannel = kNoPackedChannel - 1;

/// Whether a tree's nodes can be packed: at most 2^22 leaves and fewer than 15 channels, in breadth-first order.
inline bool can_pack(const forest::Tree& tree, int num_channels) {
  return tree.nodes.size() < std::size_t{1} << (kPackedIndexBits + 1) &&
         num_channels < static_cast<int>(kNoPackedChannel) &&
         std::ranges::all_of(tree.nodes,
                             [](const forest::Node& node) { return node.is_leaf() || node.child % 2 == 1; });
}

/// @param node  Node of a tree for which can_pack() is true.
inline PackedNode pack(const forest::Node& node) {
  if (node.is_leaf()) return {static_cast<std::uint32_t>(node.leaf_index()) | 1u << 31, 0, 0, 0};
  const forest::RegionFeature& f = node.feature;
  const std::uint32_t channel_a = forest::reads_map(f) ? kPackedMapChannel : f.channel_a,
                      channel_b = f.channel_b == forest::kNoChannel ? kNoPackedChannel : f.channel_b;
  return {static_cast<std::uint32_t>(node.child - 1) / 2 | channel_a << kPackedIndexBits |
              channel_b << (kPackedIndexBits + kPackedChannelBits),
          __builtin_bit_cast(std::uint32_t, node.threshold), __builtin_bit_cast(std::uint32_t, f.a),
          __builtin_bit_cast(std::uint32_t, f.b)};
}

/// Restores an inner node; of a leaf only the index.
FW_HD forest::Node unpack(const PackedNode& packed) {
  const auto index = static_cast<std::int32_t>(packed.word & ((1u << kPackedIndexBits) - 1));
  const std::uint32_t channel_b = packed.word >> (kPackedIndexBits + kPackedChannelBits) & kNoPackedChannel;
  forest::Node node;
  node.child = packed.word >> 31 ? ~index : 2 * index + 1;
  node.threshold = __builtin_bit_cast(float, packed.threshold);
  node.feature.a = __builtin_bit_cast(forest::Region, packed.a);
  node.feature.b = __builtin_bit_cast(forest::Region, packed.b);
  const std::uint32_t channel_a = packed.word >> kPackedIndexBits & kNoPackedChannel;
  node.feature.channel_a = channel_a == kPackedMapChannel ? image::kMapChannel : static_cast<std::uint8_t>(channel_a);
  node.feature.channel_b = channel_b == kNoPackedChannel ? forest::kNoChannel : static_cast<std::uint8_t>(channel_b);
  return node;
}

}  // namespace fernwood::predict
