// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <utility>

#include "fernwood/core/device.h"

namespace fernwood {

/// Owner of bytes in the memory of a device, for programs that know nothing of CUDA but hand images that lie there to
/// the library. Not cleared.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// @throws Error(kResource) when memory runs out, Error(kDevice) for a GPU in a build without CUDA.
  DeviceMemory(Device device, std::size_t size_bytes);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
  }

  Device device() const { return device_; }
  std::size_t size_bytes() const { return size_bytes_; }
  void* data() const { return data_; }

  /// Copies the first bytes from the host or to it, and waits until they are there. Work on them in streams is to be
  /// waited for before. @throws Error(kUsage) for more bytes than there are, Error(kDevice).
  void write(const void* host, std::size_t size_bytes);
  void read(void* host, std::size_t size_bytes) const;

 private:
  void check_size(std::size_t size_bytes) const;

  Device device_;
  void* data_ = nullptr;
  std::size_t size_bytes_ = 0;
};

/// Owner of a stream of a GPU, in which work runs in order; of the CPU, whose work is done when a call returns, there
/// is none.
class DeviceStream {
 public:
  /// @throws Error(kDevice).
  explicit DeviceStream(Device device);
  ~DeviceStream();
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;

  /// A cudaStream_t; null: of the CPU.
  void* handle() const { return stream_; }
  /// Waits until all work so far is done. @throws Error(kDevice) when some has failed.
  void synchronize() const;

 private:
  Device device_;
  void* stream_ = nullptr;
};

}  // namespace fernwood
