// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the benchmarks share.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "fernwood/core/device.h"
#include "fernwood/core/energy.h"

namespace fernwood::apps {

// Each adds a subcommand to `fernwood bench`.
void add_bench_train(CLI::App& bench);
void add_bench_predict(CLI::App& bench);

/// Energy of a phase of work, or why it is unknown.
struct Energy {
  double seconds = 0;  ///< That the phase took.
  bool on_gpu = false;
  std::optional<double> cpu_joules, gpu_joules;
  std::string cpu_problem, gpu_problem;
};

/// Reads the counters of the processor and, if it is one, of the GPU that works. They are opened before work begins,
/// for that takes time.
class EnergyWatch {
 public:
  explicit EnergyWatch(Device device);
  bool can_measure() const;
  void start();
  /// To be called now and then in long work, since counters wrap.
  void sample();
  Energy stop();

 private:
  EnergyMeter meter_;
  Energy energy_;
  double start_ = 0, last_look_ = 0;
  std::optional<double> cpu_at_start_, gpu_at_start_;
};

/// Lines for people. @param phase  Such as "growing".
std::string energy_text(const Energy& energy, const std::string& phase);
/// Keys: docs/training.md.
nlohmann::json to_json(const Energy& energy);

/// The GPU's name; empty for the CPU.
std::string gpu_name(Device device);

}  // namespace fernwood::apps
