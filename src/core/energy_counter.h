// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/nvml.h"
#include "fernwood/core/energy.h"

namespace fernwood {

/// A counter of energy that only goes up, until it wraps.
struct EnergyCounter {
  std::function<std::optional<std::uint64_t>()> read;  ///< Nothing when it cannot be read.
  double joules_per_step = 0;
  std::uint64_t range = 0;  ///< It wraps after this many steps; 0: never.
};

/// Counters of one kind, or why there are none.
struct EnergyCounters {
  std::vector<EnergyCounter> counters;
  std::string problem;  ///< A sentence, with the remedy.
};

/// Packages and their memory below a powercap folder.
EnergyCounters rapl_counters(const std::filesystem::path& powercap);
/// @param gpus  Bus ids; empty: all. The session must outlive the counters.
EnergyCounters nvml_counters(const NvmlSession& session, const std::vector<std::string>& gpus);

/// Adds up what counters advance.
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
