// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/device.h"

#include <algorithm>

#include "core/cuda/buffer.h"
#include "core/cuda/runtime.h"
#include "core/machine.h"
#include "core/nccl.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"

namespace fernwood {

namespace {

int attribute(cudaDeviceAttr name, int gpu) {
  int value = 0;
  cuda::check(cudaDeviceGetAttribute(&value, name, gpu), "asking about the GPU");
  return value;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::vector<int> peers_of(int gpu, int num_gpus) {
  std::vector<int> peers;
  for (int other = 0; other < num_gpus; ++other) {
    int reaches = 0;
    if (other != gpu) cuda::check(cudaDeviceCanAccessPeer(&reaches, gpu, other), "asking about links between GPUs");
    if (reaches != 0) peers.push_back(other);
  }
  return peers;
}

GpuInfo describe(int gpu, int num_gpus) {
  cudaDeviceProp properties{};
  cuda::check(cudaGetDeviceProperties(&properties, gpu), "asking about the GPU");
  GpuInfo info{
      .name = properties.name,
      .capability_major = properties.major,
      .capability_minor = properties.minor,
      .multiprocessors = properties.multiProcessorCount,
      .clock_hz = 1e3 * attribute(cudaDevAttrClockRate, gpu),
      .memory_bytes = properties.totalGlobalMem,
      .block_shared_bytes = properties.sharedMemPerBlockOptin,
      .bus_id = format_text("%04x:%02x:%02x.0", static_cast<unsigned>(properties.pciDomainID),
                            static_cast<unsigned>(properties.pciBusID), static_cast<unsigned>(properties.pciDeviceID)),
      .peers = peers_of(gpu, num_gpus),
      .problem = {}};
  if (gpu_code_for(properties.major, properties.minor, build_info().gpu_code) == GpuCode::kNone)
    info.problem = "has compute capability " + std::to_string(properties.major) + "." +
                   std::to_string(properties.minor) + ", for which this build has no code; build with " +
                   "-DFERNWOOD_CUDA_ARCHITECTURES=" + std::to_string(properties.major) +
                   std::to_string(properties.minor) + " (8.0 or newer works), or use " + named_option("device", "cpu");
  else if (attribute(cudaDevAttrComputeMode, gpu) == cudaComputeModeProhibited)
    info.problem =
        "is closed to computation by its compute mode; ask its administrator, or use " + named_option("device", "cpu");
  return info;
}

OptionSentence find_problem(const GpuStatus& status, cudaError_t counted) {
  if (status.driver_version == 0 || counted == cudaErrorInsufficientDriver)
    return status.driver_version == 0
               ? "no NVIDIA driver was found; install it, or use " + named_option("device", "cpu")
               : "the NVIDIA driver supports CUDA " + version_text(status.driver_version) + ", this build needs " +
                     version_text(status.toolkit_version) + "; install a newer driver, or use " +
                     named_option("device", "cpu");
  if (counted != cudaSuccess && counted != cudaErrorNoDevice)
    return std::string("the NVIDIA driver does not answer (") + cudaGetErrorString(counted) +
           "); see nvidia-smi, or use " + named_option("device", "cpu");
  if (status.gpus.empty()) return "no NVIDIA GPU was found; see nvidia-smi, or use " + named_option("device", "cpu");
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
    for (int gpu = 0; gpu < count; ++gpu) status.gpus.push_back(describe(gpu, count));
  status.problem = find_problem(status, counted);
  return status;
}

GpuMemory gpu_memory(int gpu) {
  cuda::use_gpu(gpu);
  GpuMemory memory;
  cuda::check(cudaMemGetInfo(&memory.free_bytes, &memory.total_bytes), "asking about the GPU's memory");
  return memory;
}

double gpu_copy_bandwidth(int gpu) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
  constexpr int kCopies = 8;
  const std::size_t size = std::min(kMaxBytes, gpu_memory(gpu).free_bytes / 4);
  const cuda::Stream stream;
  cuda::GpuBuffer<std::uint8_t> from(size), to(size);
  const auto copy = [&] {
    cuda::check(cudaMemcpyAsync(to.data(), from.data(), size, cudaMemcpyDeviceToDevice, stream), "copying on the GPU");
  };
  cuda::fill_with_zeros(from.view(), stream);
  copy();  // warm-up: clocks rise, pages are mapped
  cuda::Event start, end;
  start.record(stream);
  for (int i = 0; i < kCopies; ++i) copy();
  end.record(stream);
  end.synchronize();
  return 2.0 * kCopies * static_cast<double>(size) / end.seconds_since(start);
}

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

GpuSums measure_gpu_sums(Communicator& ranks, int gpu) {
  constexpr std::size_t kBlockSize = std::size_t{8} << 20;
  constexpr int kTimes = 8;
  cuda::use_gpu(gpu);
  const NcclLibrary nccl = NcclLibrary::find();
  const NcclRank::Rendezvous met = NcclRank::meet(nccl, gpu_status().gpus[static_cast<std::size_t>(gpu)].bus_id, ranks);
  if (!met.rank) return {"", met.problem, 0};
  const auto num_ranks = static_cast<std::size_t>(ranks.size());
  const cuda::Stream stream;
  cuda::GpuBuffer<std::uint32_t> blocks(num_ranks * kBlockSize);
  cuda::fill_with_zeros(blocks.view(), stream);
  const auto add_up = [&] {
    met.rank->reduce_scatter(blocks.data(), kBlockSize, stream, [&] { return stream.is_idle(); });
  };
  add_up();  // the first call sets up the connection
  ranks.gather_all({});
  const double start = seconds_now();
  for (int i = 0; i < kTimes; ++i) add_up();
  const double seconds = (seconds_now() - start) / kTimes;
  ranks.gather_all({});  // barrier before freeing memory that others read
  const std::size_t received = (num_ranks - 1) * kBlockSize * sizeof(std::uint32_t);
  return {"NCCL " + nccl.version_text(), "", static_cast<double>(received) / seconds};
}

}  // namespace fernwood
