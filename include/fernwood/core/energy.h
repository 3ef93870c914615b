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

/// Sources of energy counters.
struct EnergySources {
  std::filesystem::path powercap = platform::kEnergyFolder;  ///< Linux's tree of RAPL counters.
  std::string nvml = "libnvidia-ml.so.1";                    ///< Library of the NVIDIA driver.
  std::vector<std::string> gpus;                             ///< GPUs to measure, as GpuInfo::bus_id; empty: all.
};

/// Energy that the whole machine has used since the meter was created; counters per program do not exist.
/// - Processors: RAPL counters of the packages and, if available, of their memory. A counter wraps around after about
///   260 kJ; to detect this, read it at least every ten minutes.
/// - GPUs: NVML counters of whole boards. They advance about ten times a second: shorter work cannot be measured.
class EnergyMeter {
 public:
  explicit EnergyMeter(const EnergySources& sources = {});
  ~EnergyMeter();
  EnergyMeter(const EnergyMeter&) = delete;
  EnergyMeter& operator=(const EnergyMeter&) = delete;

  /// Joules of all processors; empty if a counter could not be read.
  std::optional<double> cpu_joules();
  /// Joules of all GPUs; empty if a counter could not be read.
  std::optional<double> gpu_joules();

  /// Sentence that explains why no joules could be measured, with the remedy; empty if they can.
  const std::string& cpu_problem() const;
  const std::string& gpu_problem() const;

 private:
  struct Meters;
  std::unique_ptr<Meters> meters_;
};

}  // namespace fernwood
