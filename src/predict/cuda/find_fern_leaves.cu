// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 1 of labelling with ferns: the leaf of every pixel in every fern (thesis 4.4.2).
// One thread per (pixel, fern); a warp processes 32 neighbours of a row. All threads evaluate the same test at the same
// time, so that branches on its properties are uniform across the warp. Stopping when all leaves of a warp are known
// cost more than it saved at 18 levels, and gained 6 % at 25.

#include "core/cuda/launch.cuh"
#include "predict/cuda/gpu_frame.cuh"
#include "predict/cuda/label_stages.h"

namespace fernwood::predict {

namespace {

constexpr int kWidth = 32, kWarps = 8;

/// @tparam kCounted   Whether a channel of the test may have unknown pixels.
/// @tparam kAbsolute  Whether the test reads a single region.
template <bool kCounted, bool kAbsolute, typename AnyFrame>
__device__ __forceinline__ float respond(const AnyFrame& frame, const WideTest& test, const forest::PixelSite& site) {
  WideTest feature = test;
  if (kAbsolute)
    feature.channel_b = forest::kNoChannel;
  else
    __builtin_assume(feature.channel_b != forest::kNoChannel);
  const std::int32_t count_a = kCounted ? count_plane_of(frame, feature.channel_a) : -1;
  const std::int32_t count_b = kCounted && !kAbsolute ? count_plane_of(frame, feature.channel_b) : -1;
  return forest::response(feature, frame, site, count_a, count_b);
}

template <typename Words, bool kCounted, bool kMaps>
__device__ __forceinline__ float respond(const GpuFrame<Words, kCounted, kMaps>& frame, const WideTest& test,
                                         const forest::PixelSite& site) {
  if (kMaps && forest::reads_map(test)) return map_at(frame, test.channel_b, site.x(), site.y());
  const bool absolute = test.channel_b == forest::kNoChannel;
  const bool counted = kCounted && (count_plane_of(frame, test.channel_a) >= 0 ||
                                    count_plane_of(frame, forest::second_channel(test)) >= 0);
  if (counted)
    return absolute ? respond<kCounted, true>(frame, test, site) : respond<kCounted, false>(frame, test, site);
  return absolute ? respond<false, true>(frame, test, site) : respond<false, false>(frame, test, site);
}

template <typename Words, bool kCounted, bool kMaps>
__global__ void __launch_bounds__(kWidth* kWarps)
    find_fern_leaves_kernel(const __grid_constant__ LeafArgs a, const __grid_constant__ FernBatch batch) {
  __shared__ std::int32_t pair_plane[image::kMaxChannels];
  const int thread = threadIdx.y * kWidth + threadIdx.x;
  if (thread < image::kMaxChannels) pair_plane[thread] = a.counted.plane_of[thread];
  __syncthreads();
  const GpuFrame<Words, kCounted, kMaps> frame(a, pair_plane);

  const int col = blockIdx.x * kWidth + threadIdx.x, row = blockIdx.y * kWarps + threadIdx.y;
  if (col >= a.grid.cols || row >= a.grid.rows) return;
  const forest::PixelSite site =
      forest::pixel_site(frame, a.grid.pixel(col, frame.cols), a.grid.pixel(row, frame.rows), false);
  const FernPlace& fern = batch.places[blockIdx.z];
  std::uint32_t code = 0;
  for (int t = 0; t < fern.num_tests; ++t) {
    const WideTest& test = batch.tests[fern.first_test + t];
    // Outside the cases: with a copy in each case, the layout l1 took 2.5 times as long where depth has holes.
    code = forest::next_code(code, respond(frame, test, site), test.threshold);
  }
  const uint2 words = __ldg(reinterpret_cast<const uint2*>(fern.leaf_words) + code / 32);
  a.leaves(batch.first_fern + blockIdx.z, static_cast<std::size_t>(row) * a.grid.cols + col) =
      fern.first_leaf + forest::leaf_of_code({words.x, words.y}, code);
}

template <typename Words>
void launch_batch(const LeafArgs& args, const FernBatch& batch, const cuda::Stream& stream) {
  static_assert(sizeof(LeafArgs) + sizeof(FernBatch) <= 4096, "more parameters than a kernel may have");
  const bool counted = args.counted.num_planes > 0, maps = args.frame.maps.num_levels > 0;
  const dim3 grid(cuda::blocks_for(static_cast<std::size_t>(args.grid.cols), kWidth),
                  cuda::blocks_for(static_cast<std::size_t>(args.grid.rows), kWarps),
                  static_cast<unsigned>(batch.num_ferns));
  cuda::launch(
      "find fern leaves",
      maps      ? (counted ? find_fern_leaves_kernel<Words, true, true> : find_fern_leaves_kernel<Words, false, true>)
      : counted ? find_fern_leaves_kernel<Words, true, false>
                : find_fern_leaves_kernel<Words, false, false>,
      grid, dim3(kWidth, kWarps), 0, stream, args, batch);
}

template <typename Words>
void launch_batches(const LeafArgs& args, const cuda::Stream& stream) {
  for (const FernBatch& batch : args.forest.ferns) launch_batch<Words>(args, batch, stream);
}

}  // namespace

void find_fern_leaves_by_texture(const LeafArgs& args, const cuda::Stream& stream) {
  launch_batches<TextureWords>(args, stream);
}
void find_fern_leaves_by_loads(const LeafArgs& args, const cuda::Stream& stream) {
  launch_batches<LoadedWords>(args, stream);
}

}  // namespace fernwood::predict
