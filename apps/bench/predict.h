// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What `fernwood bench predict` measures, and how it tells of it.

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "apps/bench/bench.h"
#include "fernwood/core/progress.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::apps {

/// Milliseconds of a repeated piece of work.
struct Times {
  std::vector<double> ms;

  template <typename Work>
  void measure(const Work& work) {
    const double start = seconds_now();
    work();
    ms.push_back(1000 * (seconds_now() - start));
  }
  double median() const {
    std::vector<double> sorted = ms;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
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

  double frames_per_second() const { return static_cast<double>(streamed) / energy.seconds; }
};

struct BenchPredictResult {
  Device device;
  std::string device_note;  ///< Why "auto" took the CPU; else empty.
  int threads = 0;
  int smooth_px = 0;  ///< 0: labels were not smoothed.
  std::size_t num_trees = 0, rows = 0, cols = 0;
  std::string model_checksum;
  Times decode, prepare;  ///< The latter on the CPU only.
  std::vector<LayoutResult> layouts;
};

std::string bench_predict_text(const BenchPredictResult& result);
/// Keys: docs/training.md.
std::string bench_predict_json(const BenchPredictResult& result);

}  // namespace fernwood::apps
