// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Queries of the machine for internal use; the public ones are in fernwood/core/machine.h.

#include <cstddef>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/machine.h"

namespace fernwood {

/// How a GPU can run code of a list as in BuildInfo.
enum class GpuCode { kNone, kTranslated, kNative };

/// Machine code runs on GPUs of the same major version and an equal or higher minor one, PTX on every GPU of an equal
/// or higher version.
/// @param code  As in BuildInfo; entries that are neither "sm_N" nor "compute_N" are ignored.
GpuCode gpu_code_for(int capability_major, int capability_minor, const std::vector<std::string>& code);

/// Name of the processor or of a GPU; empty when the system does not report one.
std::string device_name(Device device);

/// The GPUs of "cuda:N", "cuda:0,2" or "cuda:all", among those in `status`. @throws as choose_device().
std::vector<int> listed_gpus(const std::string& name, const GpuStatus& status);

/// The device of --device auto, as in DeviceChoice, given the state of the GPUs.
DeviceChoice automatic_device(const GpuStatus& status, int neighbour = 0);

/// Briefly measures how fast the GPUs of the ranks sum numbers. All ranks must call it.
/// @throws Error(kDevice), Error(kResource), and as the communicator does.
GpuSums measure_gpu_sums(Communicator& ranks, int gpu);

/// For tests: makes the `number`-th allocation from now on, of GPU or page-locked memory, fail as if memory had run
/// out; 0: none. @return  Allocations that were left until the failure set by the previous call; 0: it has occurred, or
/// none was set.
std::size_t fail_gpu_allocation(std::size_t number);

// GPU operations behind DeviceMemory and DeviceStream. In a build without CUDA, each of them throws Error(kDevice).

void* allocate_on_gpu(int gpu, std::size_t size_bytes);
void free_on_gpu(void* memory) noexcept;
/// Copies between a GPU and the host, and waits.
void copy_and_wait(int gpu, const void* from, void* to, std::size_t size_bytes);

/// A cudaStream_t.
void* make_gpu_stream(int gpu);
void free_gpu_stream(void* stream) noexcept;
void wait_for_gpu_stream(void* stream);

}  // namespace fernwood
