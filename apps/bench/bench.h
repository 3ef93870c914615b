// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Common parts of the benchmarks.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/statistics.h"

namespace fernwood::apps {

// Each adds a subcommand to `fernwood bench`.
void add_bench_train(CLI::App& bench);
void add_bench_predict(CLI::App& bench);
void add_bench_align(CLI::App& bench);

/// Duration and kinds of measurements.
struct BenchOptions {
  int repeat = 50;        ///< Repetitions of each measurement, >= 1.
  double seconds = 1;     ///< Minimum time of streaming frames, [0, 86400].
  bool resident = false;  ///< Also measure frames that are in device memory.

  static OptionTable<BenchOptions> table();
  void check() const;  ///< @throws OptionError naming an option that is out of range.
};

/// Energy of a phase of work, or the reason why it is unknown.
struct Energy {
  double seconds = 0;  ///< Duration of the phase.
  bool on_gpu = false;
  std::optional<double> cpu_joules, gpu_joules;
  std::string cpu_problem, gpu_problem;
};

/// Reads the energy counters of the processor and, if a GPU does the work, of that GPU. They are opened before the work
/// begins, because opening takes time.
class EnergyWatch {
 public:
  explicit EnergyWatch(Device device);
  void start();
  /// To be called regularly during long work, because counters wrap.
  void sample();
  Energy stop();

 private:
  EnergyMeter meter_;
  Energy energy_;
  double start_ = 0, last_sample_ = 0;
  std::optional<double> cpu_at_start_, gpu_at_start_;
};

/// Text for people. @param phase  Such as "growing".
std::string energy_text(const Energy& energy, const std::string& phase);
/// The keys are documented in docs/reference/training_report.md.
nlohmann::json to_json(const Energy& energy);

/// The GPU's name; empty for the CPU.
std::string gpu_name(Device device);

/// Times of a repeated operation, in milliseconds.
struct Times {
  std::vector<double> ms;

  template <typename Work>
  void measure(const Work& work) {
    const double start = seconds_now();
    work();
    ms.push_back(1000 * (seconds_now() - start));
  }
  double median() const { return median_of(ms); }
  double least() const { return *std::min_element(ms.begin(), ms.end()); }
  double most() const { return *std::max_element(ms.begin(), ms.end()); }
};

}  // namespace fernwood::apps
