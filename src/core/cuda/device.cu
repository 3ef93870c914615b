// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/device.h"

#include <algorithm>

#include "core/cuda/runtime.h"

namespace fernwood {

namespace {

/// Older ones lack what the kernels are compiled for.
constexpr int kLeastCapability = 80;

int attribute(cudaDeviceAttr name, int gpu) {
  int value = 0;
  cuda::check(cudaDeviceGetAttribute(&value, name, gpu), "asking about the GPU");
  return value;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

GpuInfo describe(int gpu) {
  cudaDeviceProp properties{};
  cuda::check(cudaGetDeviceProperties(&properties, gpu), "asking about the GPU");
  GpuInfo info{.name = properties.name,
               .capability_major = properties.major,
               .capability_minor = properties.minor,
               .multiprocessors = properties.multiProcessorCount,
               .memory_bytes = properties.totalGlobalMem,
               .block_shared_bytes = properties.sharedMemPerBlockOptin,
               .problem = {}};
  if (properties.major * 10 + properties.minor < kLeastCapability)
    info.problem = "has compute capability " + std::to_string(properties.major) + "." +
                   std::to_string(properties.minor) + ", fernwood needs 8.0 or newer; give --device cpu";
  else if (attribute(cudaDevAttrComputeMode, gpu) == cudaComputeModeProhibited)
    info.problem = "is closed to computation by its compute mode; ask its administrator, or give --device cpu";
  return info;
}

std::string find_problem(const GpuStatus& status, cudaError_t counted) {
  if (status.driver_version == 0 || counted == cudaErrorInsufficientDriver)
    return status.driver_version == 0
               ? "no NVIDIA driver was found; install it, or give --device cpu"
               : "the NVIDIA driver supports CUDA " + version_text(status.driver_version) + ", this build needs " +
                     version_text(status.toolkit_version) + "; install a newer driver, or give --device cpu";
  if (counted != cudaSuccess && counted != cudaErrorNoDevice)
    return std::string("the NVIDIA driver does not answer (") + cudaGetErrorString(counted) +
           "); see nvidia-smi, or give --device cpu";
  if (status.gpus.empty()) return "no NVIDIA GPU was found; see nvidia-smi, or give --device cpu";
  if (std::ranges::none_of(status.gpus, [](const GpuInfo& gpu) { return gpu.problem.empty(); }))
    return status.gpus[0].name + " " + status.gpus[0].problem;
  return "";
}

}  // namespace

GpuStatus gpu_status() {
  GpuStatus status;
  status.built = true;
  if (cudaRuntimeGetVersion(&status.toolkit_version) != cudaSuccess) status.toolkit_version = 0;
  if (cudaDriverGetVersion(&status.driver_version) != cudaSuccess) status.driver_version = 0;
  int count = 0;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (counted == cudaSuccess)
    for (int gpu = 0; gpu < count; ++gpu) status.gpus.push_back(describe(gpu));
  status.problem = find_problem(status, counted);
  return status;
}

GpuMemory gpu_memory(int gpu) {
  cuda::use_gpu(gpu);
  GpuMemory memory;
  cuda::check(cudaMemGetInfo(&memory.free_bytes, &memory.total_bytes), "asking about the GPU's memory");
  return memory;
}

}  // namespace fernwood
