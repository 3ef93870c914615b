// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/platform.h"

namespace fernwood {

/// Where energy counters are read.
struct EnergySources {
  std::filesystem::path powercap = platform::kEnergyFolder;  ///< Linux' tree of RAPL counters.
  std::string nvml = "libnvidia-ml.so.1";                    ///< Library of the NVIDIA driver.
  std::vector<std::string> gpus;                             ///< GPUs to count, as GpuInfo::bus_id; empty: all.
};

/// Energy that this machine has used since the meter was made, whatever used it: there is no counter per program.
/// - Processor: RAPL, the packages and, where it is counted, their memory. A counter wraps after some 260 kJ and the
///   wrap is seen only by looking, so ask at least every ten minutes.
/// - GPUs: NVML, whole boards. Their counters advance some ten times a second: shorter work cannot be measured.
class EnergyMeter {
 public:
  explicit EnergyMeter(const EnergySources& sources = {});
  ~EnergyMeter();
  EnergyMeter(const EnergyMeter&) = delete;
  EnergyMeter& operator=(const EnergyMeter&) = delete;

  /// Joules of all processors; nothing where a counter could not be read.
  std::optional<double> cpu_joules();
  /// Joules of all GPUs together; nothing where a counter could not be read.
  std::optional<double> gpu_joules();

  /// Why there are no joules, with the remedy, as a sentence; empty where there are.
  const std::string& cpu_problem() const;
  const std::string& gpu_problem() const;

 private:
  struct Meters;
  std::unique_ptr<Meters> meters_;
};

}  // namespace fernwood
