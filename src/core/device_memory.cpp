// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/device_memory.h"

#include <cstring>
#include <new>

#include "core/gpu_memory.h"
#include "fernwood/core/error.h"

namespace fernwood {

DeviceMemory::DeviceMemory(Device device, std::size_t size_bytes)
    : device_(device),
      data_(device.is_cpu() ? ::operator new(size_bytes) : allocate_on_gpu(device.gpu, size_bytes)),
      size_bytes_(size_bytes) {}

DeviceMemory::~DeviceMemory() {
  if (device_.is_cpu())
    ::operator delete(data_);
  else
    free_on_gpu(data_);
}

void DeviceMemory::check_size(std::size_t size_bytes) const {
  FW_CHECK(size_bytes <= size_bytes_, Usage,
           size_bytes << " bytes are to be copied, and there is memory for " << size_bytes_ << "; take more");
}

void DeviceMemory::write(const void* host, std::size_t size_bytes) {
  check_size(size_bytes);
  if (size_bytes == 0) return;
  if (device_.is_cpu())
    std::memcpy(data_, host, size_bytes);
  else
    copy_and_wait(device_.gpu, host, data_, size_bytes);
}

void DeviceMemory::read(void* host, std::size_t size_bytes) const {
  check_size(size_bytes);
  if (size_bytes == 0) return;
  if (device_.is_cpu())
    std::memcpy(host, data_, size_bytes);
  else
    copy_and_wait(device_.gpu, data_, host, size_bytes);
}

DeviceStream::DeviceStream(Device device)
    : device_(device), stream_(device.is_cpu() ? nullptr : make_gpu_stream(device.gpu)) {}

DeviceStream::~DeviceStream() {
  if (!device_.is_cpu()) free_gpu_stream(stream_);
}

void DeviceStream::synchronize() const {
  if (!device_.is_cpu()) wait_for_gpu_stream(stream_);
}

#if !FERNWOOD_HAS_CUDA

void* allocate_on_gpu(int, std::size_t) { throw Error(ErrorKind::kDevice, gpu_status().problem); }
void free_on_gpu(void*) noexcept {}
void copy_and_wait(int, const void*, void*, std::size_t) {}
void* make_gpu_stream(int) { throw Error(ErrorKind::kDevice, gpu_status().problem); }
void free_gpu_stream(void*) noexcept {}
void wait_for_gpu_stream(void*) {}

#endif

}  // namespace fernwood
