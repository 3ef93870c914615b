// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stage 1 of growing a level: feature response.
// A block takes a group of neighbouring samples and holds the window of one channel's integral image around them in
// shared memory, channel after channel. Its warps take runs of 32 features; each lane keeps one feature and walks the
// samples. Random reads within shared memory are several times faster than through the first-level cache.

#include <cuda_pipeline.h>

#include "core/cuda/launch.cuh"
#include "train/cuda/respond.h"

namespace fernwood::train {

namespace {

constexpr int kThreads = 1024, kWarps = kThreads / 32;
/// Samples that a warp walks before it takes another run.
constexpr std::uint32_t kWalk = 8;

/// A sample and where its responses go: 16 bytes, which one load brings.
struct alignas(16) GroupedSample {
  forest::PixelSite site;
  float* responses;
};

struct GroupShared {
  GroupedSample samples[kMostGrouped];
  std::uint32_t group, count;
};

/// The window of one channel in shared memory.
template <bool kPacked>
struct WindowPlane {
  const std::uint32_t* sums;
  std::int32_t rows, cols, stride, first;
  std::int32_t least;  ///< See pack_sum().

  /// Mean over a region; NaN where there is none.
  __device__ float mean(const forest::Region& region, const forest::PixelSite& site) const {
    const forest::RegionBox box = forest::region_box(region, site, rows, cols, stride, first);
    const std::uint32_t sum = forest::region_sum(sums, box);
    bool known;
    __builtin_assume(box.area > 0);
    const float mean = kPacked ? forest::mean_of(packed_sum(sum, least), packed_count(sum), box.inside, &known)
                               : forest::mean_of(static_cast<std::int32_t>(sum), box.area, box.inside, &known);
    return known ? mean : not_a_number();
  }
};

/// Lets the threads of a block copy a window of a plane; all of it is under way at a time.
__device__ void load_window(const std::uint32_t* plane, std::int32_t stride, const Window& window,
                            std::uint32_t* sums) {
  const int width = window.width() / kWindowStep, size = width * window.height();
  int y = static_cast<int>(threadIdx.x) / width, x = static_cast<int>(threadIdx.x) % width;
  const int step_y = kThreads / width, step_x = kThreads % width;
  const std::uint32_t* corner = plane + static_cast<std::size_t>(window.top) * stride + window.left;
  for (int i = static_cast<int>(threadIdx.x); i < size; i += kThreads) {
    __pipeline_memcpy_async(sums + i * kWindowStep, corner + y * stride + x * kWindowStep,
                            kWindowStep * sizeof(std::uint32_t));
    x += step_x;
    y += step_y;
    if (x >= width) x -= width, ++y;
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

/// A run of features for some samples of a group, with the window of channel `run.channel` at hand.
template <bool kPacked, RunKind kKind>
__device__ void walk(const RespondArgs& args, const FeatureRun& run, const WindowPlane<kPacked>& plane,
                     const GroupShared& group, std::uint32_t begin, std::uint32_t end) {
  const int lane = threadIdx.x % 32;
  if (lane >= run.count) return;
  const forest::RegionFeature feature = args.features[run.first + lane];
  constexpr bool kUsesA = kKind != RunKind::kMeanOfB && kKind != RunKind::kFinishWithB;
  const std::uint32_t at = run.first + lane;
  for (std::uint32_t s = begin; s < end; ++s) {
    const GroupedSample sample = group.samples[s];
    float value = plane.mean(kUsesA ? feature.a : feature.b, sample.site);
    if constexpr (kKind == RunKind::kWhole) value -= plane.mean(feature.b, sample.site);
    if constexpr (kKind == RunKind::kFinishWithA) value -= sample.responses[at];
    if constexpr (kKind == RunKind::kFinishWithB) value = sample.responses[at] - value;
    sample.responses[at] = value;
  }
}

/// All runs of one channel, from `run` on, shared among the warps; samples are cut into pieces so that no warp idles.
template <bool kPacked>
__device__ void walk_runs(const RespondArgs& args, std::uint32_t run_begin, std::uint32_t run_end,
                          const WindowPlane<kPacked>& plane, const GroupShared& group, std::uint32_t count) {
  const std::uint32_t pieces = (count + kWalk - 1) / kWalk;
  for (std::uint32_t task = threadIdx.x / 32; task < (run_end - run_begin) * pieces; task += kWarps) {
    const FeatureRun run = args.runs[run_begin + task / pieces];
    const std::uint32_t begin = task % pieces * kWalk, end = min(begin + kWalk, count);
    switch (run.kind) {
      case RunKind::kWhole:
        walk<kPacked, RunKind::kWhole>(args, run, plane, group, begin, end);
        break;
      case RunKind::kMeanOfA:
        walk<kPacked, RunKind::kMeanOfA>(args, run, plane, group, begin, end);
        break;
      case RunKind::kMeanOfB:
        walk<kPacked, RunKind::kMeanOfB>(args, run, plane, group, begin, end);
        break;
      case RunKind::kFinishWithA:
        walk<kPacked, RunKind::kFinishWithA>(args, run, plane, group, begin, end);
        break;
      case RunKind::kFinishWithB:
        walk<kPacked, RunKind::kFinishWithB>(args, run, plane, group, begin, end);
        break;
    }
  }
}

template <bool kPacked>
__device__ void respond_channel(const RespondArgs& args, const SampleGroup& g, std::uint32_t run_begin,
                                std::uint32_t run_end, std::uint32_t* sums, const GroupShared& group) {
  const TrainFrame& frame = args.samples.frames[g.frame];
  const int channel = args.runs[run_begin].channel;
  const int plane_index = kPacked ? frame.packed[channel].plane : channel;
  __syncthreads();  // all are done with the window before
  load_window(frame.view.planes + static_cast<std::size_t>(plane_index) * frame.view.plane_size, frame.view.stride,
              g.window, sums);
  __syncthreads();
  const std::int32_t width = g.window.width();
  const WindowPlane<kPacked> plane = {
      sums, frame.view.rows, frame.view.cols, width, g.window.top * width + g.window.left, frame.packed[channel].least};
  walk_runs<kPacked>(args, run_begin, run_end, plane, group, group.count);
}

__device__ bool fits(const RespondArgs& args, const TrainFrame& frame, const forest::PixelSite& site) {
  return fits_window(args.reach, site, frame.view.rows, frame.view.cols, args.window_capacity,
                     frame.most_packed_pixels);
}

/// Groups samples as they come, along the Z-order curve, for as long as one window holds them: a warp for each frame.
__global__ void group_samples_kernel(RespondArgs args, SampleGroup* groups, LoneSample* lone, std::uint32_t* num_groups,
                                     std::uint32_t* num_lone) {
  const SampledFrames& samples = args.samples;
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t f = samples.begin + (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (f >= samples.end) return;
  const std::uint32_t frame_index = samples.tree_frames[f], begin = samples.starts[f], end = samples.starts[f + 1];
  const TrainFrame& frame = samples.frames[frame_index];
  SampleGroup group = {{}, frame_index, begin, 0};
  const auto close = [&](std::uint32_t group_end) {
    group.count = group_end - group.begin;
    if (lane == 0) groups[atomicAdd(num_groups, 1u)] = group;
  };
  bool empty = true;  // as long as the group has no sample but lone ones
  for (std::uint32_t base = begin; base < end; base += 32) {
    Window own = {};
    bool fitting = false;
    if (base + lane < end) {
      const forest::PixelSite site = args.samples.sites[base + lane];
      own = window_of(args.reach, site, frame.view.rows, frame.view.cols);
      fitting = fits(args, frame, site);
      if (!fitting) lone[atomicAdd(num_lone, 1u)] = {base + lane, frame_index};
    }
    const std::uint32_t all_fitting = __ballot_sync(~0u, fitting);
    for (std::uint32_t i = 0; i < 32 && base + i < end; ++i) {
      const Window window = {__shfl_sync(~0u, own.left, i), __shfl_sync(~0u, own.top, i),
                             __shfl_sync(~0u, own.right, i), __shfl_sync(~0u, own.bottom, i)};
      if (!(all_fitting >> i & 1)) continue;
      const std::uint32_t s = base + i;
      const Window both = empty ? window : around(group.window, window);
      if (both.size() <= args.window_capacity && s - group.begin < kMostGrouped) {
        group.window = both;
      } else {
        if (!empty) close(s);
        group.begin = s;
        group.window = window;
      }
      empty = false;
    }
  }
  if (!empty) close(end);
}

__global__ void __launch_bounds__(kThreads, 1)
    respond_kernel(RespondArgs args, const SampleGroup* groups, const std::uint32_t* num_groups, std::uint32_t* taken) {
  extern __shared__ std::uint32_t sums[];
  __shared__ GroupShared group;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) group.group = atomicAdd(taken, 1u), group.count = 0;
    __syncthreads();
    if (group.group >= *num_groups) return;
    const SampleGroup g = groups[group.group];
    const TrainFrame& train_frame = args.samples.frames[g.frame];
    const image::PlanesView& frame = train_frame.view;
    for (std::uint32_t i = threadIdx.x; i < g.count; i += kThreads) {
      const forest::PixelSite site = args.samples.sites[g.begin + i];
      if (!fits(args, train_frame, site)) continue;
      const std::uint32_t at = atomicAdd(&group.count, 1u);
      group.samples[at] = {site, args.responses.row(args.samples.rows[g.begin + i])};
    }
    for (std::uint32_t run = 0, next; run < args.runs.size; run = next) {
      const int channel = args.runs[run].channel;
      for (next = run; next < args.runs.size && args.runs[next].channel == channel;) ++next;
      if (frame.count_plane[channel] >= 0)
        respond_channel<true>(args, g, run, next, sums, group);
      else
        respond_channel<false>(args, g, run, next, sums, group);
    }
  }
}

/// Samples without a group: a block for each in turn, lanes are features, through the first-level cache.
__global__ void respond_lone_kernel(RespondArgs args, const LoneSample* lone, const std::uint32_t* num_lone) {
  for (std::uint32_t i = blockIdx.x; i < *num_lone; i += gridDim.x) {
    const std::uint32_t s = lone[i].sample;
    const image::PlanesView& frame = args.samples.frames[lone[i].frame].view;
    float* out = args.responses.row(args.samples.rows[s]);
    const forest::PixelSite site = args.samples.sites[s];
    const bool seen = site.inv_depth_y() > 0.0f;
    for (std::size_t f = threadIdx.x; f < args.features.size; f += blockDim.x)
      out[f] = seen ? forest::response(args.features[f], frame, site) : not_a_number();
  }
}

}  // namespace

void RespondScratch::reserve(std::size_t num_samples) {
  groups.resize(num_samples);
  lone.resize(num_samples);
  counters.resize(3);
}

std::uint32_t window_capacity() {
  constexpr std::size_t kOther = (sizeof(GroupShared) + 1023) / 1024 * 1024;
  return static_cast<std::uint32_t>((cuda::block_shared_bytes() - kOther) / sizeof(std::uint32_t));
}

void respond_cuda(const RespondArgs& args, RespondScratch& scratch, const cuda::Stream& stream) {
  const std::size_t window_bytes = args.window_capacity * sizeof(std::uint32_t);
  cuda::allow_shared_memory(respond_kernel, window_bytes);
  cuda::fill_with_zeros(scratch.counters.view(), stream);
  std::uint32_t *num_groups = scratch.counters.data(), *taken = num_groups + 1, *num_lone = num_groups + 2;
  const std::uint32_t num_frames = args.samples.end - args.samples.begin;
  cuda::launch("grouping samples", group_samples_kernel, cuda::blocks_for(num_frames, 4), 128, 0, stream, args,
               scratch.groups.data(), scratch.lone.data(), num_groups, num_lone);
  cuda::launch("feature response", respond_kernel, cuda::num_multiprocessors(), kThreads, window_bytes, stream, args,
               static_cast<const SampleGroup*>(scratch.groups.data()), static_cast<const std::uint32_t*>(num_groups),
               taken);
  cuda::launch("feature response of lone samples", respond_lone_kernel, 16 * cuda::num_multiprocessors(), 256, 0,
               stream, args, static_cast<const LoneSample*>(scratch.lone.data()),
               static_cast<const std::uint32_t*>(num_lone));
}

}  // namespace fernwood::train
