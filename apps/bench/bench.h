// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Common parts of the benchmarks.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/statistics.h"
#include "fernwood/predict/predictor.h"

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

// The measurements of `fernwood bench predict`, and their output.

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

/// The stages of labelling a frame on a GPU.
inline constexpr std::pair<const char*, double predict::PredictTimes::*> kGpuParts[] = {
    {"upload", &predict::PredictTimes::upload},
    {"prepare", &predict::PredictTimes::prepare},
    {"label", &predict::PredictTimes::label},
    {"download", &predict::PredictTimes::download}};

/// Times of one layout of frames and trees.
struct LayoutResult {
  std::string layout, problem;       ///< The problem: why the layout cannot be used.
  Times latency, probabilities;      ///< From frames in host memory to labels in host memory.
  std::array<Times, 4> on_gpu = {};  ///< In the order of kGpuParts; empty on the CPU.
  std::size_t streamed = 0;          ///< Number of streamed frames, to which the energy refers.
  Energy energy;
  /// From frames to labels in device memory, if requested: one frame at a time, and enqueued one behind another.
  Times resident;
  double resident_frames_per_second = 0;

  double frames_per_second() const { return static_cast<double>(streamed) / energy.seconds; }
};

struct BenchPredictResult {
  Device device;
  std::string device_note;  ///< Why "auto" chose the CPU; else empty.
  int threads = 0;
  std::string gather = {};  ///< Gather implementation of the CPU; empty on a GPU.
  int smooth_px = 0;        ///< 0: labels were not smoothed.
  std::size_t num_trees = 0, rows = 0, cols = 0;
  std::string model_checksum;
  Times decode, prepare;  ///< `prepare` is measured on the CPU only.
  std::vector<LayoutResult> layouts;
};

std::string bench_predict_text(const BenchPredictResult& result);
/// The keys are documented in docs/reference/training_report.md.
std::string bench_predict_json(const BenchPredictResult& result);

}  // namespace fernwood::apps
