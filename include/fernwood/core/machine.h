// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/build.h"
#include "fernwood/core/device.h"

namespace fernwood {

/// What fernwood finds where it runs: the build, the processor, GPUs and counters of energy.
struct MachineReport {
  BuildInfo build;
  std::string processor;                      ///< Its name; empty when the system does not say.
  int threads = 0;                            ///< That this process may use.
  std::vector<std::string> instruction_sets;  ///< With loops compiled for them, slowest first.
  std::size_t memory_bytes = 0, free_memory_bytes = 0;
  GpuStatus gpus;
  std::vector<std::optional<GpuMemory>> gpu_memory;    ///< [gpu]; nothing where it cannot be asked.
  std::string driver;                                  ///< Version of the NVIDIA driver; empty when unknown.
  std::string cpu_energy_problem, gpu_energy_problem;  ///< As in EnergyMeter; empty: readable.
};

/// Looks at this machine. On each usable GPU it takes, for a moment, the memory that CUDA itself needs.
MachineReport inspect_machine();

/// Name of the processor or of a GPU; empty when the system does not say.
std::string device_name(Device device);

/// What --device auto takes, as in DeviceChoice, given what was found.
DeviceChoice automatic_device(const GpuStatus& status);

/// For people, at most 100 columns wide, in UTF-8. @param color  With ANSI colours.
std::string machine_table(const MachineReport& report, bool color);
/// One JSON object, indented by two spaces, with a final newline. Keys: docs/devices.md.
std::string machine_json(const MachineReport& report);

}  // namespace fernwood
