// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the library itself asks of the machine that it runs on; what users may ask is in fernwood/core/machine.h.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/machine.h"

namespace fernwood {

/// How a GPU can run code of a list as in BuildInfo.
enum class GpuCode { kNone, kTranslated, kNative };

/// Machine code runs on GPUs of its own major version and no smaller minor one, PTX on every GPU that is not older.
/// @param code  As in BuildInfo; what is neither "sm_N" nor "compute_N" is not looked at.
GpuCode gpu_code_for(int capability_major, int capability_minor, const std::vector<std::string>& code);

/// Name of the processor or of a GPU; empty when the system does not say.
std::string device_name(Device device);

/// The GPUs of "cuda:N", "cuda:0,2" or "cuda:all", given what was found. @throws what choose_device() does.
std::vector<int> listed_gpus(const std::string& name, const GpuStatus& status);

/// What --device auto takes, as in DeviceChoice, given what was found.
DeviceChoice automatic_device(const GpuStatus& status, int neighbour = 0);

/// Lets the GPUs of ranks add up numbers for a moment. All ranks must call it.
/// @throws Error(kDevice), Error(kResource), and as the communicator does.
GpuSums measure_gpu_sums(Communicator& ranks, int gpu);

/// For tests: the `number`-th allocation from now on of a GPU's memory, or of page-locked memory, fails as where that
/// has run out; 0: none will. @return  Allocations that were left until the one of the call before; 0: it has failed,
/// or there was none.
std::size_t fail_gpu_allocation(std::size_t number);

}  // namespace fernwood
