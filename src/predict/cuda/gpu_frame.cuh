// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// How the formulas of region_feature.h and forest.h read planes and nodes on a GPU: the building blocks of layouts.

#include "predict/cuda/label_stages.h"

namespace fernwood::predict {

// Sources of plane values.

struct LoadedWords {
  const std::uint32_t* words;
  const uint2* pairs;

  __device__ explicit LoadedWords(const LeafArgs& args) : words(args.frame.planes), pairs(args.counted.pairs) {}
  __device__ std::uint32_t word(std::int32_t index) const { return __ldg(words + index); }
  __device__ uint2 pair(std::int32_t index) const { return __ldg(pairs + index); }
};

struct TextureWords {
  cudaTextureObject_t words, pairs;

  __device__ explicit TextureWords(const LeafArgs& args) : words(args.plane_texture), pairs(args.counted_texture) {}
  __device__ std::uint32_t word(std::int32_t index) const { return tex1Dfetch<unsigned>(words, index); }
  __device__ uint2 pair(std::int32_t index) const { return tex1Dfetch<uint2>(pairs, index); }
};

/// A frame's planes for the formulas, with the interface of a PlanesView. Sums and counts of channels with unknown
/// pixels are read together, which halves the number of reads.
/// @tparam kCounted  Whether such channels exist; if not, the compiler removes all code for them.
/// @tparam kMaps  The same for feature maps.
template <typename Words, bool kCounted, bool kMaps>
struct GpuFrame {
  Words words;
  std::int32_t rows, cols, stride, plane_size, depth_channel;
  const std::int32_t* pair_plane;  ///< [channel] In shared memory; -1: all pixels are known.
  const image::MapsView& maps;     ///< A kernel parameter.

  __device__ GpuFrame(const LeafArgs& args, const std::int32_t* pair_plane)
      : words(args),
        rows(args.frame.rows),
        cols(args.frame.cols),
        stride(args.frame.stride),
        plane_size(args.frame.plane_size),
        depth_channel(args.frame.depth_channel),
        pair_plane(pair_plane),
        maps(args.frame.maps) {}
};

template <typename Words, bool kCounted, bool kMaps>
__device__ __forceinline__ std::int32_t count_plane_of(const GpuFrame<Words, kCounted, kMaps>& frame,
                                                       std::int32_t channel) {
  if constexpr (kCounted) return frame.pair_plane[channel];
  return -1;
}

template <typename Words, bool kCounted, bool kMaps>
__device__ __forceinline__ std::uint32_t plane_sum(const GpuFrame<Words, kCounted, kMaps>& frame, std::int32_t plane,
                                                   const forest::RegionBox& box) {
  const std::int32_t above = plane * frame.plane_size + box.corner, below = above + box.drop;
  return frame.words.word(below + box.width) - frame.words.word(below) - frame.words.word(above + box.width) +
         frame.words.word(above);
}

template <typename Words, bool kCounted, bool kMaps>
__device__ constexpr bool has_maps(const GpuFrame<Words, kCounted, kMaps>&) {
  return kMaps;
}

template <typename Words, bool kCounted, bool kMaps>
__device__ __forceinline__ float map_at(const GpuFrame<Words, kCounted, kMaps>& frame, std::int32_t map, std::int32_t x,
                                        std::int32_t y) {
  return image::map_value(frame.maps, map, x, y);
}

/// Neighbours are mostly at the same node, so that whole warps take the same branch.
template <typename Words, bool kCounted, bool kMaps>
__device__ constexpr bool skips_unused(const GpuFrame<Words, kCounted, kMaps>&) {
  return true;
}

template <typename Words, bool kCounted, bool kMaps>
__device__ __forceinline__ float region_mean(const GpuFrame<Words, kCounted, kMaps>& frame, std::int32_t channel,
                                             std::int32_t pair_plane, const forest::RegionBox& box, bool* known) {
  if (!kCounted || pair_plane < 0) {
    // Otherwise the compiler guards against an empty region: 7 % slower through the cache.
    __builtin_assume(box.area > 0);
    return forest::mean_of(static_cast<std::int32_t>(plane_sum(frame, channel, box)), box.area, box.inside, known);
  }
  const std::int32_t above = pair_plane * frame.plane_size + box.corner, below = above + box.drop;
  const uint2 p = frame.words.pair(below + box.width), q = frame.words.pair(below);
  const uint2 r = frame.words.pair(above + box.width), s = frame.words.pair(above);
  return forest::mean_of(static_cast<std::int32_t>(p.x - q.x - r.x + s.x),
                         static_cast<std::int32_t>(p.y - q.y - r.y + s.y), box.inside, known);
}

// Sources of nodes.

__device__ __forceinline__ forest::Node node_of(const uint4& words) {
  return unpack(PackedNode{words.x, words.y, words.z, words.w});
}

struct PlainNodes {
  const std::uint32_t* words;

  __device__ PlainNodes(const ForestView& forest, const TreePlace& tree)
      : words(reinterpret_cast<const std::uint32_t*>(forest.nodes + tree.first_node)) {}

  /// Loaded word by word: a Node would be loaded byte by byte.
  __device__ forest::Node operator[](std::int32_t index) const {
    struct Words {
      std::uint32_t word[sizeof(forest::Node) / sizeof(std::uint32_t)];
    } copy;
    const std::uint32_t* from = words + static_cast<std::size_t>(index) * 5;
#pragma unroll
    for (int i = 0; i < 5; ++i) copy.word[i] = __ldg(from + i);
    return __builtin_bit_cast(forest::Node, copy);
  }
};

struct TextureNodes {
  cudaTextureObject_t texture;
  std::int32_t first;

  __device__ TextureNodes(const ForestView& forest, const TreePlace& tree)
      : texture(forest.packed_texture), first(static_cast<std::int32_t>(tree.first_node)) {}
  __device__ forest::Node operator[](std::int32_t index) const {
    return node_of(tex1Dfetch<uint4>(texture, first + index));
  }
};

}  // namespace fernwood::predict
