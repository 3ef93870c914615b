// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/cuda/buffer.h"

#include <string>

#include "fernwood/core/file.h"

namespace fernwood::cuda {

void* allocate(Place place, std::size_t size_bytes) {
  void* memory = nullptr;
  if (size_bytes == 0) return memory;
  const cudaError_t status =
      place == Place::kGpu ? cudaMalloc(&memory, size_bytes) : cudaMallocHost(&memory, size_bytes);
  if (status != cudaSuccess) {
    const std::string what =
        format_bytes(size_bytes) + (place == Place::kGpu ? "" : " of page-locked memory") + " wanted";
    check(status, what.c_str());
  }
  return memory;
}

void release(Place place, void* memory) noexcept {
  if (!memory) return;
  if (place == Place::kGpu)
    cudaFree(memory);
  else
    cudaFreeHost(memory);
}

}  // namespace fernwood::cuda
