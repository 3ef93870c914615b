// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 0 of labelling: stores sums beside counts, for channels with unknown pixels, so that one read loads both. One
// thread per value of a plane of each of these channels: those derived from depth.
//
// Stage 1: the leaf of every pixel in every tree (thesis algorithm 6).
// One thread per (pixel, tree); a warp processes 32 neighbours of a row. They mostly take the same path, and read fewer
// lines of planes than a square of pixels would: 4.4 per load, against 6.5 for 8 x 4 (NYU Depth v2, three trees of
// depth 18).

#include "core/cuda/launch.cuh"
#include "fernwood/core/error.h"
#include "predict/cuda/gpu_frame.cuh"
#include "predict/cuda/label_stages.h"

namespace fernwood::predict {

namespace {

constexpr int kWarpWidth = 32, kWarpHeight = 1, kWarpsAcross = 1, kWarpsDown = 8;
constexpr int kTileWidth = kWarpWidth * kWarpsAcross, kTileHeight = kWarpHeight * kWarpsDown;

constexpr int kPairThreads = 256;

/// Planes whose values are interleaved.
struct PlanePairs {
  const std::uint32_t *sums[image::kMaxChannels], *counts[image::kMaxChannels];  ///< [pair][size]
  std::int32_t size;
  uint2* pairs;  ///< [pair][size], output.
};

__global__ void pair_planes_kernel(PlanePairs a) {
  const int i = blockIdx.x * kPairThreads + threadIdx.x, pair = blockIdx.y;
  if (i < a.size) a.pairs[static_cast<std::size_t>(pair) * a.size + i] = {a.sums[pair][i], a.counts[pair][i]};
}

template <typename Nodes, typename Words, bool kCounted, bool kMaps>
__global__ void __launch_bounds__(kTileWidth* kTileHeight) find_leaves_kernel(const __grid_constant__ LeafArgs a) {
  // Indexed by a channel that differs between threads: parameters would be read one value at a time.
  __shared__ std::int32_t pair_plane[image::kMaxChannels];
  const int warp = threadIdx.y, lane = threadIdx.x, thread = warp * 32 + lane;
  if (thread < image::kMaxChannels) pair_plane[thread] = a.counted.plane_of[thread];
  __syncthreads();
  const TreePlace tree = a.forest.trees[blockIdx.z];
  const Nodes nodes(a.forest, tree);
  const GpuFrame<Words, kCounted, kMaps> frame(a, pair_plane);

  const int col = blockIdx.x * kTileWidth + warp % kWarpsAcross * kWarpWidth + lane % kWarpWidth;
  const int row = blockIdx.y * kTileHeight + warp / kWarpsAcross * kWarpHeight + lane / kWarpWidth;
  if (col >= a.grid.cols || row >= a.grid.rows) return;
  const int x = a.grid.pixel(col, frame.cols), y = a.grid.pixel(row, frame.rows);
  const std::int32_t leaf = forest::find_leaf(nodes, frame, forest::pixel_site(frame, x, y, false));
  a.leaves(blockIdx.z, static_cast<std::size_t>(row) * a.grid.cols + col) =
      tree.first_leaf + static_cast<std::uint32_t>(leaf);
}

template <typename Nodes, typename Words>
void launch_layout(const LeafArgs& args, const cuda::Stream& stream) {
  const bool counted = args.counted.num_planes > 0, maps = args.frame.maps.num_levels > 0;
  const dim3 grid(cuda::blocks_for(static_cast<std::size_t>(args.grid.cols), kTileWidth),
                  cuda::blocks_for(static_cast<std::size_t>(args.grid.rows), kTileHeight),
                  static_cast<unsigned>(args.forest.trees.size));
  cuda::launch(
      "find leaves",
      maps ? (counted ? find_leaves_kernel<Nodes, Words, true, true> : find_leaves_kernel<Nodes, Words, false, true>)
      : counted ? find_leaves_kernel<Nodes, Words, true, false>
                : find_leaves_kernel<Nodes, Words, false, false>,
      grid, dim3(32, kWarpsAcross * kWarpsDown), 0, stream, args);
}

/// Textures have a maximum size, and nodes a packed form if the tree is not too large.
bool fits_textures(const LeafArgs& args) {
  return args.plane_texture && (args.forest.ferns.size > 0 || args.forest.packed_texture) &&
         (args.counted_texture || args.counted.num_planes == 0);
}
}  // namespace

CountedPlanes pair_planes(const image::PlanesView& frame, std::int32_t num_channels, cuda::GpuBuffer<uint2>& pairs,
                          const cuda::Stream& stream) {
  const auto plane_size = static_cast<std::size_t>(frame.plane_size);
  CountedPlanes counted;
  for (int c = 0; c < image::kMaxChannels; ++c)
    counted.plane_of[c] =
        static_cast<std::int8_t>(c < num_channels && frame.count_plane[c] >= 0 ? counted.num_planes++ : -1);
  pairs.resize(static_cast<std::size_t>(counted.num_planes) * plane_size);
  counted.pairs = pairs.data();
  PlanePairs args = {.sums = {}, .counts = {}, .size = frame.plane_size, .pairs = pairs.data()};
  const auto plane = [&](std::int32_t p) { return frame.planes + static_cast<std::size_t>(p) * plane_size; };
  for (std::int32_t c = 0; c < num_channels; ++c) {
    const std::int32_t pair = counted.plane_of[c];
    if (pair < 0) continue;
    args.sums[pair] = plane(c);
    args.counts[pair] = plane(frame.count_plane[c]);
  }
  const dim3 grid(cuda::blocks_for(plane_size, kPairThreads), static_cast<unsigned>(counted.num_planes));
  cuda::launch("pair planes", pair_planes_kernel, grid, kPairThreads, 0, stream, args);
  return counted;
}

void find_leaves(const LeafArgs& args, bool by_texture, const cuda::Stream& stream) {
  const bool ferns = args.forest.ferns.size > 0;
  if (!by_texture)
    return ferns ? find_fern_leaves_by_loads(args, stream) : launch_layout<PlainNodes, LoadedWords>(args, stream);
  FW_CHECK(fits_textures(args), Usage,
           "the layout \"texture\" has no room for a frame or a forest as large as this one; use auto or l1");
  ferns ? find_fern_leaves_by_texture(args, stream) : launch_layout<TextureNodes, TextureWords>(args, stream);
}

}  // namespace fernwood::predict
