// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/cuda/buffer.h"

#include <cstdlib>
#include <string>

#include "fernwood/core/text.h"

namespace fernwood::cuda {

namespace {

constexpr std::size_t kPage = 4096;

/// Page-locked memory of the host: memory that is there already is locked ten times faster than new memory is made, and
/// touching it is work that threads share.
cudaError_t allocate_pinned(void** memory, std::size_t size_bytes) {
  const std::size_t whole_pages = (size_bytes + kPage - 1) / kPage * kPage;
  *memory = std::aligned_alloc(kPage, whole_pages);
  if (!*memory) return cudaErrorMemoryAllocation;
  for (std::size_t at = 0; at < whole_pages; at += kPage) static_cast<volatile char*>(*memory)[at] = 0;
  const cudaError_t status = cudaHostRegister(*memory, whole_pages, cudaHostRegisterDefault);
  if (status != cudaSuccess) std::free(*memory);
  return status;
}

}  // namespace

void* allocate(Place place, std::size_t size_bytes) {
  void* memory = nullptr;
  if (size_bytes == 0) return memory;
  const cudaError_t status =
      place == Place::kGpu ? cudaMalloc(&memory, size_bytes) : allocate_pinned(&memory, size_bytes);
  if (status != cudaSuccess) {
    const std::string what =
        format_bytes(size_bytes) + (place == Place::kGpu ? "" : " of page-locked memory") + " wanted";
    check(status, what.c_str());
  }
  return memory;
}

void release(Place place, void* memory) noexcept {
  if (!memory) return;
  if (place == Place::kGpu) {
    cudaFree(memory);
    return;
  }
  cudaHostUnregister(memory);
  std::free(memory);
}

}  // namespace fernwood::cuda
