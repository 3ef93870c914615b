// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Reports of small trainings with totals that are easy to verify by hand.

#include "fernwood/train/train.h"

namespace fernwood::testdata {}

namespace fernwood::train::testdata {

using namespace fernwood::testdata;  // which this one hides

inline LevelReport level(int tree, int number, double seconds, const StageSeconds& stages) {
  return {tree, number, 1u << number, 1000, 2'000'000'000, seconds, stages};
}

/// Level 0 of two trees, and level 1 of the second: 6e9 responses.
inline TrainReport report_of_levels() {
  TrainReport report;
  report.seconds_loading = 1.5;
  report.seconds_sampling = 0.25;
  report.seconds_growing = 10;
  report.samples = 2000;
  report.frames = 500;
  report.frames_kept = 400;
  report.frame_bytes = 3 << 20;
  report.threads = 2;
  report.levels = {level(0, 0, 1, {.respond = 1, .bin = 0.5, .aggregate = 0.5}),
                   level(1, 0, 3, {.respond = 1, .aggregate = 0.5, .split = 0.5}),
                   level(1, 1, 4, {.respond = 2, .score = 1, .split = 0.5})};
  return report;
}

inline TrainReport cpu_report() {
  TrainReport report = report_of_levels();
  report.device = "cpu";
  report.instruction_set = "avx2";
  return report;
}

inline TrainReport gpu_report() {
  TrainReport report = report_of_levels();
  report.device = "cuda:0";
  report.gpu = {.name = "NVIDIA H200",
                .frame_slots = 300,
                .hits = 30,
                .misses = 10,
                .uploaded_bytes = 2 << 20,
                .memory_bytes = std::size_t{5} << 30,
                .response_bytes = 48'000'000'000};
  return report;
}

}  // namespace fernwood::train::testdata
