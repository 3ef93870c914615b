// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Samples are grouped in their order along the Z-order curve, for as long as one window holds them. Each group is
// stored at the index of its first sample; CUB then lists the groups in that order.

#include "train/cuda/level/group_samples.h"

#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_select.cuh>

#include "core/cuda/launch.cuh"

namespace fernwood::train {

namespace {

/// Mark of a sample; samples without a mark have 0.
enum Mark : std::uint8_t { kFirst = 1, kLone = 2 };

/// Two warps for each frame: one for each kind of window.
__global__ void group_samples_kernel(SampledFrames samples, WindowRoom room, SampleGroup* groups, std::uint8_t* marks) {
  const std::uint32_t lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const std::uint32_t f = samples.begin + warp / 2;
  if (f >= samples.end) return;
  const WindowKind kind = warp % 2 == 0 ? WindowKind::kPacked : WindowKind::kCounted;
  const TrainFrame& frame = samples.frames[samples.tree_frames[f]];
  if (kind == WindowKind::kCounted && frame.most_packed_pixels == kNothingPacked) return;
  const std::uint32_t begin = samples.starts[f], end = samples.starts[f + 1];
  const std::int64_t most_pixels = most_window_pixels(kind, room.capacity);
  SampleGroup group = {{}, begin, begin, kind};
  std::uint32_t members = 0;
  const auto close = [&](std::uint32_t group_end) {
    if (members == 0 || lane != 0) return;
    group.end = group_end;
    groups[group.begin] = group;
    marks[group.begin] = kFirst;
  };
  for (std::uint32_t base = begin; base < end; base += 32) {
    Window own = {};
    bool fitting = false;
    if (base + lane < end) {
      const forest::PixelSite site = samples.sites[base + lane];
      own = window_of(room.reach, site, frame.view.rows, frame.view.cols);
      const WindowKind own_kind = room.kind_for(frame, site);
      fitting = own_kind == kind;
      if (own_kind == WindowKind::kNone && kind == WindowKind::kPacked) marks[base + lane] = kLone;
    }
    for (std::uint32_t left = __ballot_sync(~0u, fitting); left != 0; left &= left - 1) {
      const int i = __ffs(static_cast<int>(left)) - 1;
      const Window window = {__shfl_sync(~0u, own.left, i), __shfl_sync(~0u, own.top, i),
                             __shfl_sync(~0u, own.right, i), __shfl_sync(~0u, own.bottom, i)};
      const Window both = members == 0 ? window : around(group.window, window);
      if (both.size() <= most_pixels && members < kMaxGrouped) {
        group.window = both;
        if (members++ == 0) group.begin = base + i;
      } else {
        close(base + i);
        group.window = window;
        group.begin = base + i;
        members = 1;
      }
    }
  }
  close(end);
}

struct IsMarked {
  const std::uint8_t* marks;
  std::uint8_t mark;
  __device__ bool operator()(std::uint32_t sample) const { return marks[sample] == mark; }
};

/// Lists the samples with a mark. @param number  Receives their number.
void list_marked(IsMarked is_marked, std::size_t num_samples, std::uint32_t* list, std::uint32_t* number,
                 cuda::Scratch& scratch, const cuda::Stream& stream) {
  const auto select = [&](void* memory, std::size_t& size_bytes) {
    cuda::check(cub::DeviceSelect::If(memory, size_bytes, thrust::counting_iterator<std::uint32_t>(0), list, number,
                                      static_cast<std::int64_t>(num_samples), is_marked, stream),
                "listing samples");
  };
  std::size_t size_bytes = 0;
  select(nullptr, size_bytes);
  char* const memory = scratch.allocate(static_cast<std::ptrdiff_t>(size_bytes));
  select(memory, size_bytes);
  scratch.deallocate(memory, size_bytes);
}

}  // namespace

void SampleGroups::reserve(std::size_t num_samples) {
  groups_.resize(num_samples);
  marks_.resize(num_samples);
  firsts_.resize(num_samples);
  lone_.resize(num_samples);
  counters_.resize(3);
}

SampleGroups::View SampleGroups::find(const SampledFrames& samples, const WindowRoom& room,
                                      const cuda::Stream& stream) {
  const std::size_t num_samples = samples.sites.size;
  std::uint32_t *num_groups = counters_.data(), *num_lone = num_groups + 1, *taken = num_groups + 2;
  cuda::fill_with_zeros(View1<std::uint8_t>{marks_.data(), num_samples}, stream);
  cuda::fill_with_zeros(counters_.view(), stream);
  cuda::launch("grouping samples", group_samples_kernel, cuda::blocks_for(2 * (samples.end - samples.begin), 4), 128, 0,
               stream, samples, room, groups_.data(), marks_.data());
  list_marked({marks_.data(), kFirst}, num_samples, firsts_.data(), num_groups, scratch_, stream);
  list_marked({marks_.data(), kLone}, num_samples, lone_.data(), num_lone, scratch_, stream);
  return {groups_.data(), firsts_.data(), lone_.data(), num_groups, num_lone, taken};
}

}  // namespace fernwood::train
