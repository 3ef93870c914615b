// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the kernels over records share: grids, shared memory and a thread's sums in it.

#include <algorithm>
#include <string>

#include "core/cuda/launch.cuh"
#include "records/cuda/gpu_trees.h"

namespace fernwood::records {

constexpr std::size_t kFreeSharedBytes = 48u << 10;  // what blocks get without asking

/// Why blocks cannot have so much shared memory, as the rest of a sentence; empty when they can.
inline std::string shared_memory_obstacle(std::size_t size_bytes) {
  if (size_bytes <= cuda::block_shared_bytes()) return "";
  return "it needs " + std::to_string(size_bytes) + " bytes of shared memory in a block, and this GPU has " +
         std::to_string(cuda::block_shared_bytes());
}

/// As many blocks as run at once, or fewer when there are not enough records: each walks many records, so that what it
/// brings into shared memory pays.
template <typename Kernel>
unsigned blocks_that_run(Kernel kernel, unsigned threads, std::size_t shared_bytes, std::size_t num_records,
                         std::size_t records_per_block) {
  // All that there is: what is allowed holds for the kernel, which other threads may be about to launch with more.
  if (shared_bytes > kFreeSharedBytes) cuda::allow_shared_memory(kernel, cuda::block_shared_bytes());
  int per_multiprocessor = 0;
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, static_cast<int>(threads),
                                                            shared_bytes),
              "asking for occupancy");
  const unsigned at_once = cuda::num_multiprocessors() * static_cast<unsigned>(std::max(1, per_multiprocessor));
  return std::min(at_once, cuda::blocks_for(num_records, records_per_block));
}

#if defined(__CUDACC__)
extern __shared__ uint4 block_memory[];

/// The sums of one of a thread's records, behind `skip_bytes` of the block's shared memory.
template <typename Sums>
__device__ Sums sums_in_block(std::size_t skip_bytes, std::uint32_t place, std::uint32_t num_places) {
  if constexpr (std::is_same_v<Sums, OneSum>)
    return OneSum{};
  else
    return OutputSums{reinterpret_cast<std::int32_t*>(reinterpret_cast<char*>(block_memory) + skip_bytes) + place,
                      num_places};
}
#endif

}  // namespace fernwood::records
