// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// GPU operations behind DeviceMemory and DeviceStream. In a build without CUDA, each of them throws Error(kDevice).

#include <cstddef>

namespace fernwood {

void* allocate_on_gpu(int gpu, std::size_t size_bytes);
void free_on_gpu(void* memory) noexcept;
/// Copies between a GPU and the host, and waits.
void copy_and_wait(int gpu, const void* from, void* to, std::size_t size_bytes);

/// A cudaStream_t.
void* make_gpu_stream(int gpu);
void free_gpu_stream(void* stream) noexcept;
void wait_for_gpu_stream(void* stream);

}  // namespace fernwood
