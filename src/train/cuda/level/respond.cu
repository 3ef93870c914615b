// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 1 of growing a level: feature response.
// A block processes a group of neighbouring samples and holds the window of one channel's integral image around them in
// shared memory, channel after channel. Its warps take runs of 32 features; each lane has one feature and iterates over
// the samples. Random reads within shared memory are several times faster than through the L1 cache. Loading the
// windows dominates the time unless there are thousands of features.

#include <cuda_pipeline.h>

#include "core/cuda/launch.cuh"
#include "train/cuda/level/respond.h"

namespace fernwood::train {

namespace {

constexpr int kThreads = 1024, kWarps = kThreads / 32;
/// Number of samples that a warp processes before it takes another run.
constexpr std::uint32_t kWalk = 8;

/// A sample and the address of its responses: 16 bytes, for a single load.
struct alignas(16) GroupedSample {
  forest::PixelSite site;
  float* responses;
};

struct GroupShared {
  GroupedSample samples[kMaxGrouped];
  std::uint32_t group, count;
};

/// Content of shared memory for each pixel of a channel: sums if it has no unknown pixels, else see WindowKind.
enum class Held { kSums, kPacked, kCounted };

/// The window of one channel in shared memory.
template <Held kHeld>
struct WindowPlane {
  const std::uint32_t* sums;
  const std::uint16_t* counts;  ///< Modulo 2^16, which exceeds the number of pixels of a window.
  std::int32_t rows, cols, stride, first;
  std::int32_t least;  ///< See pack_sum().

