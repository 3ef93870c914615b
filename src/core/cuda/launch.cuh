// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The one place where kernels are launched.

#include <mutex>
#include <type_traits>

#include "core/cuda/runtime.h"

namespace fernwood::cuda {

/// Lets blocks of a kernel use more shared memory than the default limit of 48 KiB. The limit is never lowered: another
/// thread may be about to launch the kernel.
template <typename... Params>
void allow_shared_memory(void (*kernel)(Params...), std::size_t size_bytes) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  cudaFuncAttributes now{};
  check(cudaFuncGetAttributes(&now, kernel), "asking about shared memory");
  if (static_cast<std::size_t>(now.maxDynamicSharedSizeBytes) >= size_bytes) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(size_bytes)),
        "asking for shared memory");
}

/// Launches a kernel on a stream; an empty grid is skipped.
/// @param name  Name of the kernel, for messages.
template <typename... Params, typename... Args>
void launch(const char* name, void (*kernel)(Params...), dim3 grid, dim3 block, std::size_t shared_bytes,
            const Stream& stream, Args... args) {
  static_assert((std::is_trivially_copyable_v<Params> && ...), "kernels take views, not owners");
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
  kernel<<<grid, block, shared_bytes, stream>>>(args...);
  check(cudaGetLastError(), name);
}

/// Number of blocks of `size` threads that cover `count` items.
inline unsigned blocks_for(std::size_t count, std::size_t size) {
  return static_cast<unsigned>((count + size - 1) / size);
}

}  // namespace fernwood::cuda
