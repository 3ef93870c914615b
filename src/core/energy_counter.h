// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fernwood/core/machine.h"

namespace fernwood {

/// NVIDIA's management library belongs to the driver and is loaded at run time, so that a program runs without it. Only
/// the functions that fernwood calls are declared here.
struct NvmlFunctions {
  using Gpu = void*;
  static constexpr int kSuccess = 0;

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int code) = nullptr;
  int (*gpu_count)(unsigned* count) = nullptr;
  int (*gpu_by_index)(unsigned index, Gpu* gpu) = nullptr;
  int (*gpu_by_bus_id)(const char* bus_id, Gpu* gpu) = nullptr;
  int (*total_energy_mj)(Gpu gpu, unsigned long long* energy_mj) = nullptr;  ///< Since the driver was loaded.
  int (*driver_version)(char* text, unsigned size) = nullptr;
};

/// The library, open until the session ends, or the reason why it could not be opened.
class NvmlSession {
 public:
  explicit NvmlSession(const std::string& library);
  explicit NvmlSession(const NvmlFunctions& functions);
  ~NvmlSession();
  NvmlSession(const NvmlSession&) = delete;
  NvmlSession& operator=(const NvmlSession&) = delete;

  const NvmlFunctions& functions() const { return functions_; }
  /// A sentence with the remedy; empty when the functions may be called.
  const std::string& problem() const { return problem_; }
  /// "580.65.06"; empty when unknown.
  std::string driver_version() const;

 private:
  void begin();

  NvmlFunctions functions_;
  std::string problem_;
};

/// A counter of energy that only increases, until it wraps.
struct EnergyCounter {
  std::function<std::optional<std::uint64_t>()> read;  ///< Empty when it cannot be read.
  double joules_per_step = 0;
  std::uint64_t range = 0;  ///< Wraps after this many steps; 0: never.
};

/// Counters of one kind, or the reason why none are available.
struct EnergyCounters {
  std::vector<EnergyCounter> counters;
  std::string problem;  ///< A sentence, with the remedy.
};

/// Counters of the packages and their memory below a powercap folder.
EnergyCounters rapl_counters(const std::filesystem::path& powercap);
/// @param gpus  PCI bus ids; empty: all GPUs. The session must outlive the counters.
EnergyCounters nvml_counters(const NvmlSession& session, const std::vector<std::string>& gpus);

/// Sums the increments of counters.
class EnergySum {
 public:
  explicit EnergySum(EnergyCounters counters);
  std::optional<double> joules();
  const std::string& problem() const { return counters_.problem; }

 private:
  EnergyCounters counters_;
  std::vector<std::uint64_t> last_;  // [counter]
  double joules_ = 0;
};

}  // namespace fernwood