  /// Mean over a region; NaN if it has none.
  __device__ float mean(const forest::Region& region, const forest::PixelSite& site) const {
    const forest::RegionBox box = forest::region_box(region, site, rows, cols, stride, first);
    const std::uint32_t sum = forest::region_sum(sums, box);
    bool known;
    __builtin_assume(box.area > 0);
    float mean;
    if constexpr (kHeld == Held::kPacked)
      mean = forest::mean_of(packed_sum(sum, least), packed_count(sum), box.inside, &known);
    else if constexpr (kHeld == Held::kCounted)
      mean = forest::mean_of(static_cast<std::int32_t>(sum), forest::region_sum(counts, box), box.inside, &known);
    else
      mean = forest::mean_of(static_cast<std::int32_t>(sum), box.area, box.inside, &known);
    return known ? mean : not_a_number();
  }
};

/// Distributes a window of a plane among the threads of a block, kWindowStep pixels of a row at a time.
/// @param copy  (pixels in the plane, index of the first one in the window)
template <typename Copy>
__device__ void for_window(const std::uint32_t* plane, std::int32_t stride, const Window& window, const Copy& copy) {
  const int width = window.width() / kWindowStep, size = width * window.height();
  int y = static_cast<int>(threadIdx.x) / width, x = static_cast<int>(threadIdx.x) % width;
  const int step_y = kThreads / width, step_x = kThreads % width;
  const std::uint32_t* corner = plane + static_cast<std::size_t>(window.top) * stride + window.left;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < size; i += kThreads) {
    copy(corner + y * stride + x * kWindowStep, i * kWindowStep);
    x += step_x;
    y += step_y;
    if (x >= width) x -= width, ++y;
  }
}

/// Loads a window of a plane, with all copies in flight at once.
__device__ void load_sums(const std::uint32_t* plane, std::int32_t stride, const Window& window, std::uint32_t* sums) {
  for_window(plane, stride, window, [&](const std::uint32_t* from, int at) {
    __pipeline_memcpy_async(sums + at, from, kWindowStep * sizeof(std::uint32_t));
  });
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

/// As load_sums(), for a plane of counts, truncated to 16 bits.
__device__ void load_counts(const std::uint32_t* plane, std::int32_t stride, const Window& window,
                            std::uint16_t* counts) {
  for_window(plane, stride, window, [&](const std::uint32_t* from, int at) {
    const uint4 four = __ldg(reinterpret_cast<const uint4*>(from));
    *reinterpret_cast<ushort4*>(counts + at) =
        make_ushort4(static_cast<unsigned short>(four.x), static_cast<unsigned short>(four.y),
                     static_cast<unsigned short>(four.z), static_cast<unsigned short>(four.w));
  });
}

/// Evaluates a run of features for some samples of a group, with the window of channel `run.channel` loaded.
template <Held kHeld, RunKind kKind>
__device__ void walk(const RespondArgs& args, const FeatureRun& run, const WindowPlane<kHeld>& plane,
                     const GroupShared& group, std::uint32_t begin, std::uint32_t end) {
  const int lane = threadIdx.x % 32;
  if (lane >= run.count) return;
  const forest::RegionFeature feature = args.features[run.first + lane];
  constexpr bool kUsesA = kKind != RunKind::kMeanOfB && kKind != RunKind::kFinishWithB;
  const std::size_t at = args.place(run.first + lane);
  for (std::uint32_t s = begin; s < end; ++s) {
    const GroupedSample sample = group.samples[s];
    float value = plane.mean(kUsesA ? feature.a : feature.b, sample.site);
    if constexpr (kKind == RunKind::kWhole) value -= plane.mean(feature.b, sample.site);
    if constexpr (kKind == RunKind::kFinishWithA) value -= sample.responses[at];
    if constexpr (kKind == RunKind::kFinishWithB) value = sample.responses[at] - value;
    sample.responses[at] = value;
  }
}

/// Evaluates all runs of one channel, from `run_begin` on, distributed over the warps; samples are cut into pieces so
/// that no warp idles.
template <Held kHeld>
__device__ void walk_runs(const RespondArgs& args, std::uint32_t run_begin, std::uint32_t run_end,
                          const WindowPlane<kHeld>& plane, const GroupShared& group, std::uint32_t count) {
  const std::uint32_t pieces = (count + kWalk - 1) / kWalk;
  for (std::uint32_t task = threadIdx.x / 32; task < (run_end - run_begin) * pieces; task += kWarps) {
    const FeatureRun run = args.runs[run_begin + task / pieces];
    const std::uint32_t begin = task % pieces * kWalk, end = min(begin + kWalk, count);
    switch (run.kind) {
      case RunKind::kWhole:
        walk<kHeld, RunKind::kWhole>(args, run, plane, group, begin, end);
        break;
      case RunKind::kMeanOfA:
        walk<kHeld, RunKind::kMeanOfA>(args, run, plane, group, begin, end);
        break;
      case RunKind::kMeanOfB:
        walk<kHeld, RunKind::kMeanOfB>(args, run, plane, group, begin, end);
        break;
      case RunKind::kFinishWithA:
        walk<kHeld, RunKind::kFinishWithA>(args, run, plane, group, begin, end);
        break;
      case RunKind::kFinishWithB:
        walk<kHeld, RunKind::kFinishWithB>(args, run, plane, group, begin, end);
        break;
    }
  }
}

/// Loads the window for the channel of some runs, and evaluates them.
template <Held kHeld>
__device__ void respond_channel(const RespondArgs& args, const TrainFrame& frame, const SampleGroup& g,
                                std::uint32_t run_begin, std::uint32_t run_end, std::uint32_t* sums,
                                const GroupShared& group) {
  const int channel = args.runs[run_begin].channel;
  const image::PlanesView& view = frame.view;
  const int plane_index = kHeld == Held::kPacked ? frame.packed[channel].plane : channel;
  __syncthreads();  // until all threads have finished with the previous window
  load_sums(view.planes + static_cast<std::size_t>(plane_index) * view.plane_size, view.stride, g.window, sums);
  __syncthreads();
  const std::int32_t width = g.window.width();
  const WindowPlane<kHeld> plane = {sums,
                                    reinterpret_cast<const std::uint16_t*>(sums + g.window.size()),
                                    view.rows,
                                    view.cols,
                                    width,
                                    g.window.top * width + g.window.left,
                                    frame.packed[channel].least};
  walk_runs<kHeld>(args, run_begin, run_end, plane, group, group.count);
}

__global__ void __launch_bounds__(kThreads, 1) respond_kernel(RespondArgs args, SampleGroups::View groups) {
  extern __shared__ std::uint32_t sums[];
  __shared__ GroupShared group;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) group.group = atomicAdd(groups.taken, 1u), group.count = 0;
    __syncthreads();
    if (group.group >= *groups.num_groups) return;
    const SampleGroup g = groups.groups[groups.firsts[group.group]];
    const TrainFrame& frame = args.samples.frame_of_sample(g.begin);
    for (std::uint32_t s = g.begin + threadIdx.x; s < g.end; s += kThreads) {
      const forest::PixelSite site = args.samples.sites[s];
      if (args.room.kind_for(frame, site) != g.kind) continue;
      const std::uint32_t at = atomicAdd(&group.count, 1u);
      group.samples[at] = {site, args.responses.row(s)};
    }
    int counted = -1;  // the loaded plane of counts
    for (std::uint32_t run = 0, next; run < args.runs.size; run = next) {
      const int channel = args.runs[run].channel, count_plane = frame.view.count_plane[channel];
      for (next = run; next < args.runs.size && args.runs[next].channel == channel;) ++next;
      if (count_plane < 0) {
        respond_channel<Held::kSums>(args, frame, g, run, next, sums, group);
      } else if (g.kind == WindowKind::kPacked) {
        respond_channel<Held::kPacked>(args, frame, g, run, next, sums, group);
      } else {
        if (counted != count_plane) {
          counted = count_plane;
          __syncthreads();
          load_counts(frame.view.planes + static_cast<std::size_t>(count_plane) * frame.view.plane_size,
                      frame.view.stride, g.window, reinterpret_cast<std::uint16_t*>(sums + g.window.size()));
        }
        respond_channel<Held::kCounted>(args, frame, g, run, next, sums, group);
      }
    }
  }
}

