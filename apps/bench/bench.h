// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the benchmarks share.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/energy.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/statistics.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::apps {

// Each adds a subcommand to `fernwood bench`.
void add_bench_train(CLI::App& bench);
void add_bench_predict(CLI::App& bench);
void add_bench_align(CLI::App& bench);

/// How long the benchmarks measure, and what.
struct BenchOptions {
  int repeat = 50;        ///< Measurements of each, >= 1.
  double seconds = 1;     ///< Of streaming frames at least, [0, 86400].
  bool resident = false;  ///< Also frames that lie in the memory of the device.

  static OptionTable<BenchOptions> table();
  void check() const;  ///< @throws OptionError naming the option out of its range.
};

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
  void start();
  /// To be called now and then in long work, since counters wrap.
  void sample();
  Energy stop();

 private:
  EnergyMeter meter_;
  Energy energy_;
  double start_ = 0, last_sample_ = 0;
  std::optional<double> cpu_at_start_, gpu_at_start_;
};

/// Lines for people. @param phase  Such as "growing".
std::string energy_text(const Energy& energy, const std::string& phase);
/// Keys: docs/reference/training_report.md.
nlohmann::json to_json(const Energy& energy);

/// The GPU's name; empty for the CPU.
std::string gpu_name(Device device);

// What `fernwood bench predict` measures, and how it tells of it.

/// Milliseconds of a repeated piece of work.
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

/// Parts of labelling a frame on a GPU.
inline constexpr std::pair<const char*, double predict::PredictTimes::*> kGpuParts[] = {
    {"upload", &predict::PredictTimes::upload},
    {"prepare", &predict::PredictTimes::prepare},
    {"label", &predict::PredictTimes::label},
    {"download", &predict::PredictTimes::download}};

/// What one way of reading frames and trees takes.
struct LayoutResult {
  std::string layout, problem;       ///< The problem: why it cannot be used.
  Times latency, probabilities;      ///< From frames in memory to labels in memory.
  std::array<Times, 4> on_gpu = {};  ///< As kGpuParts; empty on the CPU.
  std::size_t streamed = 0;          ///< Frames of the stream, whose energy this is.
  Energy energy;
  /// From frames in the device's memory to labels there, if asked for: each by itself, and enqueued behind one another.
  Times resident;
  double resident_frames_per_second = 0;

  double frames_per_second() const { return static_cast<double>(streamed) / energy.seconds; }
};

struct BenchPredictResult {
  Device device;
  std::string device_note;  ///< Why "auto" took the CPU; else empty.
  int threads = 0;
  std::string gather = {};  ///< Of the CPU's loops; empty on a GPU.
  int smooth_px = 0;        ///< 0: labels were not smoothed.
  std::size_t num_trees = 0, rows = 0, cols = 0;
  std::string model_checksum;
  Times decode, prepare;  ///< The latter on the CPU only.
  std::vector<LayoutResult> layouts;
};

std::string bench_predict_text(const BenchPredictResult& result);
/// Keys: docs/reference/training_report.md.
std::string bench_predict_json(const BenchPredictResult& result);

}  // namespace fernwood::apps
