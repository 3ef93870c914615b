// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <utility>

#include "fernwood/core/device.h"

namespace fernwood {

/// A memory block on a device, for programs that do not use CUDA themselves but pass images on the device to the
/// library. It is not initialized.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// @throws Error(kResource) if memory runs out, Error(kDevice) for a GPU in a build without CUDA.
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

  /// Copies the first `size_bytes` bytes from or to the host, and waits for completion. The caller must first
  /// synchronize streams that use the block. @throws Error(kUsage) if the block has fewer bytes, Error(kDevice).
  void write(const void* host, std::size_t size_bytes);
  void read(void* host, std::size_t size_bytes) const;

 private:
  void check_size(std::size_t size_bytes) const;

  Device device_;
  void* data_ = nullptr;
  std::size_t size_bytes_ = 0;
};

/// A stream of a GPU, in which work runs in order. Empty for the CPU, where work is complete when a call returns.
class DeviceStream {
 public:
  /// @throws Error(kDevice).
  explicit DeviceStream(Device device);
  ~DeviceStream();
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;

  /// A cudaStream_t; null for the CPU.
  void* handle() const { return stream_; }
  /// Waits until all work submitted so far is complete. @throws Error(kDevice) if any of it failed.
  void synchronize() const;

 private:
  Device device_;
  void* stream_ = nullptr;
};

}  // namespace fernwood