/// Evaluates samples without a group: each block takes one sample in turn, lanes are features, through the L1 cache.
__global__ void respond_lone_kernel(RespondArgs args, SampleGroups::View groups) {
  for (std::uint32_t i = blockIdx.x; i < *groups.num_lone; i += gridDim.x) {
    const std::uint32_t s = groups.lone[i];
    const image::PlanesView& frame = args.samples.frame_of_sample(s).view;
    float* out = args.responses.row(s);
    const forest::PixelSite site = args.samples.sites[s];
    const bool seen = site.inv_depth_y() > 0.0f;
    for (std::uint32_t f = threadIdx.x; f < args.first_map; f += blockDim.x)
      out[args.place(f)] = seen ? forest::response(args.features[f], frame, site) : not_a_number();
  }
}

constexpr unsigned kMapThreads = 256;

/// Evaluates features that read feature maps: each warp takes one sample in turn, lanes are features. The values of a
/// cell are contiguous, so that lanes read few cache lines.
__global__ void respond_maps_kernel(RespondArgs args) {
  const std::uint32_t end = args.samples.starts[args.samples.end];
  const std::uint32_t warps = kMapThreads / 32, lane = threadIdx.x % 32;
  for (std::uint32_t s = args.samples.starts[args.samples.begin] + blockIdx.x * warps + threadIdx.x / 32; s < end;
       s += gridDim.x * warps) {
    const image::MapsView& maps = args.samples.frame_of_sample(s).view.maps;
    const forest::PixelSite site = args.samples.sites[s];
    float* out = args.responses.row(s);
    for (std::uint32_t f = args.first_map + lane; f < args.features.size; f += 32)
      out[args.place(f)] = image::map_value(maps, forest::map_of(args.features[f]), site.x(), site.y());
  }
}

}  // namespace

std::uint32_t window_capacity() {
  constexpr std::size_t kOther = (sizeof(GroupShared) + 1023) / 1024 * 1024;
  return static_cast<std::uint32_t>((cuda::block_shared_bytes() - kOther) / sizeof(std::uint32_t));
}

void respond_cuda(const RespondArgs& args, SampleGroups& groups, const cuda::Stream& stream) {
  const std::size_t window_bytes = args.room.capacity * sizeof(std::uint32_t);
  cuda::allow_shared_memory(respond_kernel, window_bytes);
  const SampleGroups::View found = groups.find(args.samples, args.room, stream);
  cuda::launch("feature response", respond_kernel, cuda::num_multiprocessors(), kThreads, window_bytes, stream, args,
               found);
  cuda::launch("feature response of lone samples", respond_lone_kernel, 16 * cuda::num_multiprocessors(), 256, 0,
               stream, args, found);
  if (args.first_map < args.features.size)
    cuda::launch("feature maps", respond_maps_kernel, 8 * cuda::num_multiprocessors(), kMapThreads, 0, stream, args);
}

}  // namespace fernwood::train
