// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fernwood/core/option_sentence.h"

namespace fernwood {

/// A place to compute: the processor's cores or one GPU.
struct Device {
  int gpu = -1;  ///< Number of the GPU, as CUDA counts; -1: the CPU.

  bool is_cpu() const { return gpu < 0; }
  bool operator==(const Device&) const = default;
};

/// "cpu" or "cuda:0".
std::string to_string(Device device);

/// A GPU as its driver describes it.
struct GpuInfo {
  std::string name;
  int capability_major = 0, capability_minor = 0;
  int multiprocessors = 0;
  double clock_hz = 0;  ///< Highest clock of the multiprocessors.
  std::size_t memory_bytes = 0;
  std::size_t block_shared_bytes = 0;  ///< Most shared memory that one block can have.
  std::string bus_id;                  ///< "0000:1b:00.0": its place in the machine, by which other tools know it.
  std::vector<int> peers = {};         ///< GPUs whose memory it reads itself, over NVLink or PCIe.
  OptionSentence problem;              ///< Why fernwood cannot use it, as the rest of a sentence; empty: it can.
};

/// What this build and this machine know about GPUs.
struct GpuStatus {
  bool built = false;                           ///< This build has CUDA code.
  int toolkit_version = 0, driver_version = 0;  ///< 1000 * major + 10 * minor; 0: none. The driver's: what it supports.
  std::vector<GpuInfo> gpus;                    ///< [gpu]
  OptionSentence problem;                       ///< Why no GPU can be used, with the remedy; empty when one can.
};

/// Asks the driver; takes no memory on any GPU.
GpuStatus gpu_status();

/// Every device that can be used here, the CPU first.
std::vector<Device> available_devices();

struct DeviceChoice {
  Device device;
  OptionSentence note;  ///< Why "auto" fell back to the CPU; else empty.
};

/// The device of a name: "cpu", "cuda" (the first usable GPU), "cuda:N", or "auto", which is the first usable GPU if
/// there is one and the CPU otherwise; of a list, "cuda:0,2" or "cuda:all", which are all usable ones, that of this
/// neighbour.
/// @param neighbour   Number of this rank among those of the machine that work on one task: where no GPU is named, they
///                    take the usable ones in turn.
/// @param neighbours  How many these are.
/// @throws Error(kUsage) for other names and for a list of more or fewer GPUs than neighbours, Error(kDevice) for a GPU
///         that this build or machine cannot use.
DeviceChoice choose_device(const std::string& name, int neighbour = 0, int neighbours = 1);

/// How many devices a name lists: 1 unless it is "cuda:all" or has commas. Throws as choose_device().
int num_listed_devices(const std::string& name);

/// Free and total memory of a GPU.
struct GpuMemory {
  std::size_t free_bytes = 0, total_bytes = 0;
};

/// @throws Error(kDevice).
GpuMemory gpu_memory(int gpu);

/// Bytes read and written a second when a GPU copies within its memory, measured for some milliseconds with 2 GiB, or
/// with half of what is free if that is less.
/// @throws Error(kDevice), Error(kResource).
double gpu_copy_bandwidth(int gpu);

}  // namespace fernwood
