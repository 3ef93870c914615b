// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <atomic>
#include <cstdlib>
#include <string>

#include "core/cuda/buffer.h"
#include "core/machine.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::cuda {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the error, or the next launch would report it again
  FW_CHECK(status != cudaErrorMemoryAllocation, Resource,
           "the GPU's memory ran out (" << what << "); lower " << named_option("gpu-memory")
                                        << ", close other programs that use the GPU, or "
                                        << "use " << named_option("device", "cpu"));
  throw Error(ErrorKind::kDevice, std::string("the GPU failed (") + what + "): " + cudaGetErrorString(status) +
                                      "; fernwood doctor describes the driver, " + named_option("device", "cpu") +
                                      " does without it");
}

void use_gpu(int gpu) { check(cudaSetDevice(gpu), "choosing the GPU"); }

ScopedGpu::ScopedGpu(int gpu) : gpu_(gpu) {
  check(cudaGetDevice(&before_), "asking for the GPU");
  use_gpu(gpu);
}

ScopedGpu::~ScopedGpu() {
  if (before_ != gpu_) cudaSetDevice(before_);
}

namespace {

int attribute(cudaDeviceAttr name) {
  int gpu = 0, value = 0;
  check(cudaGetDevice(&gpu), "asking for the GPU");
  check(cudaDeviceGetAttribute(&value, name, gpu), "asking about the GPU");
  return value;
}

}  // namespace

std::size_t block_shared_bytes() {
  return static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
}

unsigned num_multiprocessors() { return static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount)); }

Stream::Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream"); }

Stream Stream::urgent() {
  int least = 0, greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking about streams");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest), "making a stream");
  return Stream(stream, true);
}

Stream::~Stream() {
  if (stream_ && is_owner_) cudaStreamDestroy(stream_);
}

void Stream::synchronize() const { check(cudaStreamSynchronize(stream_), "waiting for a stream"); }

bool Stream::is_idle() const {
  const cudaError_t status = cudaStreamQuery(stream_);
  if (status != cudaErrorNotReady) check(status, "asking a stream");
  return status == cudaSuccess;
}

Event::Event() { check(cudaEventCreate(&event_), "making an event"); }

Event::~Event() {
  if (event_) cudaEventDestroy(event_);
}

void Event::record(const Stream& stream) { check(cudaEventRecord(event_, stream), "recording an event"); }

void Event::wait_event(const Stream& stream) const {
  check(cudaStreamWaitEvent(stream, event_), "waiting for an event");
}

void Event::synchronize() const { check(cudaEventSynchronize(event_), "waiting for an event"); }

double Event::seconds_since(const Event& start) const {
  float ms = 0;
  check(cudaEventElapsedTime(&ms, start.event_, event_), "reading a clock");
  return ms / 1000.0;
}

namespace {

constexpr std::size_t kPage = 4096;

/// Page-locked host memory: locking memory that already exists is ten times faster than allocating new page-locked
/// memory, and threads can share the work of touching its pages.
cudaError_t allocate_pinned(void** memory, std::size_t size_bytes) {
  const std::size_t whole_pages = (size_bytes + kPage - 1) / kPage * kPage;
  *memory = std::aligned_alloc(kPage, whole_pages);
  if (!*memory) return cudaErrorMemoryAllocation;
  for (std::size_t at = 0; at < whole_pages; at += kPage) static_cast<volatile char*>(*memory)[at] = 0;
  const cudaError_t status = cudaHostRegister(*memory, whole_pages, cudaHostRegisterDefault);
  if (status != cudaSuccess) std::free(*memory);
  return status;
}

std::atomic<std::size_t> until_failing{0};

/// Whether this is the allocation that a test has chosen to fail.
bool is_to_fail() {
  std::size_t left = until_failing;
  while (left > 0 && !until_failing.compare_exchange_weak(left, left - 1)) {
  }
  return left == 1;
}

cudaError_t try_to_allocate(Place place, void** memory, std::size_t size_bytes) {
  if (is_to_fail()) return cudaErrorMemoryAllocation;
  return place == Place::kGpu ? cudaMalloc(memory, size_bytes) : allocate_pinned(memory, size_bytes);
}

}  // namespace

void* allocate(Place place, std::size_t size_bytes) {
  void* memory = nullptr;
  if (size_bytes == 0) return memory;
  const cudaError_t status = try_to_allocate(place, &memory, size_bytes);
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

namespace fernwood {

std::size_t fail_gpu_allocation(std::size_t number) { return cuda::until_failing.exchange(number); }

}  // namespace fernwood
