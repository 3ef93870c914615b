// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the benchmarks of forests over records share.

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

/// Options that the benchmarks share.
struct TimingOptions {
  std::string device = "auto";
  int threads = 0;             ///< Of the CPU; 0: all.
  int repeat = 10;             ///< Runs of each, >= 1.
  bool with_compiled = false;  ///< Also strategies that compile the forest first.

  static OptionTable<TimingOptions> table();
  /// @throws OptionError naming the first option out of its range.
  void check() const { check_options(table(), *this); }
  /// @throws Error(kUsage), Error(kDevice).
  Device chosen_device() const { return choose_device(device).device; }
};

/// Seconds of a work done several times.
struct RunTimes {
  double least = 0, mean = 0, most = 0, deviation = 0;
};
RunTimes summarize_times(const std::vector<double>& seconds);
/// In microseconds. Keys: least_us, mean_us, most_us, deviation_us.
nlohmann::json to_json(const RunTimes& times);

/// A strategy with the values it takes, as it is timed.
struct Way {
  std::string strategy;
  records::Values values = records::Values::kFloat;
  std::string name() const { return strategy + (values == records::Values::kRanks ? ", ranks" : ""); }
};
/// All that can evaluate a forest on a device.
/// @param with_compiled  Also those that compile it first.
std::vector<Way> ways_for(const records::RecordForest& forest, Device device, bool with_compiled);

/// The values attribute by attribute, for records_by_columns().
std::vector<float> stored_by_columns(const records::RecordView& records);

/// Numbers 0 ... count - 1 in a drawn order (Fisher and Yates), another one for each round.
std::vector<std::size_t> drawn_order(std::size_t count, std::uint64_t seed, std::uint32_t round);

/// Classes by the serial strategy, which every timed result is compared with.
std::vector<std::int32_t> serial_classes(const records::RecordForest& forest, const records::RecordView& records);
/// @throws Error(kRuntime) when an evaluator's last classes are not those: then its time means nothing.
void check_classes(const std::vector<std::int32_t>& found, const std::vector<std::int32_t>& expected, const Way& way);

/// Times evaluation of kept records, after a run that does not count, and checks what it found.
RunTimes time_kept(records::RecordEvaluator& evaluator, const records::KeptRecords& records, int repeat,
                   const std::vector<std::int32_t>& expected, const Way& way);

/// The same of a forest that predicts values: sums over trees by the serial strategy, [record][output], and evaluation
/// whose values have the same bits.
std::vector<double> serial_values(const records::RecordForest& forest, const records::RecordView& records);
RunTimes time_kept_values(records::RecordEvaluator& evaluator, const records::KeptRecords& records, int repeat,
                          const std::vector<double>& expected, const Way& way);

/// "cpu, 1 thread" or "cuda:0, NVIDIA H200".
std::string device_line(Device device, int threads);

}  // namespace fernwood::lab
