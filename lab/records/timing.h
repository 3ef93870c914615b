// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Functions shared by the benchmarks of forests over records.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/option_table.h"
#include "fernwood/records/evaluator.h"

namespace fernwood::lab {

/// Options shared by the benchmarks.
struct TimingOptions {
  std::string device = "auto";
  int threads = 0;             ///< CPU threads; 0: all.
  int repeat = 10;             ///< Runs of each measurement, >= 1.
  bool with_compiled = false;  ///< Include strategies that compile the forest first.

  static OptionTable<TimingOptions> table();
  /// @throws OptionError for the first option that is out of its range.
  void check() const { check_options(table(), *this); }
  /// @throws Error(kUsage), Error(kDevice).
  Device chosen_device() const { return choose_device(device).device; }
};

/// Statistics of the run times of repeated work, in seconds.
struct RunTimes {
  double least = 0, mean = 0, most = 0, deviation = 0;
};
RunTimes summarize_times(const std::vector<double>& seconds);
/// In microseconds. Keys: least_us, mean_us, most_us, deviation_us.
nlohmann::json to_json(const RunTimes& times);

/// A strategy and the form of its input values, as measured.
struct Way {
  std::string strategy;
  records::Values values = records::Values::kFloat;
  std::string name() const { return strategy + (values == records::Values::kRanks ? ", ranks" : ""); }
};
/// All combinations that can evaluate a forest on a device.
/// @param with_compiled  Include strategies that compile it first.
std::vector<Way> ways_for(const records::RecordForest& forest, Device device, bool with_compiled);

/// The values in column-major order, for records_by_columns().
std::vector<float> stored_by_columns(const records::RecordView& records);

/// The numbers 0 ... count - 1 in a random order (Fisher and Yates), which differs between rounds.
std::vector<std::size_t> drawn_order(std::size_t count, std::uint64_t seed, std::uint32_t round);

/// Classes by the serial strategy, the reference for all timed results.
std::vector<std::int32_t> serial_classes(const records::RecordForest& forest, const records::RecordView& records);
/// @throws Error(kRuntime) if the evaluator's classes differ from the expected ones, which makes its time meaningless.
void check_classes(const std::vector<std::int32_t>& found, const std::vector<std::int32_t>& expected, const Way& way);

/// Times the evaluation of stored records after a warm-up run, and checks the results.
RunTimes time_kept(records::RecordEvaluator& evaluator, const records::KeptRecords& records, int repeat,
                   const std::vector<std::int32_t>& expected, const Way& way);

/// The same for forests that predict values: sums over trees by the serial strategy, [record][output], and evaluation
/// whose values must be bit-identical.
std::vector<double> serial_values(const records::RecordForest& forest, const records::RecordView& records);
RunTimes time_kept_values(records::RecordEvaluator& evaluator, const records::KeptRecords& records, int repeat,
                          const std::vector<double>& expected, const Way& way);

/// "cpu, 1 thread" or "cuda:0, NVIDIA H200".
std::string device_line(Device device, int threads);

}  // namespace fernwood::lab
