// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/error.h"

namespace fernwood {

/// A compute device: the CPU or one GPU.
struct Device {
  int gpu = -1;  ///< CUDA device number; -1: the CPU.

  bool is_cpu() const { return gpu < 0; }
  bool operator==(const Device&) const = default;
};

/// "cpu" or "cuda:0".
std::string to_string(Device device);

/// Properties of a GPU, reported by its driver.
struct GpuInfo {
  std::string name;
  int capability_major = 0, capability_minor = 0;
  int multiprocessors = 0;
  double clock_hz = 0;  ///< Maximum clock of the multiprocessors.
  std::size_t memory_bytes = 0;
  std::size_t block_shared_bytes = 0;  ///< Maximum shared memory per block.
  std::string bus_id;                  ///< PCI address, by which other tools identify it, such as "0000:1b:00.0".
  std::vector<int> peers = {};         ///< GPUs whose memory it can access directly, over NVLink or PCIe.
  OptionSentence problem;              ///< Why fernwood cannot use it, as the rest of a sentence; empty: usable.
};

/// Support for GPUs by this build and this machine.
struct GpuStatus {
  bool built = false;                           ///< Whether this build has CUDA code.
  int toolkit_version = 0, driver_version = 0;  ///< 1000 * major + 10 * minor, 0: none; newest the driver supports.
  std::vector<GpuInfo> gpus;                    ///< [gpu]
  OptionSentence problem;                       ///< Why no GPU can be used, with the remedy; empty if one can.
};

/// Queries the driver; allocates no memory on any GPU.
GpuStatus gpu_status();

/// All usable devices of this machine, the CPU first.
std::vector<Device> available_devices();

struct DeviceChoice {
  Device device;
  OptionSentence note;  ///< Why "auto" fell back to the CPU; otherwise empty.
};

/// Selects a device by name.
/// @param name        "cpu"; "cuda:N"; "cuda", a usable GPU; "auto", a usable GPU or, without any, the CPU; or a list
///                    with one GPU for each node-local rank: "cuda:0,2", or "cuda:all" for all usable ones.
/// @param neighbour   Index of this rank among the node-local ranks of the task. For "cuda" and "auto", ranks are
///                    assigned to the usable GPUs in turn, rank 0 to the first.
/// @param neighbours  Number of node-local ranks.
/// @throws Error(kUsage) for other names, and for a list whose length is not `neighbours`; Error(kDevice) for a GPU
///         that this build or machine cannot use.
DeviceChoice choose_device(const std::string& name, int neighbour = 0, int neighbours = 1);

/// Number of devices in a name: 1 unless it is "cuda:all" or has commas. @throws Error as choose_device().
int num_listed_devices(const std::string& name);

/// Free and total memory of a GPU.
struct GpuMemory {
  std::size_t free_bytes = 0, total_bytes = 0;
};

/// Memory of a GPU at this moment. @throws Error(kDevice).
GpuMemory gpu_memory(int gpu);

/// Bytes per second, read and written together, of a copy within a GPU's memory. Measured for some milliseconds with 2
/// GiB, or with half of the free memory if that is less.
/// @throws Error(kDevice), Error(kResource).
double gpu_copy_bandwidth(int gpu);

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
