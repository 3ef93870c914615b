// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/energy.h"

#include "core/energy_counter.h"

namespace fernwood {

EnergySum::EnergySum(EnergyCounters counters) : counters_(std::move(counters)) {
  for (const EnergyCounter& counter : counters_.counters) {
    const std::optional<std::uint64_t> now = counter.read();
    last_.push_back(now.value_or(0));
    if (!now && counters_.problem.empty()) counters_.problem = "an energy counter could not be read; try again";
  }
}

std::optional<double> EnergySum::joules() {
  if (!counters_.problem.empty()) return {};
  for (std::size_t i = 0; i < last_.size(); ++i) {
    const EnergyCounter& counter = counters_.counters[i];
    const std::optional<std::uint64_t> now = counter.read();
    if (!now) {
      counters_.problem = "an energy counter could no longer be read; measure again";
      return {};
    }
    // Unsigned: with the range added once, a wrapped difference comes out right.
    const std::uint64_t steps = *now - last_[i] + (*now < last_[i] ? counter.range : 0);
    joules_ += static_cast<double>(steps) * counter.joules_per_step;
    last_[i] = *now;
  }
  return joules_;
}

struct EnergyMeter::Meters {
  explicit Meters(const EnergySources& sources)
      : nvml(sources.nvml), cpu(rapl_counters(sources.powercap)), gpu(nvml_counters(nvml, sources.gpus)) {}

  NvmlSession nvml;
  EnergySum cpu, gpu;
};

EnergyMeter::EnergyMeter(const EnergySources& sources) : meters_(std::make_unique<Meters>(sources)) {}
EnergyMeter::~EnergyMeter() = default;

std::optional<double> EnergyMeter::cpu_joules() { return meters_->cpu.joules(); }
std::optional<double> EnergyMeter::gpu_joules() { return meters_->gpu.joules(); }
const std::string& EnergyMeter::cpu_problem() const { return meters_->cpu.problem(); }
const std::string& EnergyMeter::gpu_problem() const { return meters_->gpu.problem(); }

}  // namespace fernwood
