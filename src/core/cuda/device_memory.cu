// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/cuda/buffer.h"
#include "core/gpu_memory.h"

namespace fernwood {

void* allocate_on_gpu(int gpu, std::size_t size_bytes) {
  const cuda::ScopedGpu use(gpu);
  return cuda::allocate(cuda::Place::kGpu, size_bytes);
}

void free_on_gpu(void* memory) noexcept { cuda::release(cuda::Place::kGpu, memory); }

void copy_and_wait(int gpu, const void* from, void* to, std::size_t size_bytes) {
  const cuda::ScopedGpu use(gpu);
  // A stream of its own, because other streams do not wait for the default stream.
  const cuda::Stream stream;
  cuda::check(cudaMemcpyAsync(to, from, size_bytes, cudaMemcpyDefault, stream), "copying between host and GPU");
  stream.synchronize();
}

void* make_gpu_stream(int gpu) {
  const cuda::ScopedGpu use(gpu);
  cudaStream_t stream = nullptr;
  cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  return stream;
}

void free_gpu_stream(void* stream) noexcept { cudaStreamDestroy(static_cast<cudaStream_t>(stream)); }

void wait_for_gpu_stream(void* stream) { cuda::Stream::borrowed(static_cast<cudaStream_t>(stream)).synchronize(); }

}  // namespace fernwood
